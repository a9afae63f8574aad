"""Product-form networks as numbers: demands by station and class, open and closed classes side by side.

Begin at `demands.Demands`, which every method here takes; `network.Network` is the plain Python front door to it.
`solve` asks the table of solvers for those that take demands: `mixed`, `approximations` and, without
product form, `first_come` and `priorities`; `in_turn` solves what has an order of visits by its routes. `figures` makes
a `solution` from throughputs and residence times. May import what `networks` may, and of its folders `closed` and
`solvers`.
"""
