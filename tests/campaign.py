"""The campaign: random models in the model language, each answered by qnet and by the oracle of tests/oracle.

    python tests/campaign.py --count 5000 --seed 1 --jobs 2 --out lines.jsonl
    python tests/campaign.py --show 100123
    python tests/campaign.py --read lines.jsonl

Not collected by pytest. Every model falls into one category; the table counts them and names, by pair of features, the
bad ones. The exit code is 1 where a model is exact and wrong, crashes or takes too long, or where more than 1 % are far
off without a warning. `--only` takes features, as `--show` prints them, of which every model must have all. With
PYTHONPATH=CHECKOUT before the command it is the qnet of another checkout that answers.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS / "campaigns")]
if "qnet" not in sys.modules:
    sys.path.append(str(TESTS.parent))

from campaign_table import failures, table  # noqa: E402
from model_features import FEATURES, asked  # noqa: E402
from running import campaign, kind_of, timed  # noqa: E402

import qnet  # noqa: E402

APART = 100_000
"""First seeds are that far apart, so that campaigns of different seeds have models of their own."""


def main() -> None:
    """Run, read or show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="models (default 500)")
    parser.add_argument("--seed", type=int, default=0, help=f"models {APART} * SEED and on (default 0)")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes (default 1)")
    parser.add_argument("--out", type=Path, help="write one JSON line for each model")
    parser.add_argument("--only", default="", help="features that every model has, by commas")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long")
    parser.add_argument("--oracle-seconds", type=float, default=5.0, help="processor time of the oracle (default 5)")
    parser.add_argument("--no-laws", action="store_true", help="leave the laws out")
    parser.add_argument("--show", type=int, help="print one model, both answers and the notes")
    parser.add_argument("--read", type=Path, nargs="+", help="the table of lines that were written")
    options = parser.parse_args()
    if options.show is not None:
        show(options.show, options.oracle_seconds)
    elif options.read:
        lines = [json.loads(line) for path in options.read for line in path.read_text().splitlines()]
        tell(lines)
    else:
        run(options)


def run(options: argparse.Namespace) -> None:
    """Solve the models and print the table."""
    wanted = {item.strip() for item in options.only.split(",") if item.strip()}
    if wanted - set(FEATURES):
        sys.exit(f"no such feature: {', '.join(sorted(wanted - set(FEATURES)))}; there are {', '.join(FEATURES)}")
    first = APART * options.seed
    seeds = (seed for seed in range(first, first + APART) if wanted <= asked(seed))
    lines: list[dict[str, Any]] = []
    start = time.monotonic()
    stream = options.out.open("w") if options.out else None
    found = campaign(islice(seeds, options.count), options.jobs, not options.no_laws, options.oracle_seconds)
    try:
        for line in found:
            lines.append(line)
            if stream:
                stream.write(json.dumps(line) + "\n")
                stream.flush()
            if sys.stderr.isatty():
                print(f"\r{len(lines)} of {options.count}", end="", file=sys.stderr)
            if options.minutes and time.monotonic() - start > 60 * options.minutes:
                break
    except KeyboardInterrupt:
        pass
    finally:
        found.close()
    print(f"qnet of {Path(qnet.__file__).parent}")
    tell(lines)


def tell(lines: list[dict[str, Any]]) -> None:
    """Print the table, and end with exit code 1 where the campaign fails."""
    print(table(lines))
    if found := failures(lines):
        sys.exit(f"the campaign fails: {', '.join(found)}")


def show(seed: int, seconds: float) -> None:
    """One model, both answers and the notes."""
    from judging import FIGURES, differences, judge
    from laws import broken_laws
    from model_generator import model
    from oracle_door import oracle_answer

    made = model(seed)
    print(f"seed {seed}: {', '.join(sorted(made.features))}\n\n{made.text}")
    outcome = timed(made.text)
    label = "exact" if outcome.exact else "approximate"
    print(f"qnet: {outcome.status}, {outcome.method} {label if outcome.method else ''} {outcome.seconds:.2f} s")
    for problem in outcome.problems:
        print("  ", " | ".join(problem))
    if outcome.reasons:
        print("   because", outcome.reasons)
    for code, text in outcome.warnings:
        print("   warning", code, text)
    exact, how = oracle_answer(made.text, seconds=seconds)
    print(f"oracle: {how}\n")
    kind = kind_of(made.spec)
    if exact is not None and outcome.status == "answered":
        for item in differences(outcome, exact):
            print(f"   {item.figure:20}{item.name:12}{item.answered:14.8g}{item.exact:14.8g}"
                  f" +-{item.half_width:9.2g}{100 * item.error:11.3g} %")  # fmt: skip
    elif exact is not None:
        for figure in FIGURES:
            print("  ", figure, getattr(exact, figure, None))
    verdict = judge(outcome, exact, kind)
    print(f"\nverdict: {verdict.category} {verdict.why}")
    if verdict.error:
        print(f"   told: {verdict.error.worst:.3g} by {', '.join(verdict.error.rows)}; "
              f"without a row: {', '.join(verdict.error.unmeasured) or 'nothing'}")  # fmt: skip
    for law in broken_laws(made.spec, outcome, seed, kind):
        print("   law broken:", law)


if __name__ == "__main__":
    main()
