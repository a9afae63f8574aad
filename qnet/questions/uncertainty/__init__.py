"""The uncertainty that a calibration left in a model, carried to the figures of other questions.

Begin at `carried`; `carried_beside` does it for differences of two systems. Imports `points`.
"""
