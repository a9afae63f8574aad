"""Percentiles of response times, and of the wait at one station.

Begin at `responses`, which mixes the times at the stations of a route, taken as independent; `waits` is one wait, where
theory has its distribution; `wait_variances` the moments of waits where classes are closed. `trust` knows where a
percentile is exact and where it is beyond what was measured.
May import what `networks` may, and of its folders `parallel`.
"""
