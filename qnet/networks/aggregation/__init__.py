"""Flow-equivalent aggregation: a part of a network as one station whose rate depends on the customers in it.

Begin at `solution.Aggregation`, which puts the figures of the network together from means. `levels` solves a part at
each number of customers; `birth_death` gives the probabilities of these numbers and means over them.
`networks.memory` (subnetworks with a limited number of customers) and `networks.capacity` (closed classes that fill a
buffer) build on it, and give it only what differs. May import what `networks` may, and of its folders `solvers`.
"""
