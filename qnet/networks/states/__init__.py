"""The Markov chain of all states of a small network, solved exactly.

Begin at `solve.solve`. `compiler` writes the routes as a `program`, with `steps`; `machine` runs it from
state to state, `chain` solves the balance equations, `figures` takes means of the states.
May import what `networks` may, and of its folders `capacity` and `parallel`.
"""
