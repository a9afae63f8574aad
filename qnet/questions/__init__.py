"""Questions that people ask of a system: one folder for each, which computes the answer and makes its report.

`points` solves a model at operating points, `search` finds the load at which something holds; every question builds on
these two. `presentation` has what all reports share: labels of trust, provenance, notes. A question is opened at its
`*_report` module, which the command and `qnet.System` call. Questions may import the language, the networks and the
reports; nothing of the command line. A new question is one folder here, one command and one row of the table in
`presentation`.
"""
