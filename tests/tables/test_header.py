"""A file without a header: its first document must not be lost in silence, and an error must name the cause."""

import pytest

from labelferry.tables import choose_columns, choose_text, read_table
from labelferry.tables.formats.header import looks_like_data

OLD = "My invoice is wrong,billing\nThe printer is broken,technical\nPlease refund me,billing\nNo wifi,billing\n"
NEW = "App crashes when I open it\nI was charged twice\nCannot log in\n"
HINT = "the first row looks like a document, not like names of columns"
WAY_OUT = "Write a header above it, such as text,label."


def table(folder, content, name):
    (folder / name).write_text(content, encoding="utf-8")
    return read_table(folder / name)


@pytest.mark.parametrize(
    "columns",
    [
        {"My invoice is wrong": ["No wifi", "Refund"], "billing": ["billing", "billing"]},
        {"App crashes when I open it": ["I was charged twice"]},
        {"2024-05-01": ["2024-05-02", "2024-06-01"], "No wifi": ["Refund", "Login"]},
        {"T-1001": ["T-1002", "T-1003", "T-1004"], "No wifi": ["Refund", "Login", "Pay"]},
        {"ann@example.org": ["bob@example.org", "eve.x@example.com"], "No wifi": ["Refund", "Login"]},
        {"No wifi since I moved to my new flat.": ["Refund"]},
        {"7": ["8", "9"], "No wifi": ["Refund", "Login"]},
    ],
)
def test_rows_of_data(columns):
    assert looks_like_data(columns)


@pytest.mark.parametrize(
    "columns",
    [
        {"text": ["I was charged twice"], "label": ["billing"]},
        {"ticket text": ["I was charged twice"], "team": ["billing"]},
        {"What do you like about our product?": ["The price", "Nothing"]},
        {"What do you like about it": ["The price", "Nothing"], "How did you find us": ["web", "web"]},
        {"q1": ["yes", "no"], "q2": ["no", "no"]},
        {"2023": ["120", "90"], "body": ["a", "b"]},
        {"column1": ["a", "b"], "column2": ["c", "d"]},
        {"Message body": []},
    ],
)
def test_names(columns):
    assert not looks_like_data(columns)


def test_errors_about_columns_have_the_hint(tmp_path):
    old, new = table(tmp_path, OLD, "old.csv"), table(tmp_path, NEW, "new.csv")
    good_old, good_new = table(tmp_path, f"text,label\n{OLD}", "a.csv"), table(tmp_path, f"text\n{NEW}", "b.csv")
    for source, target, given in (
        (old, new, {}),
        (old, good_new, {}),
        (good_old, new, {}),
        (old, good_new, {"text": "text"}),
        (good_old, new, {"text": "text"}),
        (old, old, {"text": "My invoice is wrong"}),  # which column is the label?
        (new, good_new, {}),  # a source of one column
    ):
        with pytest.raises(ValueError, match=HINT) as error:
            choose_columns(source, target, **given)
        assert str(error.value).count(HINT) == len({one.name for one in (source, target)} & {old.name, new.name})
        assert WAY_OUT in str(error.value)
    with pytest.raises(ValueError, match=HINT):
        choose_text(new, "text", (), [])


def test_errors_about_files_with_a_header_have_no_hint(tmp_path):
    old, new = table(tmp_path, f"text,label\n{OLD}", "a.csv"), table(tmp_path, f"ticket\n{NEW}", "b.csv")
    with pytest.raises(ValueError, match="no column in common") as error:
        choose_columns(old, new)
    assert HINT not in str(error.value)
    assert "'text', 'label'" in str(error.value)
    assert "'ticket'" in str(error.value)


def test_a_first_document_that_is_a_name_is_shown(tmp_path):
    """Two words may be a name: nothing tells them apart, so the error lists the names."""
    old, new = table(tmp_path, f"text,label\n{OLD}", "a.csv"), table(tmp_path, "Login broken\nNo wifi\n", "b.csv")
    with pytest.raises(ValueError, match="'Login broken'"):
        choose_columns(old, new)


def test_a_detected_text_column_has_the_message(tmp_path):
    new, messages = table(tmp_path, NEW * 3, "new.csv"), []
    assert choose_text(new, None, (), messages) == ("App crashes when I open it",)
    assert HINT in new.messages[0]
