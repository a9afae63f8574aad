"""Open networks in closed form: every station by its formula, and the waits of holds by a fixed point.

Begin at `solve`, which is the method; `centres` turns the streams of a network into the stations it computes with.
`qna` follows the variability of arrivals from station to station, by the flows of `transitions`. `hold_warnings`
reports what was not measured of holds.
May import what `networks` may, and no other folder of it.
"""
