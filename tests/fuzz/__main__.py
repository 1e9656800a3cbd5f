"""`python -m tests.fuzz [--seconds N] [KIND ...]`: run the fuzzers one after another, and print what they found.

Each runs in a process of its own: one that crashes or hangs is counted, and started again. Findings are files in the
folder that is printed. Exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KINDS = (
    "files",
    "tables",
    "options",
    "features",
    "matrices",
    "models",
    "requests",
    "states",
    "jobs",
    "corpora",
    "arguments",
    "roundtrips",
)
COLUMNS = ("fine", "refused", "traceback", "hang", "crash", "wrong")
HANG = 600  # seconds of one input that needs no processor; one that does is ended by the child


def main() -> None:
    """Run every kind for its share of the time."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("kinds", nargs="*", default=[], metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--seconds", type=int, default=210, help="of all kinds together")
    parser.add_argument("--folder", type=Path, help="for findings and the corpus (default: a new one)")
    given = parser.parse_args()
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"KIND must be one of {', '.join(KINDS)}; got {', '.join(sorted(unknown))}")
    kinds = given.kinds or KINDS
    folder = given.folder or Path(tempfile.mkdtemp(prefix="labelferry-fuzz-"))
    folder.mkdir(exist_ok=True)
    say(f"{'kind':10s} {'tried':>8s} " + " ".join(f"{name:>9s}" for name in COLUMNS))
    failed = False
    for kind in kinds:
        counts = fuzz(kind, folder, max(1, given.seconds // len(kinds)))
        failed |= any(counts.get(name, 0) for name in COLUMNS[2:]) or not counts
        numbers = " ".join(f"{counts.get(name, 0):9,d}" for name in COLUMNS)
        say(f"{kind:10s} {sum(counts.values()):8,d} {numbers}")
    for path in sorted(folder.glob("*-*.txt")):
        say(f"{path}: {path.read_text(encoding='utf-8').splitlines()[0][:160]}")
    say(f"Findings and logs are in {folder}")
    sys.exit(int(failed))


def fuzz(kind: str, folder: Path, seconds: int) -> dict[str, int]:
    """Run one kind until the time is over, starting again after a crash or a hang; the counts."""
    ends = time.monotonic() + seconds
    current, counts_file = folder / f"{kind}.current", folder / f"{kind}.counts.json"
    ended: dict[str, int] = {}
    while (left := int(ends - time.monotonic())) > 0:
        current.unlink(missing_ok=True)
        with (folder / f"{kind}.log").open("ab") as log:
            command = [sys.executable, "-m", "tests.fuzz.child", kind, str(folder), str(left)]
            process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "OMP_NUM_THREADS": "1"})
            how = watch(process, current)
        if how is None:
            break
        ended[how] = ended.get(how, 0) + 1
        if current.exists():
            (folder / f"{kind}-{how}{ended[how]}.txt").write_text(f"{how}: see the log\n{current.read_bytes()!r}\n")
    counts = json.loads(counts_file.read_text()) if counts_file.exists() else {}
    return {**counts, **{how: counts.get(how, 0) + n for how, n in ended.items()}}


def watch(process: subprocess.Popen[bytes], current: Path) -> str | None:
    """Wait for the end of a fuzzer: None, "crash" or "hang". A hang is ended with a traceback in the log."""
    start = time.time()
    while process.poll() is None:
        time.sleep(0.2)
        began = current.stat().st_mtime if current.exists() else start
        if time.time() - began > HANG:
            process.send_signal(signal.SIGABRT)
            process.wait()
            return "hang"
    return {0: None, -signal.SIGPROF: "hang"}.get(process.returncode, "crash")


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
