"""The Markov chain of all states of a small network, solved exactly: `program`, `machine`, `chain`, then `solve`."""
