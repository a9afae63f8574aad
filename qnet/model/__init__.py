"""The model language: a TOML file read, checked and bound to numbers.

Begin at `load.build`, which makes a `model.Model` by the tables of `fields`; `check` finds what is wrong, all at once.
`bind.bind` makes the network of a point, or of a batch of points, from a model and its settings. Imports expressions,
the catalog and the description of networks; no solver and no question. A new word of the language is a row in `fields`,
its place in `model` and what it does in `bind`.
"""
