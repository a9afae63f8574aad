"""A folder in which the processes of a run of tests keep what they share; see `once`."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest
from once import FOLDER


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, in the process that starts the others."""
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="qnet-tests-")
        config.add_cleanup(lambda: shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True))
