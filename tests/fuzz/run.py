"""The fuzzer: inputs for every door of qnet, each run by a worker that is watched for time and memory.

    python tests/fuzz/run.py --count 200000 --seed 1 --jobs 2
    python tests/fuzz/run.py --show 1234 --seed 1
    python tests/fuzz/run.py --case '{"door": "expression", "command": [], "text": "1/0"}'

Prints how the inputs of every door ended and each distinct failure once (by kind, type and innermost frame of qnet),
with an input that is minimised, as a line for `tests/fuzz/corpus`. The exit code is 1 where there is a failure.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
if "qnet" not in sys.modules:
    sys.path.append(str(HERE.parents[1]))

from fuzz_case import DOORS, read  # noqa: E402
from fuzz_failure import Failure  # noqa: E402
from fuzz_inputs import case, cases  # noqa: E402
from fuzz_minimise import minimised  # noqa: E402
from fuzz_workers import Ran, outcome_of, outcomes  # noqa: E402


def main() -> None:
    """Run, or show one input."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000, help="inputs (default 2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="index of the first input")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes (default 1)")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long")
    parser.add_argument("--quick", action="store_true", help="the cheap inputs of the tests")
    parser.add_argument("--no-minimise", action="store_true", help="print failing inputs as they are")
    parser.add_argument("--show", type=int, help="print and run the input of this index")
    parser.add_argument("--case", help="run the input of a line of the corpus")
    options = parser.parse_args()
    if options.show is not None or options.case:
        chosen = read(options.case) if options.case else case(options.seed, options.show, options.quick)
        print(chosen.line())
        outcome = outcome_of(chosen)
        print(outcome.end, outcome.failure or "")
        sys.exit(outcome.failure is not None)
    start = time.monotonic()
    inputs = cases(options.seed, options.count, options.quick, options.start)
    failures: dict[tuple[str, str, str], list[Ran]] = {}
    ends: dict[str, Counter[str]] = {door: Counter() for door in DOORS}
    spent: Counter[str] = Counter()
    slowest, largest = dict.fromkeys(DOORS, 0.0), dict.fromkeys(DOORS, 0)
    stream = outcomes(inputs, options.jobs)
    try:
        for ran in stream:
            ends[ran.case.door]["failure" if ran.outcome.failure else ran.outcome.end] += 1
            spent[ran.case.door] += ran.seconds
            slowest[ran.case.door] = max(slowest[ran.case.door], ran.seconds)
            largest[ran.case.door] = max(largest[ran.case.door], ran.memory)
            if ran.outcome.failure:
                seen = failures.setdefault(ran.outcome.failure.key, [])
                if not seen:
                    print(f"{ran.index}: {ran.outcome.failure}", file=sys.stderr, flush=True)
                seen.append(ran)
            if options.minutes and time.monotonic() - start > 60 * options.minutes:
                break
    except KeyboardInterrupt:
        pass
    finally:
        stream.close()
    total = sum(sum(counts.values()) for counts in ends.values())
    passed = time.monotonic() - start
    print(f"{total} inputs in {passed:.0f} s, {total / passed:.0f}/s, {len(failures)} distinct failures\n")
    print("door        inputs  processor   longest  memory   outcomes")
    for door, counts in ends.items():
        shown = ", ".join(f"{end} {count}" for end, count in sorted(counts.items()))
        memory = f"{largest[door] / 1e6:5.0f} MB"
        print(f"{door:11}{sum(counts.values()):7}{spent[door]:9.1f} s{slowest[door]:8.2f} s{memory}   {shown}")
    for rans in sorted(failures.values(), key=len, reverse=True):
        report(rans, options.no_minimise)
    sys.exit(bool(failures))


def report(rans: list[Ran], raw: bool) -> None:
    """One distinct failure, with its smallest input."""
    ran = min(rans, key=lambda item: len(item.case.text) + sum(map(len, item.case.command)))
    failure = ran.outcome.failure
    assert isinstance(failure, Failure)
    print(f"\n{len(rans)} times, first of index {rans[0].index}: {failure}")
    budget = 60.0 if failure.kind in ("time", "memory") else 30.0
    print((ran.case if raw else minimised(ran.case, failure, budget)).line(str(failure)[:200]), flush=True)


if __name__ == "__main__":
    main()
