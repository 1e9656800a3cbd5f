"""Percentages: a guarantee is never shown better than it is, at any door."""

from math import ceil, floor

import numpy as np
import pytest

from labelferry.certificate.interval import percent, span
from labelferry.report.page import render_page
from labelferry.review.sample import find_text, usable_text

SHARES = [*np.random.default_rng(0).random(400).tolist(), *(k / 1000 for k in range(1001)), 0.9996, 0.0004, 0.94996]


def value(text):
    return float(text.removesuffix("%")) / 100


@pytest.mark.parametrize("digits", [None, 0, 1])
def test_rounding(digits):
    for share in SHARES:
        low, near, high = (value(percent(share, way, digits)) for way in (floor, round, ceil))
        assert low <= share + 1e-9
        assert high >= share - 1e-9
        assert low <= near <= high
        assert abs(near - share) <= 0.005 + 1e-9


def test_the_text_about_labels_to_use():
    for share in SHARES:
        assert value(usable_text.at_most(share)) >= share - 1e-9
        assert value(usable_text.confidence(share)) <= share + 1e-9


def test_the_review_page():
    """Before: a confidence of 99.6% was shown as 100%."""
    pages = pytest.importorskip("labelferry.review.server.pages", reason="needs starlette")
    for share in SHARES:
        assert value(pages.at_least(share)) <= share + 1e-9 <= value(pages.at_most(share)) + 2e-9
    templates = pages.environment()
    band = templates.get_template("parts.html").module.band
    assert "with 99.6% confidence" in band({"low": 0.5, "estimate": 0.55, "high": 0.6}, "x", "Correct", 0.9965)


def test_documents_that_need_not_be_read():
    """Before: 1,997 of 2,000 documents were shown as 100% of the file, and 1,913 as 96%."""
    done = {"recall": 0.95, "done": True, "n_read": 87, "n": 2000}
    assert "1,913 documents (95% of the file) need not be read" in find_text.goal(done)


def test_estimates_on_the_report_are_rounded_outward():
    report = {"estimated_accuracy": {"mean": 0.784, "low": 0.588, "high": 0.9812}}
    page = " ".join(render_page(report).split())
    assert '<dd>78%</dd> <dd class="note">58% to 98.2%</dd>' in page


def test_a_range_of_one_number():
    assert span(0.95, 0.95) == "95%"
