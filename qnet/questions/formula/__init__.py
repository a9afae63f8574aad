"""qnet formula: the closed form itself, also solved for a parameter.

Begin at `formula.formula`; `network` solves the network over symbols, `metrics` makes the figures, `simplifier`
shortens them, `text` prints them. Of all questions only this one imports sympy.
May import what `questions` may, and of its folders `cost`, `points` and `presentation`.
"""
