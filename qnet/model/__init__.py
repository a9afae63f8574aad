"""The model language: a TOML file read, checked and bound to numbers.

Begin at `load.build`, which makes a `model.Model` by the tables of `fields`; `check` finds what is wrong, all at once.
`bind.bind` makes the network of a point, or of a batch of points, from a model and its settings. A new word of the
language is a row in `fields`, an attribute in `model` that `load`, `routes` or `chains` fills, and a number in `bind`.
May import `catalog`, `expression`, `networks` (their description) and `queues`; no solver and no question.
"""
