"""The catalog: parts with the source and grade of every value, complete systems, and studies that judge them.

Begin at `find`, which finds entries by name, and `parts.load_part`, which reads a part. `checks` are the promises of
every part, `drafts` reads it and gives its values their order and numbers; `lint` checks all entries against their
`sources`.
May import `expression`; no model, which imports this.
"""
