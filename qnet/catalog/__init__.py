"""The catalog: parts with the source and grade of every value, complete systems, and studies that judge them.

Begin at `find`, which finds entries by name, and `parts.load_part`; `lint` checks all entries against their sources.
"""
