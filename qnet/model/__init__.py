"""The model language: a TOML file read, checked and bound to numbers.

Begin at `load.build`, which makes a `model.Model` by the tables of `fields`; `check` finds what is wrong, all at once.
`bind.bind` makes the network of a point, or of a batch of points, from a model and its settings. A new key of the
language is a row in `fields` and an attribute in `networks.routed`: `keys` has what follows from the two.
May import `catalog`, `expression`, `networks` (their description) and `queues`; no solver and no question.
"""
