"""Single queues in closed form, on floats, arrays or symbols.

Begin at `stations.front`, the door. `stations` has one file per family (M/M/c, M/G/1, ...) and its table; `waiting` has
the waits of stations inside networks, `joins` the time of the slowest of parallel branches, `finite_source`, `erlang`
and the others what those need.
May import `expression`; no network and no model.
"""
