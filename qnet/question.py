"""The command of a question, beyond its row in `qnet.signatures`, and the schemas of its answers, as plain data."""

from __future__ import annotations

from qnet.record import Record


class Answer(Record):
    """The JSON Schema of an answer: the module and the names of its columns."""

    name: str
    """The name of the schema, as in `qnet/NAME/1`."""
    words: str = ""
    """Its description in lists of schemas; default: `results of qnet NAME`, with the name of the question."""
    module: str = ""
    """The module of `qnet.questions` with its columns; default: the one that answers the question."""
    columns: str = "COLUMNS"
    """The name, in that module, of the columns that every answer has."""
    optional: str = ""
    """The name of the columns that some answers have; empty if there are none."""
    more_columns: bool = False
    """Whether answers may have further columns, which depend on the model."""


class Option(Record):
    """An option of a command, beyond the parameter of its name in the signature, or without such a parameter.

    If there is such a parameter, it determines the type and the default of the option, whether it may be repeated, and
    whether it is a flag.
    """

    name: str
    """The name of the parameter, or of another argument of the function that answers the command."""
    metavar: str = ""
    help: str = ""
    words: tuple[str, ...] = ()
    """Its names on the command line, former ones last; default: `--name`."""
    completes: str = ""
    """The function of `qnet.cli.complete` that completes its values, such as `metric`, `parameter` or `setting`."""
    choices: tuple[str, ...] = ()
    """The valid values; empty: any."""
    range: tuple[float | None, float | None] = (None, None)
    """The least and the largest valid number; None: no limit."""
    above: bool = False
    """Whether values must be above the least number, which is not valid itself."""
    optional: bool = False
    """Whether an omitted option is None instead of the default of the parameter."""
    argument: bool = False
    """Whether it is a positional argument, after the system."""
    required: bool = False
    """Whether it must be given."""
    needs: str = ""
    """The name of the option that must be given with it; empty: none."""
    single: bool = False
    """Whether it changes the system, so that only one may be given."""
    flag: bool = False
    """Whether an option without a parameter is a flag."""
    repeated: bool = False
    """Whether an option without a parameter may be repeated."""


class Command(Record):
    """The command of a question, beyond its row in the table of signatures."""

    text: str
    """The help after its first line, in the markup of click."""
    options: tuple[Option, ...] = ()
    """The options in the order of the help. Shared ones, such as `--metric`, need no help and may be omitted."""
    epilog: str = ""
    """The text after the options."""
    operands: str = ""
    """The positional arguments, as in the usage, of a command that takes others than a system."""
    also: tuple[str, ...] = ()
    """Other questions that the command answers, whose parameters are options too."""
    derived: tuple[str, ...] = ()
    """Parameters without an option, which the command computes from other options."""
    excluding: tuple[tuple[str, ...], ...] = ()
    """Groups of options of which only one may be given."""
    plot: bool = False
    """Whether answers can be plotted, by `--plot` and `--log`."""
    value: bool = False
    """Whether one metric can be printed as a number, by `--value` and `--unit`."""
    given: tuple[str, ...] = ()
    """Further arguments of the answering function: `network`, the options that state a network without a file; `curve`,
    whether a chart is drawn; `only`, whether only a number is printed."""
    answer: str = ""
    """The function that answers the command, as `folder.module:name`; default: that of the question."""
