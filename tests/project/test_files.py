"""Files that are written completely or not at all."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from labelferry.files import PREFIX, SUFFIX, _remove_abandoned, atomic_write, open_atomic, write_text

WRITER = """
import sys, time
from labelferry.files import open_atomic
with open_atomic(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""

INTERRUPTED = """
import sys
from labelferry import files
files._lock = lambda handle: sys.exit(7)  # the temporary file is created, and not yet known to its writer
files.write_text(sys.argv[1], "text")
"""


@pytest.fixture(autouse=True)
def forget_folders():
    _remove_abandoned.cache_clear()
    yield
    _remove_abandoned.cache_clear()


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def drafts(folder):
    return list(folder.glob(f"{PREFIX}*{SUFFIX}"))


def start_writer(path):
    process = subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "writing\n"
    return process


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_new_file_follows_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        write_text(tmp_path / "new.txt", "text")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new.txt") == 0o666 & ~umask


def test_a_replaced_file_keeps_its_permissions_and_is_private_while_it_is_written(tmp_path):
    path = tmp_path / "private.txt"
    path.write_text("old")
    path.chmod(0o640)
    with open_atomic(path) as file:
        file.write(b"new")
        assert [mode(draft) for draft in drafts(tmp_path)] == [0o600]
    assert path.read_text() == "new"
    assert mode(path) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_the_longest_name_that_the_system_allows_can_be_written(tmp_path):
    name = "x" * 251 + ".csv"
    write_text(tmp_path / name, "text")
    assert (tmp_path / name).read_text() == "text"


def test_after_an_error_the_old_content_is_there_and_nothing_else(tmp_path):
    def fail():
        with atomic_write(tmp_path / "file.txt") as draft:
            draft.write_text("half")
            raise RuntimeError

    write_text(tmp_path / "file.txt", "old")
    with pytest.raises(RuntimeError):
        fail()
    assert (tmp_path / "file.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_the_next_process_removes_what_a_killed_one_left_and_nothing_of_a_running_one(tmp_path):
    killed, running = start_writer(tmp_path / "a.txt"), start_writer(tmp_path / "b.txt")
    try:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert len(drafts(tmp_path)) == 2
        write_text(tmp_path / "c.txt", "text")
        assert [draft.read_text() for draft in drafts(tmp_path)] == ["half"]
    finally:
        running.kill()
        running.wait()
    _remove_abandoned.cache_clear()
    write_text(tmp_path / "c.txt", "text")
    assert os.listdir(tmp_path) == ["c.txt"]


def test_a_signal_directly_after_a_temporary_file_is_created_leaves_nothing(tmp_path):
    process = subprocess.run([sys.executable, "-c", INTERRUPTED, tmp_path / "a.txt"], check=False)
    assert process.returncode == 7
    assert os.listdir(tmp_path) == []


def test_of_two_writers_the_last_complete_file_stays(tmp_path):
    path = tmp_path / "file.txt"
    with open_atomic(path) as first:
        first.write(b"first")
        write_text(path, "second")
    assert path.read_text() == "first"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_without_locks_files_are_written_and_nothing_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr("labelferry.files.fcntl", None)
    abandoned = tmp_path / f"{PREFIX}0{SUFFIX}"
    abandoned.touch()
    write_text(tmp_path / "file.txt", "text")
    assert sorted(os.listdir(tmp_path)) == [abandoned.name, "file.txt"]
