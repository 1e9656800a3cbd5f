"""Fixtures of several files: a small job with its page, and the tickets of the demo with their labels."""

import pytest

import labelferry
from tests.review_jobs import write_job
from tests.tickets import new, old, write_csv


@pytest.fixture
def job(tmp_path):
    """A job that was written without fitting a method."""
    write_job(tmp_path / "job.ferry")
    with labelferry.open_job(tmp_path / "job.ferry") as job:
        yield job


@pytest.fixture
def site(job):
    """The page of this job."""
    from labelferry.review.server import Site
    from labelferry.review.server.sessions import Sessions

    return Site(job, "job.ferry", Sessions("Ada"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The tickets of the demo with two rows that cannot be labelled, one of them in the middle."""
    folder = tmp_path_factory.mktemp("usable")
    write_csv(folder / "old.csv", old())
    target = new()
    for row, text in ((7, ""), (40, "xyzzy")):
        target["text"] = [*target["text"][:row], text, *target["text"][row + 1 :]]
    write_csv(folder / "new.csv", target)
    return folder


@pytest.fixture(scope="module")
def result(folder):
    """The labels of these tickets."""
    return labelferry.label(folder / "old.csv", folder / "new.csv")
