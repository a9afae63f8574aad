"""qnet: queueing networks solved without simulating; the command line and the Python front door."""

__version__ = "0.1.0"
