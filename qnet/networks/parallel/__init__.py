"""Parallel steps: branches that start together and join when enough of them have finished.

`branches` has the time until the join, from the times of the branches. `exactness` says when that is exact, `bounds`
encloses throughput and response, and `closed` corrects the passages of closed classes. Imports single queues and the
network; begin with `branches`.
"""
