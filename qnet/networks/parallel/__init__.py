"""Parallel steps: branches that start together and join when enough of them have finished.

Begin at `branches`, which computes the time until the join from the times of the branches. `exactness` decides whether
that is exact, `bounds` encloses throughput and response, and `closed` corrects the passages of closed classes.
May import what `networks` may, and no other folder of it.
"""
