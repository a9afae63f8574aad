"""The table of methods, the choice among them, and the methods that combine others.

Begin at `protocol`, then `table`; the loop is in `chooser`, its two callers are `networks.solve` (routes) and
`networks.product.solve` (demands). To add a method: one file with the names of `protocol.Solver`, and one row in
`table.TABLE`. The file stands with its equations: in `networks.closed` for exact methods of closed classes,
`networks.product` for methods of demands, here for routes. The choice of auto, `--method`, its refusals and
`qnet methods` follow from these. A solver never imports the chooser: one that takes a network apart is passed it.
May import what `networks` may, and of its folders `capacity`, `layers`, `memory`, `open`, `product` and `states`.
"""
