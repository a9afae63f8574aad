"""Flow-equivalent aggregation: a part of a network as one station whose rate depends on the customers in it.

`levels` solves a part at each number of customers; `birth_death` gives the probabilities of these numbers and means
over them; `solution` puts the figures of the network together from the means. The rooms `memory` (subnetworks with a
limited number of customers) and `capacity` (closed classes that fill a buffer) build on it; it imports neither.
Begin at `solution.Aggregation`.
"""
