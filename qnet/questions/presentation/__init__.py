"""What reports of all questions share: labels of trust, provenance, effects, assertions, columns, schemas.

Begin at `labels`, where alone the label of a figure is made, and `schemas`, which makes the JSON Schema of an answer.
Every `*_report` module imports this.
May import what `questions` may, and of its folders `points`.
"""
