"""Mutated files by the thousand: ``python -m validation.fuzzing.run 20000 [first seed]``.

Ends with code 1 if any file ends in another exception, a hang, or a reading that it does not say.
"""

import collections
import sys
import tempfile
import time
from pathlib import Path

from validation.fuzzing import checking


def main(number, first):
    start, tally, reasons = time.process_time(), collections.Counter(), collections.Counter()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + number):
            made = checking.checked(seed, Path(folder))
            tally[made.verdict] += 1
            tally[f"  {made.verdict}: {made.kind.split()[0]}"] += 1
            if made.verdict == "refused, though it can be read":
                reasons[made.said.split(": ", 1)[-1][:60]] += 1
            if made.wrong:
                wrong.append(made)
                if len(wrong) <= 20:
                    print(
                        made.seed, made.kind, made.notes, made.verdict, made.said[:600], sep="\n  "
                    )
    seconds = f"{time.process_time() - start:.0f} s of CPU"
    print(f"{number} files, seeds {first} to {first + number - 1}, {seconds}")
    print(*(f"{count:7d} {verdict}" for verdict, count in sorted(tally.items())), sep="\n")
    print("refused, though it can be read:")
    print(*(f"{count:7d} {reason}" for reason, count in reasons.most_common(25)), sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
