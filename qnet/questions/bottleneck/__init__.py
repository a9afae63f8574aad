"""qnet bottleneck: where the time goes, which station saturates first, which change helps most.

Begin at `bottleneck`; `software` is about stations held around others. `why` builds on it.
"""
