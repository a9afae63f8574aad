"""qnet bottleneck: the breakdown of response time, which station saturates first, which change helps most.

Begin at `bottleneck`; `software` is about stations held while others are visited. `why` builds on it.
"""
