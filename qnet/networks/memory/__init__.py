"""Subnetworks with a limited number of customers: memory, tokens, the threads of a server that calls others.

Begin at `solve.solve`, which computes the probabilities of the numbers of customers inside, for closed and for open
classes. `regions` finds the subnetworks and takes a network apart; `averages` solves them at each number of customers
and puts the network together again; `classes` solves several classes at the same subnetworks. What is common to all
flow-equivalent aggregation is in `networks.aggregation`. May import what `networks` may, and of its folders `layers`,
`open`, `parallel` and `solvers`;
`solvers/flow_equivalent.py` and other solvers import `regions` and `solve`.
"""
