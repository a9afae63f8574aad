"""Subnetworks with a limited number of customers: memory, tokens, the threads of a server that calls others.

`regions` finds the subnetworks and takes a network apart; `averages` solves them at each number of customers and puts
the network together again; `solve` has the two ways to get the probabilities of these numbers, for closed and for open
classes. What is common to all flow-equivalent aggregation is in `networks.aggregation`.
Begin at `solve.solve`; `solvers/flow_equivalent.py` and other solvers import `regions` and `solve`, nothing else.
"""
