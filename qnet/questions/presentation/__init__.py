"""Parts that the reports of all questions share: exactness, provenance, effects, assertions, columns, schemas.

Begin at `labels`, the only module that decides whether a figure is exact, and `schemas`, which makes JSON Schemas.
Every `*_report` module imports this.
May import what `questions` may, and of its folders `points`.
"""
