"""Layers: stations that are held while others are waited for, and work after the response, beside closed classes."""
