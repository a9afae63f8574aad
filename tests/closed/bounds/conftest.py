"""The exact oracle and the random networks are those of the approximations."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "approximate"))
