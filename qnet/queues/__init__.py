"""Single queues in closed form, on floats, arrays or symbols.

`stations` has one file per family (M/M/c, M/G/1, ...), its table and the door `stations.front`; `waiting` has the waits
of stations inside networks, `joins` the time of the slowest of parallel branches, `finite_source`, `erlang` and the
others what those need. Imports expressions alone.
"""
