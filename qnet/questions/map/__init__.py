"""qnet map: rows of parameters in, the same rows with figures out.

Begin at `map` (columns) and `text` (CSV and JSON lines); `parameter_cells` reads cells.
"""
