"""Finite capacities: stations that lose the customers that arrive when they are full, and buffers that block or lose.

Begin at `open.solve` and `closed.solve`; others import these and `flows`. `open` solves open networks by a fixed point
of the losses, with the formulas of `stations` and `buffers`; `closed` solves closed classes by flow-equivalent
aggregation, with `closed_network` for what is covered and how it is divided, and `closed_levels` for the birth-death
chain. `flows` has what both share; `open_exactness` has the reasons why the answer of an open network is approximate.
May import what `networks` may, and of its folders `open` and `solvers`.
"""
