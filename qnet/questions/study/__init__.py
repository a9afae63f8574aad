"""qnet study and qnet validate: measured studies, their claims, predictions and fits.

Begin at `study.Study`, which `load` reads from a TOML file, and `validate.validate`, which computes its claims and
judges them. `influences` computes what each claim depends on, from which `prediction_rule` decides what counts as a
prediction; `refit` repeats the fits; `validate_report`, `fits_report` and `report` make the reports, `screen` the text
of `qnet study` on a terminal.
May import what `questions` may, and of its folders `compare`, `cost`, `envelope`, `knee`, `points`,
`presentation`, `search` and `sweep`: the picture of a study is the answer of one of these questions.
"""
