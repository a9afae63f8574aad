"""qnet calibrate: parameters from measurements, with their errors; service demands by regression.

Begin at `calibrate.calibrate`. `measured` reads the rows, `search` minimizes by `least_squares`, `profile` computes
intervals, and `candidates` ranks several models; `demands` is the regression.
May import what `questions` may, and of its folders `map`, `points`, `presentation` and `sensitivity`.
"""
