"""The report page without a browser: escaping, missing sections, size and content policy."""

import json
import os
import re
import sys
from base64 import b64encode
from copy import deepcopy
from hashlib import sha256
from html.parser import HTMLParser
from importlib.util import find_spec
from itertools import pairwise

import numpy as np
import pytest

from labelferry.assessment import verdict
from labelferry.files import write_text
from labelferry.report import page as page_module
from labelferry.report import vega
from labelferry.report.charts import N_COLORS, NO_CLASS_CODE, class_legend, domain_legend, make_charts
from labelferry.report.page import render_card, render_page

from ..example_report import HOSTILE, HOSTILE_CLASS, HOSTILE_WORD, SCRIPT, example_report

VOID = {"meta", "link", "br", "hr", "img", "input"}
SECTIONS = (
    *("classes", "none-of-these", "documents", "projection", "confidence", "words"),
    *("difference", "comparison", "settings"),
)
CARD_TAGS = {"div", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "bdi"}


class Reader(HTMLParser):
    """What a browser reads: tags with their attributes, texts, and the contents of scripts."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.texts, self.scripts = [], [], [], []
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open[-1:] == ["script"] else self.texts).append(data)

    def attributes(self, name):
        return [attrs[name] for _, attrs in self.tags if name in attrs]


@pytest.fixture(scope="module")
def page():
    return render_page(example_report())


@pytest.fixture(scope="module")
def reader(page):
    return Reader(page)


@pytest.fixture
def small():
    """The example with a handful of points."""
    report = deepcopy(example_report())
    del report["projection"]["points"][10:]
    return report


def test_texts_of_documents_are_escaped(reader):
    names = {tag for tag, _ in reader.tags}
    assert not names & {"img", "b", "textarea", "iframe", "object", "base", "form"}
    assert not [attrs for _, attrs in reader.tags if any(name.startswith("on") for name in attrs)]
    shown = "\n".join(reader.texts)
    for text in (*HOSTILE[:7], HOSTILE_CLASS, HOSTILE_WORD):
        assert text in shown
    assert "49 $" not in shown  # a template in a text is not run


def test_json_in_scripts_cannot_end_them(page):
    assert json.loads(re.search(r'id="classes-of-page">(.*?)</script>', page)[1])[-1] == HOSTILE_CLASS
    specs = re.findall(r'<script type="application/json" id="spec-(\w+)">(.*?)</script>', page, re.DOTALL)
    assert [name for name, _ in specs] == ["projection", "confidence", "changed_words"]
    for _, text in specs:
        assert not set(text) & set("<>&\u2028\u2029\x00")
    shown = {row["text"] for row in json.loads(dict(specs)["projection"])["datasets"]["rows"]}
    assert {text for text in HOSTILE if text.isascii() and len(text) <= 200} <= shown
    assert HOSTILE[2] in shown


def test_policy_allows_only_the_scripts_of_the_page(page, reader):
    policy = next(content for content in reader.attributes("content") if "default-src" in content)
    assert reader.attributes("http-equiv") == ["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "http" not in policy
    blocks = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", page, re.DOTALL)
    hashes = [b64encode(sha256(block.encode()).digest()).decode() for block in blocks]
    assert re.findall(r"'sha256-(.*?)'", policy) == hashes[1:] + hashes[:1]


def test_the_page_loads_nothing(reader):
    assert not reader.attributes("src")
    links = set(reader.attributes("href")) - {"data:,"}
    assert links == {f"#{id_}" for id_ in SECTIONS}
    assert not re.search(r"@import|url\(", page_module._source("page.css"))


def test_the_chart_library_cannot_end_its_script():
    assert not re.search(r"</script|<!--|<script", vega.chart_library(), re.IGNORECASE)


def test_the_chart_library_is_a_file_of_the_package_or_made_by_vl_convert(tmp_path, monkeypatch):
    monkeypatch.setattr(vega, "PATH", tmp_path / "vega.js")
    read = vega.chart_library.__wrapped__
    if find_spec("vl_convert"):
        assert "window.vegaEmbed" in read()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert read() is None
    vega.PATH.write_text("window.vegaEmbed = 1;", encoding="utf-8")
    assert read() == "window.vegaEmbed = 1;"


def test_without_the_chart_library_the_page_says_how_to_get_charts(page, monkeypatch):
    """One sentence. Every section stays whose content is not only a chart, and no chart is left to draw."""
    assert vega.NO_CHARTS not in page
    monkeypatch.setattr(page_module, "chart_library", lambda: None)
    bare = Reader(render_page(example_report()))
    assert bare.texts.count(vega.NO_CHARTS) == 1
    ids = set(bare.attributes("id"))
    assert ids & set(SECTIONS) == set(SECTIONS) - {"projection", "words"}
    assert not [id_ for id_ in ids if id_.startswith("spec-")]
    without_charts = {key: value for key, value in example_report().items() if key not in make_charts(example_report())}
    assert vega.NO_CHARTS not in render_page(without_charts)


def test_headings_ids_and_language(reader):
    levels = [int(tag[1]) for tag, _ in reader.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = reader.attributes("id")
    assert len(ids) == len(set(ids))
    assert set(reader.attributes("aria-labelledby")) <= set(ids)
    assert ("html", {"lang": "en"}) in reader.tags
    charts = [attrs for _, attrs in reader.tags if "data-chart" in attrs]
    assert len(charts) == 3
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in charts)


def test_order_of_the_sections(reader):
    sections = [attrs["id"] for tag, attrs in reader.tags if tag == "section"]
    assert sections == ["verdict", "story", *SECTIONS]


def test_every_level_has_a_title():
    assert list(page_module.LEVELS) == list(verdict.LEVELS)


@pytest.mark.parametrize("level", page_module.LEVELS)
def test_a_verdict_has_a_title_and_an_icon(level):
    reader = Reader(render_page({"verdict": {"level": level}}))
    assert page_module.LEVELS[level] in reader.texts
    assert "icon" in reader.attributes("class")


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_sections_may_be_missing(small, how, monkeypatch):
    charts = make_charts(small)  # once; another test is about missing rows of charts
    monkeypatch.setattr(page_module, "make_charts", lambda report: {k: v for k, v in charts.items() if report.get(k)})
    for key in list(small):
        report = dict(small)
        if how == "missing":
            del report[key]
        else:
            report[key] = None if not isinstance(small[key], list | dict) else type(small[key])()
        shown = " ".join(Reader(render_page(report)).texts)
        assert "None" not in shown
        assert "Undefined" not in shown


def test_an_empty_report_is_a_page():
    page = render_page({})
    assert len(page) < 20_000  # no chart, so no library
    assert any("script-src 'none'" in content for content in Reader(page).attributes("content"))


def test_values_in_sections_may_be_missing(small):
    del small["settings"]  # the user chooses its keys
    for key, value in small.items():
        rows = value if isinstance(value, list) else [value]
        for name in {name for row in rows if isinstance(row, dict) for name in row}:
            kept = [{k: v for k, v in row.items() if k != name} for row in rows]
            shown = " ".join(Reader(render_page({key: kept if isinstance(value, list) else kept[0]})).texts)
            assert "None" not in shown
            assert "Undefined" not in shown


def test_points_and_bins_with_missing_values_are_omitted():
    points = [{"x": 1.0, "y": 2.0}, {"x": None, "y": 1.0}, {"y": 1.0}]
    charts = make_charts({"projection": {"points": points}, "confidence": {"bins": [{"from": 0.5, "to": 0.6}]}})
    assert list(charts) == ["projection"]
    assert len(charts["projection"]["datasets"]["rows"]) == 1


@pytest.mark.parametrize("letter", ["x", "<", "ж", "語"])
def test_two_thousand_documents_fit_in_three_megabytes(small, letter):
    point = small["projection"]["points"][0]
    small["projection"]["points"] = [{**point, "text": letter * 1000} for _ in range(2000)]
    size = len(render_page(small).encode())
    assert size < (4 if letter == "<" else 3) * 2**20  # each < is written as six letters


def test_rare_classes_share_a_color():
    points = [{"label": f"class {c}", "domain": "target"} for c in range(12) for _ in range(c + 1)]
    legend = class_legend(points)
    assert len(legend) == N_COLORS
    assert legend[0].name == "class 11"
    assert legend[-1] == ("5 other labels", "--class-other", 15, N_COLORS)
    assert sum(entry.documents for entry in legend) == len(points)


def test_every_domain_has_a_shape_and_the_target_is_first():
    legend = domain_legend([{"domain": name} for name in ("a.csv", "target", "b.csv", "a.csv")])
    assert [(entry.name, entry.documents, entry.code) for entry in legend] == [
        ("target", 1, 0),
        ("a.csv", 2, 1),
        ("b.csv", 1, 2),
    ]
    assert len({entry.look for entry in legend}) == 3


def test_the_list_of_documents_is_limited(small):
    rows = small["documents"]["rows"][:1] * 450
    numbers = {"to_review": 500, "to_review_listed": 300, "others": 900, "others_listed": 100}
    reader = Reader(render_page({"documents": {**small["documents"], **numbers, "rows": rows}}))
    assert reader.attributes("data-name").count("Record") == page_module.MAX_DOCUMENTS
    shown = " ".join(" ".join(reader.texts).split())
    assert "the 300 least certain of 500" in shown
    assert "100 of 900 others" in shown


def test_the_map_states_how_many_documents_are_drawn(reader):
    shown = " ".join(" ".join(reader.texts).split())
    assert "360 of 1,500 drawn" in shown
    assert "720 of 1,860 documents are drawn" in shown


def test_documents_that_resemble_no_class_have_a_color():
    points = [{"label": "a", "none_of_these": i < 2} for i in range(5)]
    assert [(entry.name, entry.documents) for entry in class_legend(points)] == [("a", 3), ("may fit no class", 2)]
    rows = make_charts({"projection": {"points": [{**point, "x": 0.0, "y": 1.0} for point in points]}})
    codes = [row["c"] for row in rows["projection"]["datasets"]["rows"]]
    assert codes == [NO_CLASS_CODE, NO_CLASS_CODE, 0, 0, 0]


def test_the_story_replaces_the_reasons(small):
    shown = " ".join(Reader(render_page(small)).texts)
    assert "About 95% of the labels are correct." in shown
    assert "labelferry audit 'a & b.csv' -o sample.csv" in shown
    assert "Two methods that work differently" not in shown
    del small["story"]
    assert "Two methods that work differently" in " ".join(Reader(render_page(small)).texts)


def test_the_classes_have_one_share_each_and_no_column_without_meaning(small):
    n = small["n_target"]
    for below, says in ((0, False), (n, False), (n // 2, True)):
        small["confidence"]["below"] = below
        page = render_page(small)
        assert ('data-name="To review"' in page) is says
    cells = re.findall(r'data-name="Share">(.*?)</td>', page, flags=re.S)
    assert [re.sub("<.*?>", "", cell).count("%") for cell in cells] == [1] * len(small["classes"])


def test_no_risk_and_no_kappa(page):
    body = page.partition("<body>")[2].partition("<script")[0].lower()
    assert not re.search(r"\brisk\b|kappa|divergence", body)


@pytest.mark.parametrize(
    ("pieces", "length", "beginning"),
    [
        ([["one two three", False]], 100, [["one two three", False]]),
        ([["one two three", False]], 9, [["one two…", False]]),
        ([["onetwothree", False]], 5, [["onetw…", False]]),
        ([["one ", False], ["two", True], [" three", False]], 8, [["one ", False], ["two", True], [" …", False]]),
        ([], 5, []),
    ],
)
def test_preview_ends_between_words(pieces, length, beginning):
    shown = page_module.preview(pieces, length)
    assert [[text.replace(" …", "…"), mark] for text, mark in shown] == [
        [text.replace(" …", "…"), mark] for text, mark in beginning
    ]


@pytest.mark.parametrize(
    ("report", "message"),
    [
        ({"estimated_accuracy": {"mean": float("nan")}}, "replace NaN by None"),
        ({"n_source": np.int64(3)}, "plain JSON values only"),
        ({"verdict": {"level": "fine"}}, "one of safe, doubtful, unsafe; got 'fine'"),
    ],
)
def test_errors(report, message):
    with pytest.raises(ValueError, match=message):
        render_page(report)


def test_a_page_is_written_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    write_text(path, render_page({"title": "first"}))
    assert "first" in path.read_text(encoding="utf-8")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_text(path, render_page({"title": "second"}))
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert "first" in path.read_text(encoding="utf-8")


def test_half_a_surrogate_pair_is_replaced():
    assert "half ?" in render_page(
        {"title": "half \ud83d", "documents": {"rows": [{"row": 1, "pieces": [[SCRIPT + "\udc00", False]]}]}}
    )
    assert "half ?" in render_card({"title": "half \ud83d"})


def test_card_escapes_names_and_texts():
    reader = Reader(render_card(example_report()))
    assert {tag for tag, _ in reader.tags} == CARD_TAGS
    assert {name for _, attrs in reader.tags for name in attrs} <= {"style", "scope"}
    shown = "\n".join(reader.texts)
    assert HOSTILE_CLASS in shown
    assert SCRIPT in shown
    for row in example_report()["classes"]:
        assert f"{row['source']:,}" in reader.texts
        assert f"{row['target']:,}" in reader.texts


@pytest.mark.parametrize("level", [*page_module.LEVELS, None])
def test_card_has_the_title_of_the_level(level):
    shown = " ".join(Reader(render_card({"verdict": {"level": level, "sentence": "Check a sample."}})).texts)
    assert page_module.LEVELS.get(level, "Verdict") in shown
    assert "Check a sample." in shown


def test_every_value_of_a_card_may_be_missing(small):
    for key in list(small):
        for report in ({name: value for name, value in small.items() if name != key}, {key: small[key]}):
            shown = " ".join(Reader(render_card(report)).texts)
            assert "None" not in shown
            assert "Undefined" not in shown
    assert Reader(render_card({})).texts
    with pytest.raises(ValueError, match="got 'fine'"):
        render_card({"verdict": {"level": "fine"}})
