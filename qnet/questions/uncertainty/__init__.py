"""The uncertainty that a calibration left in a model, carried to the figures of other questions.

Begin at `carried`, also for differences of two systems; `student` has the quantiles of intervals. A
question asks for it after its answer, and shows both.
May import what `questions` may, and of its folders `calibrate`, `envelope` and `points`.
"""
