"""qnet why: the response time of a system explained, in sentences for a ticket.

Begin at `why`; each other module contributes one kind of finding (`findings`).
"""
