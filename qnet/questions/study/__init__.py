"""qnet study and qnet validate: measured studies, their claims, predictions and fits.

Begin at `study.Study`, which `load` reads, and `validate.validate`, which judges its claims; `prediction_rule` decides
what counts as a prediction, `refit` repeats the fits, `report` is the screen.
May import what `questions` may, and of its folders `compare`, `cost`, `envelope`, `knee`, `points`,
`presentation`, `search` and `sweep`: a claim is judged by the question that it names.
"""
