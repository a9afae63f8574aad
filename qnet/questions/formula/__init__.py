"""qnet formula: the closed form itself, also solved for a parameter.

Begin at `formula`; `network` solves the network over symbols, `metrics` makes the figures, `text` prints them.
"""
