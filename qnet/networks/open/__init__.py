"""Open networks in closed form: every station by its formula, and the waits of holds by a fixed point.

Begin at `solve`, which is the method; `centres` groups the streams of a network by the stations that they visit.
`holder_lines` has the waits of customers that hold servers with separate queues. `qna` follows the variability of
arrivals from station to station, by the flows of `transitions`. `hold_warnings` warns of holds beyond those for which
errors were measured.
May import what `networks` may, and no other folder of it.
"""
