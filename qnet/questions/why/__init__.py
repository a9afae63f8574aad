"""qnet why: why a system responds as it does, in sentences for a ticket.

Begin at `why`; each other module contributes one kind of finding (`findings`).
"""
