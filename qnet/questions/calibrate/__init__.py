"""qnet calibrate: parameters from measurements, with their errors; service demands by regression.

Begin at `calibrate`; `search` minimizes, `profile` finds intervals, `candidates` ranks models.
"""
