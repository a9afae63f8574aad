"""The version of qnet, apart from the front door: what writes it into a report needs no door."""

__version__ = "0.1.0"
