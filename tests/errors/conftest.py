"""Chains that tests of the solvers use as well."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "solvers"))
