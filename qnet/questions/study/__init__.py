"""qnet study and qnet validate: measured studies, their claims, predictions and fits.

Begin at `study` (reads one) and `validate` (judges its claims); `prediction_rule` decides what counts as a prediction,
`refit` repeats the fits, `report` is the screen.
"""
