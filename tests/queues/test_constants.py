"""Constants and tables of the formulas, and that no formula keeps what it has computed for others."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import numpy as np
import pytest

from qnet.queues import joins
from qnet.queues.finite_source import _log_factorials  # pyright: ignore[reportPrivateUsage]

ROOT = Path(__file__).resolve().parents[2] / "qnet" / "queues"


@pytest.mark.parametrize("most", [0, 1, 15, 16, 17, 300, 20_000])
def test_logarithms_of_factorials(most: int):
    assert _log_factorials(most) == pytest.approx([math.lgamma(n + 1) for n in range(most + 1)], rel=2e-15)


def test_nodes_of_the_quadrature_are_those_of_gauss_and_legendre():
    nodes, weights = np.polynomial.legendre.leggauss(8)
    assert nodes[4:] == pytest.approx(joins._NODES, rel=1e-15)  # pyright: ignore[reportPrivateUsage]
    assert weights[4:] == pytest.approx(joins._WEIGHTS, rel=1e-13)  # pyright: ignore[reportPrivateUsage]


def test_no_function_of_a_module_has_a_cache():
    """What an answer needs again is held by the answer: a cache of a module would hold it for ever."""
    paths = sorted(ROOT.rglob("*.py"))
    assert len(paths) > 30
    for path in paths:
        for node in ast.parse(path.read_text()).body:
            decorators = getattr(node, "decorator_list", [])
            assert not any("cache" in ast.unparse(item) for item in decorators), (path, getattr(node, "name", ""))
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
                assert "cache(" not in ast.unparse(node.value), path
