"""qnet envelope: the largest load, or the smallest capacity, that meets limits.

Begin at `ask`, which is called for a grid or for a table of `rows`; `question` reads the limits, `envelope` searches
for every point of a grid, `report` is the answer.
May import what `questions` may, and of its folders `map`, `points`, `presentation` and `search`.
"""
