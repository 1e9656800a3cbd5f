"""A fresh machine installs what the locks say: they are complete, belong to pyproject.toml, and name no machine."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile

import pytest

from ..pages import ROOT, read

packaging_requirements = pytest.importorskip("packaging.requirements")
canonical = pytest.importorskip("packaging.utils").canonicalize_name
LOCKS = ("run", "review", "dev", "docs", "fuzz", "release")
PROJECT = tomllib.loads(read("pyproject.toml"))
GROUPS = PROJECT["dependency-groups"]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = (("linux", "posix", "x86_64"), ("darwin", "posix", "arm64"), ("win32", "nt", "AMD64"))


def locked(name):
    """(requirement, number of hashes) of every entry of a lock."""
    entries = re.findall(r"^(\S[^\\#\n]*?) \\\n((?: +--hash=\S+(?: \\)?\n?)+)", read(f"lock/{name}.txt"), flags=re.M)
    return [(packaging_requirements.Requirement(text), hashes.count("--hash=sha256:")) for text, hashes in entries]


def group(name):
    """The requirements of a dependency group, with those of the groups that it includes."""
    for entry in GROUPS[name]:
        if isinstance(entry, str):
            yield entry
        else:
            yield from group(entry["include-group"])


def extra(*names):
    """The requirements of labelferry with these extras."""
    yield from PROJECT["project"]["dependencies"]
    for name in names:
        for text in PROJECT["project"]["optional-dependencies"][name]:
            requirement = packaging_requirements.Requirement(text)
            yield from extra(*requirement.extras) if requirement.name == "labelferry" else (text,)


def bench():
    """The requirements of the bench, if the checkout contains it."""
    path = ROOT / "bench" / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"] if path.exists() else {}
    yield from (text for text in project.get("dependencies", []) if not text.startswith("labelferry"))


WANTED = {
    "run": [*extra("cli", "report"), *group("build")],
    "review": [*extra("cli", "report", "review", "postgres"), *group("build")],
    "dev": [*extra("all", "charts", "dask"), *group("dev"), *bench()],
    "docs": [*group("docs")],
    "fuzz": [*group("fuzz")],
    "release": [*group("release")],
}


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_is_one_version_with_its_hashes(name):
    lines = [line for line in read(f"lock/{name}.txt").splitlines() if not line.startswith("#")]
    entries = locked(name)
    assert sum(1 + n_hashes for _, n_hashes in entries) == len(lines)
    for requirement, n_hashes in entries:
        assert re.fullmatch(r"==[\w.!+]+", str(requirement.specifier)), requirement
        assert n_hashes >= 1, requirement


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_index_and_no_folder(name):
    assert not re.search(r"://|@ |--(?:index|extra-index|find-links)|^-e|/", read(f"lock/{name}.txt"), flags=re.M)


@pytest.mark.parametrize("name", LOCKS)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(("system", "os_name", "machine"), SYSTEMS)
def test_a_lock_has_one_allowed_version_of_every_requirement(name, python, system, os_name, machine):
    """On every system and for every supported version of Python. If it fails: `make lock`."""
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.1",
        "sys_platform": system,
        "os_name": os_name,
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "implementation_name": "cpython",
    }
    here = [r for r, _ in locked(name) if r.marker is None or r.marker.evaluate(environment)]
    names = [canonical(r.name) for r in here]
    assert len(names) == len(set(names))
    version = {canonical(r.name): next(iter(r.specifier)).version for r in here}
    for text in WANTED[name]:
        wanted = packaging_requirements.Requirement(text)
        if wanted.marker is None or wanted.marker.evaluate(environment):
            assert wanted.specifier.contains(version[canonical(wanted.name)], prereleases=True), text


@pytest.mark.parametrize("name", sorted(set(LOCKS) - {"dev"}))
def test_the_locks_agree(name):
    """They are installed into one environment."""
    dev = {(r.name, str(r.specifier)) for r, _ in locked("dev")}
    names = {name for name, _ in dev}
    other = {(r.name, str(r.specifier)) for r, _ in locked(name) if r.name in names}
    assert other <= dev


def test_the_build_needs_only_what_the_lock_has():
    assert PROJECT["build-system"]["requires"] == GROUPS["build"]


def test_ruff_and_mypy_have_one_version():
    exact = dict(text.split("==") for text in group("dev") if text.split("==")[0] in ("ruff", "mypy"))
    hooks = read(".pre-commit-config.yaml")
    assert re.search(r"ruff-pre-commit\n +rev: v(\S+)", hooks)[1] == exact["ruff"]
    assert re.search(r"- id: mypy\n(?: +.*\n)*? +language: system", hooks)  # the one of the environment
    assert {"ruff", "mypy"} <= set(exact)


def test_actions_are_commits_with_their_tags():
    uses = [line for path in (ROOT / ".github" / "workflows").glob("*.yml") for line in path.read_text().splitlines()]
    uses = [line for line in uses if "uses:" in line]
    assert uses
    for line in uses:
        assert re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


def test_make_test_only_tests():
    """Lint and types do not stop the tests, neither in the Makefile nor in the workflow."""
    assert re.search(r"^test: \.venv/dev ", read("Makefile"), flags=re.M)
    assert "needs: lint" not in read(".github/workflows/tests.yml")


def build_wheel(folder):
    """The names of the files of a wheel of this checkout, built as pip builds it, with hatchling alone."""
    pytest.importorskip("hatchling", reason="needs hatchling")
    pytest.importorskip("build", reason="needs build")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel).namelist()


def test_a_wheel_has_the_chart_library_if_the_checkout_has_it(tmp_path):
    """`make dist` makes it first; an ordinary install needs no vl-convert."""
    from labelferry.report import vega

    names = build_wheel(tmp_path)
    assert ("labelferry/report/templates/vega.js" in names) == vega.PATH.exists()
    assert "labelferry/report/templates/page.html" in names


IGNORING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *sys.argv[1:]])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no such signals")
def test_the_tests_do_not_depend_on_the_signals_of_the_parent():
    """A shell starts jobs in the background with SIGINT ignored, nohup with SIGHUP ignored."""
    inner = "tests/cli/test_main.py::test_a_process_that_is_ended_leaves_no_file"
    command = [sys.executable, "-c", IGNORING, "-o", "addopts=-q", inner]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout
