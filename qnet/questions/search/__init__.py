"""Search: the largest or smallest value of a parameter at which conditions hold.

Begin at `search.search`. `whole` searches whole numbers and `continuous` real ones, both from a `scan` for regions;
`steady` bounds them by saturation. Imports `points` alone.
"""
