"""One fuzzer in a process of its own: `python -m tests.fuzz.child KIND FOLDER SECONDS`. Started by `tests.fuzz`."""

from __future__ import annotations

import faulthandler
import hashlib
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from importlib import import_module
from pathlib import Path

from .choices import Choices

MAX_MEMORY = 4 << 30  # bytes; more is a MemoryError, which is reported in one line
MAX_INPUT = 4096  # bytes
MAX_SECONDS = 60  # of processor time, for one input


def main(kind: str, folder: Path, seconds: int) -> None:
    """Run until the time is over. Counts, findings and the input that is running are files in the folder."""
    import atheris  # only here: pytest imports every module of the tests, and the environment may lack it

    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)  # the traceback, and then the end of the process
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    with atheris.instrument_imports(include=["labelferry"]):
        module = import_module(f"tests.fuzz.{kind}")
    rules = import_module("tests.fuzz.rules")
    current, counts_file = folder / f"{kind}.current", folder / f"{kind}.counts.json"
    counts: Counter[str] = Counter(json.loads(counts_file.read_text()) if counts_file.exists() else {})
    work = Path(tempfile.mkdtemp(dir=folder))
    written = time.monotonic()
    ends = written + seconds

    def run_one(data: bytes) -> None:
        nonlocal written
        if time.monotonic() > ends:  # the seeds are run first, whatever the time
            return
        current.write_bytes(data)
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        try:
            outcome = module.check(case := module.decode(Choices(data)), work)
        except rules.Finding as finding:
            outcome = finding.kind
            report(folder, kind, data, repr(case), finding)
        except Exception as error:  # of the check itself
            outcome = "traceback"
            report(folder, kind, data, "", error)
        counts[outcome] += 1
        if time.monotonic() - written > 1:
            written = time.monotonic()
            counts_file.write_text(json.dumps(counts))

    corpus = folder / f"{kind}.corpus"
    corpus.mkdir(exist_ok=True)
    for seed in module.seeds():
        (corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={MAX_INPUT}",
        "-timeout=100000",
        "-rss_limit_mb=0",
        "-verbosity=0",
    ]
    options += [f"-artifact_prefix={folder}/"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], run_one)
    atheris.Fuzz()


def report(folder: Path, kind: str, data: bytes, case: str, finding: Exception) -> None:
    """Write a finding, once per place in the code."""
    error = finding.__cause__ or finding
    frames = [
        f for f in traceback.extract_tb(error.__traceback__) if "labelferry" in f.filename or "fuzz" in f.filename
    ]
    place = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames[:-4:-1])
    key = hashlib.sha1(f"{kind} {place} {str(finding)[:25]}".encode()).hexdigest()[:10]
    path = folder / f"{kind}-{key}.txt"
    if not path.exists():
        shown = "".join(traceback.format_exception(error))
        path.write_text(f"{finding}\n{case[:5000]}\n{data!r}\n{shown}", encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
