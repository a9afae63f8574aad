"""Search: the largest or smallest value of a parameter that meets conditions.

Begin at `search.search`, for whole numbers; `continuous` searches real ones. Both look at a `scan` first, for the
`regions` between which a condition changes. Imports `points` alone.
"""
