"""Single stations: one family of queues per file, one type of answer, one table of names.

Begin at `front`, the door, and `table`; `answer` is what every family fills in. A new family is one file and one row.
`queue` is `qnet.queue`, `limits` what may be asked of a station by name, `inverse` finds a parameter for a limit.
May import what `queues` may.
"""
