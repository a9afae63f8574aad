"""Networks of queues as numbers, and how they are solved.

Begin at `routed`, which describes a network: classes, routes, steps, stations. `streams` walks the steps once and gives
what every visit asks of its station; `reduction` turns that into demands for the methods of product form.
`solve.solve` is the door: it asks the table of `solvers`; each family of methods has a folder: `open`, `product`,
`closed`, `memory`, `capacity`, `layers`, `states`. `figures` turns waits into the figures of a `solution`, which `laws`
checks once, where it leaves the door. May import `expression` and `queues`; no model, no question.
"""
