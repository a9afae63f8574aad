"""qnet bottleneck: the breakdown of response time, which station saturates first, which change helps most.

Begin at `bottleneck.bottleneck`, which computes the answer, also for stations that are held while others are visited.
`report` makes its tables, and `why` builds on both.
May import what `questions` may, and of its folders `points`, `presentation`, `solve` and `why`.
"""
