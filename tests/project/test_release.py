"""What a release contains: the list of its software, and a container whose files, locks and commands exist."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from email import message_from_bytes

import pytest

from ..browsing import starting
from ..pages import ROOT, read
from ..review_jobs import write_job

CONTAINERFILE = re.sub(r"\\\n\s*", "", read("Containerfile"))
COPIES = [line.split()[1:] for line in CONTAINERFILE.splitlines() if re.match("COPY (?!--from)", line)]


def instruction(name):
    """The JSON list of an instruction of the Containerfile."""
    return json.loads(re.search(rf"^{name} (\[.*\])$", CONTAINERFILE, flags=re.M)[1])


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A folder with the files that the Containerfile copies, and nothing else."""
    folder = tmp_path_factory.mktemp("build")
    for *sources, target in COPIES:
        for source in sources:
            assert (ROOT / source).exists(), source
            place = folder / target if (ROOT / source).is_dir() else folder / target / (ROOT / source).name
            place.parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
            copy(ROOT / source, place)
    return folder


@pytest.fixture(scope="module")
def wheel(copied, tmp_path_factory):
    """The wheel of the copied files."""
    pytest.importorskip("hatchling", reason="needs hatchling")
    pytest.importorskip("hatch_fancy_pypi_readme", reason="needs hatch-fancy-pypi-readme")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=copied)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_files_of_the_container_are_enough_to_build_a_wheel(wheel):
    assert "labelferry/review/server/static/review.css" in wheel.namelist()
    assert not [name for name in wheel.namelist() if "/sboms/" in name]  # nothing bundled, nothing to list


def test_the_page_on_pypi_has_no_relative_link_and_says_how_to_install(wheel):
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = message_from_bytes(wheel.read(name))
    page = metadata.get_payload()
    (source,) = (url.split(", ")[1] for url in metadata.get_all("Project-URL") if url.startswith("Source, "))
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", page)
    assert len(links) == page.count("](") > 10
    assert [link for _, link in links if not link.startswith("https://")] == []
    ours = {link.removeprefix(f"{source}/") for _, link in links if link.startswith(source)}
    assert {"raw/main/docs/review-usable.png", "blob/main/docs/tables.md", "blob/main/CONTRIBUTING.md"} <= ours
    for picture, link in links:
        if link.startswith(source):
            kind, path = link.removeprefix(f"{source}/").split("/main/")
            assert kind == ("raw" if picture else "blob")
            assert (ROOT / path.split("#")[0]).exists(), path
    assert "Not on PyPI" not in page
    assert re.search(r'`pip install "labelferry\[all\]"`', page)


def test_the_container_installs_locked_versions_only():
    installs = re.findall(r"pip install (.*)", CONTAINERFILE)
    assert len(installs) == 2
    assert "--require-hashes -r lock/review.txt" in installs[0]
    assert {"--no-deps", "--no-build-isolation"} <= set(installs[1].split())


@pytest.mark.slow
def test_the_command_of_the_container_serves_the_page(tmp_path, monkeypatch):
    httpx = pytest.importorskip("httpx", reason="needs httpx")
    monkeypatch.setenv("LABELFERRY_PASSWORD", "correct horse")
    command, job, *options = instruction("CMD")
    assert instruction("ENTRYPOINT") == ["/opt/labelferry/bin/labelferry"]
    assert command == "review"
    port = options[options.index("--port") + 1]
    assert f"EXPOSE {port}" in CONTAINERFILE
    options[options.index("--port") + 1] = "0"  # a free one
    options.remove("--no-browser")  # which `starting` adds
    write_job(tmp_path / job)
    with starting() as start:
        server = start(tmp_path / job, *options)
        page = httpx.get(f"http://127.0.0.1:{server.url.rpartition(':')[2]}", follow_redirects=True)
        assert page.url.path == "/login"


def test_a_wheel_of_a_release_lists_its_software(tmp_path, monkeypatch):
    """CycloneDX in dist-info/sboms, by the hook of the build and the script of `make dist`."""
    pytest.importorskip("cyclonedx", reason="needs cyclonedx-python-lib: lock/release.txt")
    vega = tmp_path / "vega.js"
    vega.write_text("charts")
    monkeypatch.setattr("labelferry.report.vega.PATH", vega)
    bom = runpy.run_path(str(ROOT / "release" / "sbom.py"))["bill_of_materials"]()
    found = {component.name: component for component in bom.components}
    assert set(found) == {"labelferry/report/templates/vega.js", "vega", "vega-lite", "vega-embed"}
    assert all(c.version and c.licenses and c.purl for name, c in found.items() if "/" not in name)
    assert bom.validate()
    assert bom.metadata.component.name == "labelferry"


def test_the_hook_adds_the_list_if_it_is_there(tmp_path):
    hooks = pytest.importorskip("hatchling.builders.hooks.plugin.interface", reason="needs hatchling")
    module = runpy.run_path(str(ROOT / "release" / "hatch_build.py"))
    (hook,) = (v for v in module.values() if isinstance(v, type) and v.__mro__[1] is hooks.BuildHookInterface)
    one, build_data = hook(str(tmp_path), {}, None, None, str(tmp_path), "wheel"), {"sbom_files": []}
    one.initialize("standard", build_data)
    assert build_data["sbom_files"] == []
    (tmp_path / "release").mkdir()
    (tmp_path / module["SBOM"]).write_text("{}")
    one.initialize("standard", build_data)
    assert build_data["sbom_files"] == [module["SBOM"]]
    assert module["SBOM"] in read("pyproject.toml")  # and in the source archive
