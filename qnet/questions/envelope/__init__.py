"""qnet envelope: the largest load, or the smallest capacity, at which limits hold.

Begin at `report`; `envelope` computes, `question` reads what is asked, `points` are the rows.
"""
