"""Closed networks in product form: exact methods, approximations and bounds, one method per file.

Begin at `problem`: every method takes a `problem.ClosedNetwork` and returns `problem.ClosedFigures`. `exact.solve`
chooses the cheapest exact method of `mva`, `convolution`, `lattice_mva`, `lattice_convolution` and `station_states`;
`approximate` has the approximations, which `approximate_mva` drives; `bounds` encloses the exact answer.
May import what `networks` may, and of its folders `solvers`: the protocol and the table, never the chooser.
"""
