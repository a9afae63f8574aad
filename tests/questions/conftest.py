"""Models from their text, for the tests of this folder that ask for them."""

import pytest
from knees import CLOSED, ONE, SERVICE, THINK, visit

import qnet


@pytest.fixture
def model(tmp_path):
    """A function that loads a model from its text."""

    def made(text):
        path = tmp_path / "model.toml"
        path.write_text(text)
        return qnet.load(str(path))

    return made


@pytest.fixture
def closed(model):
    """A function that makes a closed class of its stations (name: table), steps and think time."""

    def made(stations, steps, think="0 s", last=100000, parameters=""):
        return model(CLOSED.format(stations=stations, steps=steps, think=think, last=last, parameters=parameters))

    return made


@pytest.fixture
def machines(closed):
    return closed(ONE, visit("cpu", f"{SERVICE} s"), f"{THINK} s")
