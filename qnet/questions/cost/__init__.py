"""qnet cost: server time per unit, such as processor time per page.

Begin at `report.ask_cost`, the question, and `report.cost_report`, the answer; `cost` computes the parts of a demand
and their sum.
May import what `questions` may, and of its folders `points` and `presentation`.
"""
