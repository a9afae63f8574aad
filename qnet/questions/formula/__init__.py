"""qnet formula: the closed form itself, also solved for a parameter.

Begin at `formula`; the network is solved over symbols by `network`, and simplified by `simplify`.
"""
