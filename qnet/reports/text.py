"""Text from a model, made safe to print: one line without escape sequences, in ASCII where needed; and its width."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qnet.lazy import lazy

if TYPE_CHECKING:
    import unicodedata
else:
    unicodedata = lazy("unicodedata")

_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor
    # Strings: titles, links. They also end where another begins; else each would be searched to the end of the text.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*+(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"  # also: text direction
)
_OBEYED = re.compile(rf"(?![\t\n]){_HIDDEN.pattern}")
_ASCII = str.maketrans(
    {
        "µ": "u", "μ": "u", "×": "x", "·": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "‑": "-", "…": "...",
        "‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "±": "+-",
        "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "ł": "l", "Ł": "L",
    }
)  # fmt: skip


def clean(text: str, ascii: bool = False) -> str:
    """A text as one line without control characters and escape sequences.

    ascii   whether characters beyond ASCII become their nearest spelling, or a question mark.
    """
    line = _HIDDEN.sub("", " ".join(_ESCAPE_SEQUENCE.sub("", text).split()))
    if not ascii or line.isascii():
        return line
    spelled = unicodedata.normalize("NFKD", line.translate(_ASCII))
    plain = "".join(character for character in spelled if not unicodedata.combining(character))
    return plain.encode("ascii", "replace").decode()


def visible(text: str) -> str:
    """Lines with control characters spelled out, such as `\\x1b`: for a terminal that shows the text of others."""
    if text.isprintable():
        return text
    return _OBEYED.sub(lambda match: _spelled(match[0]), text)


def _spelled(character: str) -> str:
    # Bytes that are not UTF-8 were read as surrogates.
    return f"\\x{ord(character) - 0xDC00:02x}" if "\udc80" <= character <= "\udcff" else ascii(character)[1:-1]


def width(text: str) -> int:
    """The columns of a screen that a text takes: two for a wide East Asian character, none for a combining one."""
    if text.isascii():
        return len(text)
    category, east_asian_width = unicodedata.category, unicodedata.east_asian_width
    return sum(
        0 if category(character) in ("Mn", "Me", "Cf") else 2 if east_asian_width(character) in "WF" else 1
        for character in text
    )


def pad(text: str, columns: int, right: bool = False) -> str:
    """A text padded with spaces to a number of columns of the screen; `right`: on its left."""
    space = " " * (columns - width(text))
    return space + text if right else text + space


def fold(text: str, columns: int) -> list[str]:
    """A text broken into lines between words, and inside a word only where the word is longer than a line.

    columns   the longest line, at least 2; a wide character takes two.
    """
    lines = [""]
    for word in text.split():
        if lines[-1] and width(lines[-1]) + 1 + width(word) <= columns:
            lines[-1] += " " + word
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if lines[-1] and width(lines[-1] + character) > columns:
                lines.append("")
            lines[-1] += character
    return lines


def prose(text: str, columns: int) -> str:
    """A text of several lines, each folded where it is longer than `columns` of the screen, with its indentation."""
    return "\n".join(line if width(line) <= columns else _folded(line, columns) for line in text.split("\n"))


def _folded(line: str, columns: int) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return "\n".join(indent + part for part in fold(line, columns - len(indent)))
