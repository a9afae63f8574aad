"""Questions that people ask of a system: one folder for each, which computes the answer and makes its report.

Begin at `points.points`, which solves a model at operating points, and `search`, which finds the load at which
something holds; every question builds on these two. `presentation` has what all reports share: labels of trust,
provenance, notes. A question is opened by the function that its row of `qnet.signatures` names, for `qnet.System` and
the command, whose options and help are in the file command of its folder. A new question is one folder or file here and
its row in `qnet.signatures`. May import `catalog`, `expression`, `model`, `networks`, `queues` and `reports`; nothing
of the command line.
"""
