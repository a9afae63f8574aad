"""Closed networks in product form: exact methods, approximations and bounds, one method per file.

Every method takes a `problem.ClosedNetwork` and gives `problem.ClosedFigures`; `exact.solve` takes the exact method
that costs least.
"""
