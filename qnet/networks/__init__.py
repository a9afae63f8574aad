"""Networks of queues as numbers, and how they are solved.

`routed` describes a network: classes, routes, steps, stations. `streams` walks the steps once and states what every
visit asks of its station; `reduction` turns that into demands for the methods of product form. `solve.solve` is the
door: it asks the table of `solvers`; each family of methods has a folder: `open`, `product`, `closed`, `memory`,
`capacity`, `layers`, `states`. `figures` turns waits into the figures of a `solution`, by the laws, checked once.
Imports expressions and single queues; no model, no question.
"""
