"""Layers: simultaneous resource possession and second phases with closed classes.

Begin at `solve.solve`; `table` makes arrays of the holds and requests, `core` has the equations of the waiting times
and their fixed point.
"""
