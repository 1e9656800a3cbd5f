"""Rows: a RowIndex and its slow twin, and every line of a file in the output, once, in order, with one outcome."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import labelferry
from labelferry.tables.row_index import RowIndex

from .. import tickets

masks = st.lists(st.booleans(), min_size=1, max_size=30)


@given(mask=masks, data=st.data())
def test_widen_narrow_and_positions_equal_a_loop(mask, data):
    index = RowIndex.where(mask)
    rows = [row for row, inside in enumerate(mask) if inside]
    values = [f"value {row}" for row in rows]
    assert index.rows.tolist() == rows
    assert index.is_all == all(mask)
    assert index.others.tolist() == [row for row, inside in enumerate(mask) if not inside]
    assert RowIndex.without(index.others, len(mask)).rows.tolist() == rows
    assert index.widen(values, "") == [f"value {row}" if inside else "" for row, inside in enumerate(mask)]
    assert index.widen_array(np.array(rows), -1).tolist() == [r if inside else -1 for r, inside in enumerate(mask)]
    asked = data.draw(st.lists(st.sampled_from(range(len(mask))), unique=True))
    assert index.contains(asked).tolist() == [row in rows for row in asked]
    some = sorted(row for row in asked if row in rows)
    assert index.positions(some).tolist() == [rows.index(row) for row in some]
    assert index.then(index.positions(some)).rows.tolist() == some
    assert index.numbers.tolist() == [row + 1 for row in rows]
    for row in asked:
        if row in rows:
            assert index.position_of(f" {row + 1}", "line 2") == rows.index(row)
        else:
            with pytest.raises(ValueError, match=f"line 2: row {row + 1} has no predicted label"):
                index.position_of(row + 1, "line 2")


@pytest.mark.parametrize("cell", ["0", "-1", "x", "", "1.5", "5"])
def test_a_number_of_no_row_is_an_error(cell):
    with pytest.raises(ValueError, match=r"line 2: row must be a number from 1 to 4; got .*\. Restore it\."):
        RowIndex([0, 2], 4).position_of(cell, "line 2")


KINDS = ("document", "no text", "no known word", "unreadable")  # of a line of the new file


def fields(i, kind, label):
    """The fields of a line; one that cannot be read has a field too many."""
    text = tickets.demo().texts_target[i].replace(",", " ").replace('"', " ")
    texts = {"no text": "", "no known word": f"zz{'abcdefghijklmnop'[i]}yzx"}
    return [str(i), texts.get(kind, text), *label, *["one more"] * (kind == "unreadable")]


@pytest.fixture(scope="module")
def old_file(tmp_path_factory):
    return tickets.write_csv(tmp_path_factory.mktemp("old") / "old.csv", tickets.old(6))


@settings(max_examples=12, deadline=None)
@given(
    lines=st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(["", "billing"])), max_size=12),
    is_half_labelled=st.booleans(),
)
def test_every_line_is_in_the_output_once_in_order_and_has_one_outcome(
    old_file, tmp_path_factory, lines, is_half_labelled
):
    """Exactly one of: a predicted label, a reason to have none, a label that was given."""
    folder = tmp_path_factory.mktemp("rows")
    lines = [("document", ""), *lines]
    rows = [fields(i, kind, [label] * is_half_labelled) for i, (kind, label) in enumerate(lines)]
    expected = ["given" if is_half_labelled and label and kind != "unreadable" else kind for kind, label in lines]
    if is_half_labelled:
        old = tickets.read_csv(old_file)
        rows += [
            [f"old {i}", text.replace(",", " "), name] for i, (text, name) in enumerate(zip(*old.values(), strict=True))
        ]
        expected += ["given"] * len(old["text"])
    header = ["id", "text", *["label"] * is_half_labelled]
    new = folder / "new.csv"
    new.write_text("".join(",".join(row) + "\n" for row in [header, *rows]), encoding="utf-8")
    documents = (new, None) if is_half_labelled else (old_file, new)
    result = labelferry.label(*documents, method="sourcelr", skip_bad=True, text="text", label="label")
    result.write(folder / "out.csv")
    written = tickets.read_csv(folder / "out.csv")
    assert len(written["label"]) == len(result.labels) == len(rows)
    nothing = [""] * len(rows)
    columns = zip(*(written.get(name, nothing) for name in ("label", "reason", "origin", "unreadable")), strict=True)
    for i, (label, reason, origin, unreadable) in enumerate(columns):
        is_given = origin == "given"
        assert [bool(label) and not is_given, bool(reason), is_given].count(True) == 1
        assert expected[i] in {"given" if is_given else "document" if label else reason, "unreadable"}
        if expected[i] == "unreadable":
            assert unreadable == ",".join(rows[i])
            assert "fields where the header has" in reason
        else:
            assert written["id"][i] == rows[i][0]
