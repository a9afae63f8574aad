"""Networks of `--station` and the options beside it: what is checked is what a parser makes of their text."""

from __future__ import annotations

import random
import tomllib

import pytest

from qnet.cli.inline import inline
from qnet.errors import InvalidInput

WORDS = ("cpu", "disk 1", 'a "quoted" one', "back\\slash", "naïve", "x" * 70, "bä", "[t]", "a.b", "#", "'", "{}")
TIMES = ("20 ms", "1s", "0.5", 'no "time"', "\ttab", "line\nend", "\x7f", "\ufeff", "\\u0041", "1e400 s", "")


def drawn(seed: int) -> tuple[list[str], list[str], list[str], str, str, str]:
    """Options with names and values of all kinds."""
    choose = random.Random(seed)
    names = choose.sample(WORDS, choose.randint(1, 5))
    cut = choose.randint(0, len(names))
    times = {name: choose.choice(TIMES).strip() or "1 s" for name in names}
    options = [f"{name}={times[name]}" for name in names]
    servers = [f"{name}={choose.choice(('2', '1.5', 'many'))}" for name in names[:cut] if choose.random() < 0.5]
    opened = choose.random() < 0.5
    rate, population = ("3/s", "") if opened else ("", choose.choice(("7", "no number")))
    return options[:cut], options[cut:], servers, rate, population, "" if opened else choose.choice(("", "2 s"))


@pytest.mark.parametrize("seed", range(5))
def test_the_data_is_what_the_text_says(seed: int) -> None:
    for part in range(40):
        network = inline(*drawn(40 * seed + part))
        assert tomllib.loads("\n".join(network.lines)) == network.data


def test_a_wrong_value_names_its_option() -> None:
    network = inline(["cpu=20 ms", "disk=fast"], [], [], "3/s")
    with pytest.raises(InvalidInput) as caught:
        network.model()
    problem = network.blame(caught.value).problems[0]
    assert problem.file == "--station disk=fast"
    assert problem.help == "write a time, such as --station disk=40ms, or an expression over the other parameters"


def test_a_name_that_is_misspelt_is_corrected() -> None:
    network = inline(["cpu=20 ms * arrival_rat"], [], [], "3/s")
    with pytest.raises(InvalidInput) as caught:
        network.model()
    assert network.blame(caught.value).problems[0].help == 'did you mean "arrival_rate"?'
