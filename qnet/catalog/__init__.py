"""The catalog: parts with the source and grade of every value, complete systems, and studies that judge them.

Begin at `find`, which finds entries by name, and `parts.load_part`, which loads a part. `drafts` reads a part and
evaluates its values, `checks` are the rules of a single part, and `lint` those of the catalog, including its `sources`.
May import `expression`; not `model`, which imports this.
"""
