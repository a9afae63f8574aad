"""What is known of a question before it is asked, as plain data: its command, besides its row in `qnet.signatures`, and
its answer."""

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


class Option(Record):
    """An option of a command: what the parameter of the signature does not say, or all where there is none.

    Its type, its default, whether it may be repeated and whether it is a flag are those of the parameter of its name.
    """

    name: str
    """The parameter, or another argument of the function that answers the command."""
    metavar: str = ""
    help: str = ""
    words: tuple[str, ...] = ()
    """What it is called on the command line, earlier names last; default: `--name`."""
    completes: str = ""
    """What a shell is offered: `metric`, `parameter`, `setting` and so on, the functions of `qnet.cli.complete`."""
    choices: tuple[str, ...] = ()
    """The values that are taken; empty for any."""
    range: tuple[float | None, float | None] = (None, None)
    """The least and the largest number."""
    above: bool = False
    """Whether the least number is not taken itself."""
    optional: bool = False
    """Whether it is None where it is not given, instead of the default of the parameter."""
    argument: bool = False
    """Whether it is given by its position, behind the system."""
    required: bool = False
    needs: str = ""
    """The option without which it has no meaning."""
    single: bool = False
    """Whether it changes the system, of which there must be only one then."""
    flag: bool = False
    """Of an option that is no parameter: whether it is a flag."""
    repeated: bool = False
    """Of an option that is no parameter: whether it may be given several times."""


class Command(Record):
    """The command of a question: what the table of signatures does not say of it."""

    text: str
    """The help below its first line, as click reads it."""
    options: tuple[Option, ...] = ()
    """In the order of the help. Options that commands share, such as `--metric`, need no words, and may be left out."""
    epilog: str = ""
    operands: str = ""
    """What the command takes instead of a system, as its usage calls it: a list of names."""
    also: tuple[str, ...] = ()
    """Other questions that the command asks as well, whose parameters are options too."""
    derived: tuple[str, ...] = ()
    """Parameters that are no options, because the command makes them of others."""
    excluding: tuple[tuple[str, ...], ...] = ()
    """Options of which only one may be given."""
    plot: bool = False
    """Whether the answer can be drawn: `--plot` and `--log`."""
    value: bool = False
    """Whether one metric can be printed as a number: `--value` and `--unit`."""
    given: tuple[str, ...] = ()
    """What the answer is given beside its options: `network`, the words of a network without a file; `curve`, whether
    a chart is drawn; `only`, whether just a number is printed."""
    answer: str = ""
    """The function that answers the command where it takes more than that of the question, as `folder.module:name`."""
