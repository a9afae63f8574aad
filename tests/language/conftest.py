"""What all tests of the language share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def shipped_catalog(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see the catalog beside the package, whatever the environment of the person who runs them says."""
    monkeypatch.delenv("QNET_CATALOG", raising=False)
