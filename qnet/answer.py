"""What is known of a kind of answer before it is asked for: its name, and where its columns are."""

from __future__ import annotations

from qnet.record import Record


class Answer(Record):
    """The JSON Schema of one kind of answer: where its columns are, and which command gives it."""

    name: str
    """As in `qnet/NAME/1`."""
    words: str = ""
    """What it is, for lists of schemas; default: the results of the command of the question."""
    module: str = ""
    """Of `qnet.questions`; default: the one that answers the question."""
    columns: str = "COLUMNS"
    """The name there of the columns that every answer has."""
    optional: str = ""
    """The name there of the columns that some answers have."""
    more_columns: bool = False
    """Whether models add further columns."""
