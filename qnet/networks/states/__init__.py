"""The Markov chain of all states of a small network, solved exactly.

Begin at `solve.solve`. `least` bounds the number of states. `compiler` writes the routes as a `program`, with `steps`;
`machine` generates its states one by one, `tabled`, with `rows` and `coded`, many at once, and `shared` those of many
points. `chain` solves the balance equations, with `jumps` for large chains; `crowds` chooses the number of customers
from outside; `figures` and `solution` compute means over the states.
May import what `networks` may, and of its folders `capacity` and `parallel`.
"""
