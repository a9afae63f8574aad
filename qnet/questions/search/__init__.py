"""Search: the largest or smallest value of a parameter that meets conditions.

Begin at `search.search`, which searches integers; `continuous` searches real numbers. Both begin with a `scan` for the
intervals in which the conditions hold.
May import what `questions` may, and of its folders `points`.
"""
