"""qnet knee: the load at which the response time begins to grow quickly.

Begin at `knee.knee`; `open` for rates of arrival, `closed` for numbers of customers, `mix` for several classes. They
search on a `curve`, which is solved on demand; `report` has one row per knee and definition.
May import what `questions` may, and of its folders `points`, `presentation` and `search`.
"""
