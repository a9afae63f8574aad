"""The command line: one file per command, loaded when the command is used.

Begin at `group`, which loads a command by the table in `commands`. A command reads its options (`options`,
`network_options`, `method_options`), opens the system (`system`), calls one question and hands the report to `output`;
`failures` turns errors into messages and exit codes. May import `catalog`, `exchange`, `explanations`, `model`,
`networks`, `questions`, `queues` and `reports`; nothing imports it but `qnet.__main__`.
"""
