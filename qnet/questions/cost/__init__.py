"""qnet cost: server time per unit, such as processor time per page.

Begin at `report`; `cost` computes, `doubt` adds what calibrations leave uncertain.
"""
