"""Product-form networks as numbers: demands by station and class, open, closed or mixed classes.

Begin at `demands.Demands`, which every method here takes; `network.Network` is its public interface.
`solve` asks the table of solvers for those that take demands: `mixed`, `approximations` and, without
product form, `first_come` and `priorities`; `in_turn` solves networks whose order of visits matters by their routes.
`figures` makes a `solution` from throughputs and residence times. May import what `networks` may, and of its folders
`closed` and `solvers`.
"""
