"""Every method that solves networks, one file each: what it is for, what it takes, what it costs, and how it solves.

To add a method: one file here with the names of `protocol.Solver`, and one row in `table.TABLE`. The choice of auto,
`--method`, its refusals and `qnet methods` follow from these. A solver never imports a chooser: what takes a network
apart is given one. Begin with `protocol`, then `table`; the loop is in `chooser`, its two doors are `networks.solve`
(routes) and `networks.product.solve` (demands).
"""
