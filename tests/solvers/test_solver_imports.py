"""One point of a network is solved in plain floats: numpy is not loaded.

A broken test here usually means a module-level import, or a float that became an array on the way.
"""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from building import customers, network, station, visit
from qnet.networks.routed import Hold, Time
from qnet.networks.open.solve import solve

def loaded(*classes):
    stations = [station("outer", copies=4), station("inner", 2), station("own", follows="outer", copies=4)]
    solve(network(stations, *classes))
    return "numpy" in sys.modules

print(loaded(customers(1.0, visit("inner", 0.3, 2.0, priority=1, exempt=0.3), Time(0.2, phase=2))))
print(loaded(customers(1.0, Hold("outer", (Time(0.1), visit("own", 0.2), Time(0.1, phase=2))))))
print(loaded(customers(1.0, Hold("outer", (Time(0.1), visit("inner", 0.2))))))
print("sympy" in sys.modules)
"""


def test_one_point_needs_no_numpy() -> None:
    folder = __file__.rpartition("/")[0]
    run = subprocess.run([sys.executable, "-c", SCRIPT, folder], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"] * 4
