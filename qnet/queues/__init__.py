"""Single queues in closed form, on floats, arrays or symbols.

Begin at `stations.front`, which takes a name and parameters. `stations` has one file per family (M/M/c, M/G/1, ...) and
its table; `waiting` has the waits of stations inside networks, `places` and `m_g_1_k` stations with finite capacity,
`joins` the time of parallel branches, `roots` and `crossings` root searches; the others serve these.
May import `expression`; no network and no model.
"""
