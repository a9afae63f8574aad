"""qnet bottleneck: the breakdown of response time, which station saturates first, which change helps most.

Begin at `bottleneck.bottleneck`, of which `report` makes the tables, also for stations that are held while others
are visited. `why` builds on it.
May import what `questions` may, and of its folders `points`, `presentation`, `solve` and `why`.
"""
