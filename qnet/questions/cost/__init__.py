"""qnet cost: server time per unit, such as processor time per page.

Begin at `report`; `cost` computes the parts of a demand and their sum.
"""
