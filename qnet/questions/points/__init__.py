"""Operating points: a model at settings of its parameters, solved, with all figures that expressions may name.

Begin at `points.solve_points`, which every question calls. `answers` are single figures at one point, `domain` the
parameters a figure depends on, `saturation` the load at which there is no steady state any more, `changes` what-ifs.
May import what `questions` may, and no other folder of it.
"""
