"""Operating points: the solution of a model at one or many settings of its parameters, and its figures.

Begin at `points.solve_points`, which every question calls. `answers` solves every row of a table, `domain` determines
the values that a parameter may have, `saturation` the load at which the steady state ends, `changes` the effect of
faster stations and of more servers, `cures` the smallest changes that end saturation, `trial` one step of a search.
May import what `questions` may, and no other folder of it.
"""
