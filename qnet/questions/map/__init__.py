"""qnet map: the model solved for each row of a CSV or JSONL stream.

Begin at `map`; `parameter_cells` reads the cells of a row, `tables` reads entire files of rows.
"""
