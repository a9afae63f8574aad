"""qnet formula: metrics in closed form, also solved for a parameter.

Begin at `formula.formula`; `network` solves the network over symbols, `metrics` makes the formulas, `simplifier`
shortens them, `text` prints them. No other question imports sympy.
May import what `questions` may, and of its folders `cost`, `points` and `presentation`.
"""
