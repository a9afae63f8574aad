"""Networks in which only so many customers may be inside a subnetwork: memory, tokens, threads of a server.

`regions` finds the subnetworks, `levels` solves a network at every number of customers, `states` puts the numbers of
customers of all parts together, `averages` takes means of what changes with the number inside, and `solve` answers.
"""
