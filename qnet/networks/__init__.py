"""Networks of queues as numbers, and how they are solved.

Begin at `routed`, which describes a network: classes, routes, steps, stations. `streams` walks the steps once and gives
the requests to every station; `reduction` turns them into demands for the methods of product form. `solve.solve` is the
entry point: it consults the table of `solvers`; each family of methods has a folder: `open`, `product`, `closed`,
`memory`, `capacity`, `layers`, `parallel`, `percentiles`, `states`. `figures` turns waits into the figures of a
`solution`, which `laws` checks once, before it is returned. May import `expression` and `queues`; no model, no
question.
"""
