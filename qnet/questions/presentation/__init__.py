"""What reports of all questions share: labels of trust, provenance, effects, assertions, columns, schemas.

Begin at `labels`, the one place where the label of a figure is made, and `schemas`, the table of all answers.
Imports `points`; every `*_report` module imports this.
"""
