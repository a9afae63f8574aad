"""Product-form networks as numbers: demands by station and class, open and closed classes side by side.

`network.Network` is the plain Python front door; `solve` asks the table of solvers for those that take demands.
"""
