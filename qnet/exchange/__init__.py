"""Models in the formats of other tools: what `qnet convert` reads and writes, and `qnet measured` reads.

Begin at `formats`, the table of formats: one file and one row for each. `demands` is what JMVA and CSV have in common,
stations with service times and visits of classes; `layers` what both forms of LQN have. `imported` has what a reader
returns, and the list of what could not be expressed. May import `expression`, `model` and `networks`; it solves
nothing and asks no question.
"""
