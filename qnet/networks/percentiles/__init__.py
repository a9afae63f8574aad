"""Percentiles of response times, and of the wait at one station.

`responses` mixes the times at the stations of a route, taken as independent; `waits` is one wait, where theory has its
distribution; `wait_variances` the moments of waits where classes are closed. `trust` says where a percentile is exact
and where it is beyond what was measured. Imports solutions and streams; begin with `responses`.
"""
