"""qnet map: the model solved for each row of a CSV or JSONL stream.

Begin at `map.Mapper`; `csv_rows` reads a stream, `parameter_cells` the cells of a row, `tables` entire files of
rows; `frames` answers tables column by column.
May import what `questions` may, and of its folders `points` and `presentation`.
"""
