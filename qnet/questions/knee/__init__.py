"""qnet knee: where the curve of response against load bends.

Begin at `knee.knee`; `open` for rates of arrival, `closed` for numbers of customers, `mix` for several classes.
"""
