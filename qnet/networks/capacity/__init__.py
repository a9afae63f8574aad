"""Stations with a capacity and finite buffers: blocking and losses.

Begin at `solve.solve`, of open networks, and `closed.solve`, of closed classes; `exactness` has when the answer is
exact.
"""
