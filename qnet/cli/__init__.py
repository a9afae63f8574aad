"""The command line: commands of questions, made from the table of `qnet.signatures`, and a file for each of the others.

Begin at `group`, which loads a command by the table in `commands`. `question` makes the command of a question, which
reads its options (`options`, `shared_options`), opens the system (`system`), computes the answer and hands the report
to `output`; `failures` turns errors into messages and exit codes. May import `catalog`, `exchange`, `explanations`,
`model`, `networks`, `questions`, `queues` and `reports`; nothing imports it but `qnet.__main__`.
"""
