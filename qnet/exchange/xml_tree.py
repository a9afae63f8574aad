"""Untrusted XML as a tree of elements: without entities, document types and namespaces, bounded in size and depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from qnet.exchange.imported import MAX_BYTES, malformed
from qnet.lazy import lazy

if TYPE_CHECKING:
    from xml.parsers import expat
else:
    expat = lazy("xml.parsers.expat")

MAX_DEPTH = 32
"""Levels of elements inside elements; any limit far above what queueing tools write works."""
MAX_ELEMENTS = 400_000
"""Elements of a file; any limit far above real models works: it bounds time and memory."""
MAX_TEXT = 1 << 20
"""Characters of one element."""


class Element:
    """An element with the line on which it begins."""

    __slots__ = ("attributes", "children", "line", "name", "parts")

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.name = name
        self.attributes = attributes
        self.line = line
        self.children: list[Element] = []
        self.parts: list[str] = []

    @property
    def text(self) -> str:
        """The text directly inside, without white space around it."""
        return "".join(self.parts).strip()

    def walk(self) -> Iterator[Element]:
        """The element and all those inside it, in the order of the file."""
        waiting: list[Element] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += element.children[::-1]

    def inside(self, *names: str) -> list[Element]:
        """The elements of these names anywhere inside, in the order of the file."""
        return [element for element in self.walk() if element.name in names and element is not self]

    def first(self, name: str) -> Element | None:
        """The first element of a name anywhere inside."""
        return next((element for element in self.walk() if element.name == name and element is not self), None)


def parse_xml(raw: bytes, name: str) -> Element:
    """The root element of a file.

    Raises   `InvalidInput` QN760 for contents that are not well-formed, for a document type (and with it all entities)
             and for a tree that is too large or too deep.
    """
    if len(raw) > MAX_BYTES:
        raise malformed(name, 0, f"the file is larger than {MAX_BYTES >> 20} MiB", "a file of at most that size")
    builder = _Builder(name)
    try:
        builder.parser.Parse(raw, True)
    except expat.ExpatError as error:
        sentence = expat.ErrorString(error.code) or "it cannot be read"
        raise malformed(name, error.lineno, f"not well-formed XML: {sentence}", "an XML file") from None
    except (LookupError, ValueError):
        raise malformed(name, 0, "the encoding that the XML declares is unknown", "UTF-8") from None
    assert builder.root is not None
    return builder.root


class _Builder:
    """Receives the events of the parser."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.size = 0
        self.parser: Any = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        for handler in ("StartDoctypeDecl", "EntityDecl", "UnparsedEntityDecl", "ExternalEntityRef", "NotationDecl"):
            setattr(self.parser, f"{handler}Handler", self.refuse)
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)

    def refuse(self, *_: Any) -> None:
        """Refuse a document type and the declarations in it."""
        help = "remove the DOCTYPE: no format that is read here needs it"
        raise malformed(self.name, self.line, "the XML has a document type or entities", "XML without them", help)

    @property
    def line(self) -> int:
        """The line of the current event."""
        return int(self.parser.CurrentLineNumber)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        self.count += 1
        if self.count > MAX_ELEMENTS or len(self.open) >= MAX_DEPTH:
            limits = f"at most {MAX_ELEMENTS} elements, nested at most {MAX_DEPTH} deep"
            raise malformed(self.name, self.line, "the XML has too many elements, or nests too deeply", limits)
        element = Element(name.rpartition(":")[2], attributes, self.line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.size = 0

    def end(self, name: str) -> None:
        """Close an element."""
        self.open.pop()
        self.size = 0

    def data(self, text: str) -> None:
        """Add text to the open element."""
        self.size += len(text)
        if self.size > MAX_TEXT:
            raise malformed(self.name, self.line, "an element has too long a text", f"at most {MAX_TEXT} characters")
        self.open[-1].parts.append(text)
