"""Search: the largest or smallest value of a parameter that meets conditions.

Begin at `search.search`, for integers; `continuous` searches real ones. Both take a `scan` first, for the regions
between which a condition changes.
May import what `questions` may, and of its folders `points`.
"""
