"""qnet why: the response time of a system explained, in sentences for a ticket.

Begin at `why.why_report`; each other module contributes one kind of finding (`findings`), and `brief` the first six
sentences.
May import what `questions` may, and of its folders `bottleneck`, `points`, `presentation` and `solve`.
"""
