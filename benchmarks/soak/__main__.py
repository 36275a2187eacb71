"""python -m benchmarks.soak [--followers 1000] [--minutes 60] [--speed 10] [--faults 0.05] [--kills 0] [--model]

An hour of mixed traffic against the real processes on private servers, with bad answers from every upstream, and with
--kills also dead processes and servers; then the balance. Ends with 1 when the balance does not come out.
"""

import argparse
import json
import sys

from benchmarks.soak.run import Soak, played


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.soak")
    options.add_argument("--followers", type=int, default=0, help="1,000 if --messages does not say")
    options.add_argument(
        "--messages", type=int, default=0, help="so many, whatever the followers (0: all that they write)"
    )
    options.add_argument("--minutes", type=float, default=60, help="of simulated time")
    options.add_argument("--speed", type=float, default=10, help="simulated seconds in a real one")
    options.add_argument("--faults", type=float, default=0.05, help="the share of bad answers of each upstream")
    options.add_argument("--kills", type=float, default=0, help="every so many real seconds one process or server dies")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--model", action="store_true", help="a model understands, not the rules")
    end = played(Soak(**vars(options.parse_args())))
    for name, value in end.report.items():
        print(f"  {name:28} {value}")
    for line in end.wrong[:40]:
        print(f"  WRONG  {line}")
    print(json.dumps({**end.report, "wrong": len(end.wrong)}, ensure_ascii=False))
    return 1 if end.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
