"""Single stations: one family of queues per file, one type of answer, one table of names.

Begin at `front`, which reads parameters and evaluates a station, and `table`; `answer` is the result of every family. A
new family is one file and one row of the table. `queue` is `qnet.queue`, `limits` the figures that limits and metrics
name, `inverse` finds the value of a parameter that meets a limit.
May import what `queues` may.
"""
