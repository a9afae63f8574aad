"""Models in the formats of other tools: what `qnet convert` reads and writes, and `qnet measured` reads.

Begin at `formats`, the table of formats: one file and one row for each. `demands` has the network that JMVA and CSV
share, stations with service times and visits of classes; `layers` that of both forms of LQN. `imported` has the result
of a conversion, with the list of what could not be expressed. May import `expression`, `model` and `networks`; nothing
here solves a network.
"""
