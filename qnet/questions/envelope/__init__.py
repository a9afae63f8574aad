"""qnet envelope: the largest load, or the smallest capacity, that meets limits.

Begin at `report`; `question` reads the limits, `envelope` searches for every point of a grid.
"""
