"""qnet compare: systems or settings side by side.

Begin at `report`; `doubt` adds what calibrations leave uncertain.
"""
