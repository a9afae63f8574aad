"""Single stations: one family of queues per file, one type of answer, one table of names.

Begin at `front`, the door, and `table`; `answer` is what every family fills in. A new family is one file and one row.
"""
