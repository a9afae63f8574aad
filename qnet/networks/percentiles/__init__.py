"""Percentiles of response times, and of the wait at one station.

Begin at `responses`, which adds the times at the stations of a route as independent ones, and mixes the routes. `waits`
has the wait at one station, where theory knows its distribution; `wait_variances` the moments of waits with closed
classes; `limited` the passages through limited subnetworks, and `holds_of_one` the holds in these that change no
response; `returns` how visits to one station depend on each other. `trust` decides where a percentile is exact, and
where it is beyond what was measured.
May import what `networks` may, and of its folders `memory` and `parallel`.
"""
