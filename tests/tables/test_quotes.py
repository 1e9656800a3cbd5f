"""One damaged row of a CSV file costs one row, and quoted cells of several lines are read as they are written."""

import csv
import io
import random
import time
from collections import Counter

import pytest

from labelferry.tables import read_table

WORDS = ["the", "invoice", "is", "wrong", "again", "please", "help", "monitor", "24", "inch", "screen", "broken"]
HEADER = "text,number,label\n"


def text_of(rng, *, quoted):
    """A text; if cells may be quoted, with commas, quotes and line ends."""
    added = ["{}"] * 20 + (["{},"] * 2 + ['"{}"', "{}\n", "{}\n\n", "\n{}", ",{}"]) * quoted
    return " ".join(rng.choice(added).format(rng.choice(WORDS)) for _ in range(rng.randint(1, 12)))


def written(row, quoting):
    if quoting is None:
        return ",".join(row) + "\n"
    file = io.StringIO(newline="")
    csv.writer(file, quoting=quoting, lineterminator="\n").writerow(row)
    return file.getvalue()


def damaged(rng, record):
    """A record with a quote too many or too few."""
    quotes = [i for i, character in enumerate(record) if character == '"']
    if quotes and rng.random() < 0.5:
        place = rng.choice(quotes)
        return record[:place] + record[place + 1 :]
    place = rng.choice([0, rng.randrange(len(record))])
    return record[:place] + '"' + record[place:]


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL, None], ids=["all", "minimal", "none"])
def test_no_row_is_lost_but_the_damaged_one(tmp_path, quoting):
    for seed in range(100):
        rng = random.Random(seed)
        rows = [
            [f"{text_of(rng, quoted=quoting is not None)} row {i}", str(rng.randint(1, 9)), rng.choice("abc")]
            for i in range(rng.randint(5, 60))
        ]
        records = [written(row, quoting) for row in rows]
        bad = rng.randrange(len(rows))
        records[bad] = damaged(rng, records[bad])
        path = tmp_path / "x.csv"
        path.write_text(HEADER + "".join(records), newline="")
        table = read_table(path, skip_bad=True)
        good = Counter(map(tuple, rows[:bad] + rows[bad + 1 :]))
        assert not good - Counter(zip(*table.columns.values(), strict=True)), seed


def test_a_stray_quote_in_a_file_without_quotes(tmp_path):
    lines = [f"the door {i} is broken again,{'ab'[i % 2]}\n" for i in range(360)]
    lines[4] = '"' + lines[4]
    path = tmp_path / "x.csv"
    path.write_text("text,label\n" + "".join(lines))
    table = read_table(path, skip_bad=True)
    assert [row[:2] for row in table.bad] == [(6, "a quote is opened and never closed")]
    assert list(table.lines) == [*range(2, 6), *range(7, 362)]
    with pytest.raises(ValueError, match=r"line 6: a quote is opened and never closed\. Fix the row"):
        read_table(path)


ADDRESS = "Dear sir,\nplease help, thanks\nMain Street 5, Springfield\n\nRegards, Bob"


@pytest.mark.parametrize(
    "text",
    [ADDRESS, "sku,amount\na1,5\nb2,6\nc3,7\nd4,8", '"quoted", he said\n"twice"', ",\n,\n,", "\n", "x\n\n\n,y"],
)
def test_quoted_cells_of_several_lines_are_read(tmp_path, text):
    rows = [["first", "a"], [text, "b"], ["second", "a"], [text, "a"], ["third", "b"]]
    path = tmp_path / "x.csv"
    path.write_text("text,label\n" + "".join(written(row, csv.QUOTE_MINIMAL) for row in rows), newline="")
    table = read_table(path)
    assert [list(row) for row in zip(*table.columns.values(), strict=True)] == rows


@pytest.mark.parametrize(
    ("content", "texts", "bad"),
    [
        ('"Dear "sir,\nplease help\nregards",a\nnext,b\n', ["next"], [2]),  # damage in the first line of a cell
        ('"Dear sir,\nthe "door is\nopen",a\nnext,b\n', ["next"], [2]),  # in the second
        ('"Dear sir"\nplease",a\nnext,b\n', ["next"], [2]),  # a quote before the end of a line
        ('a,b\n"c" d,a\n\nnext,b\ne\n"two\nlines",b\n', ["a", "next", "two\nlines"], [3, 6]),  # two damaged rows
        ('"c,a\nd,b\n"e,a\nf,b\n', ["d", "f"], [2, 4]),
        ("c\nd\ne\nnext,b\n", ["next"], [2, 3, 4]),  # each line is a row without a label
        ('"c" d,a\na 24" screen,b\n', ['a 24" screen'], [2]),  # a quote inside a cell is no damage
        ('"c\0" d,a\nnext,b\n', ["next"], [2]),  # NUL bytes of a damaged row are not those of the next
    ],
)
def test_a_damaged_row_ends_where_full_rows_follow(tmp_path, content, texts, bad):
    path = tmp_path / "x.csv"
    path.write_text("text,label\n" + content, newline="")
    table = read_table(path, skip_bad=True)
    assert table.columns["text"] == texts
    assert [row.line for row in table.bad] == bad


def test_a_closed_cell_that_contains_rows_with_known_labels_is_damage(tmp_path):
    rows = [f"door {i},{'ab'[i % 2]}\n" for i in range(40)]
    rows[20] = '"' + rows[20]
    rows[30] = 'a door of 30",a\n'
    path = tmp_path / "x.csv"
    path.write_text("text,label\n" + "".join(rows))
    table = read_table(path, skip_bad=True)
    assert len(table) == 39
    assert [row.line for row in table.bad] == [22]


@pytest.mark.parametrize(("first", "last"), [(1, 6), (3, 12), (20, 22)])
def test_rows_between_two_stray_quotes_are_not_lost(tmp_path, first, last):
    """Also at the beginning of a file, where no labels are known."""
    rows = [f"screen {i} is broken,{'ab'[i % 2]}\n" for i in range(30)]
    rows[first] = '"' + rows[first]
    rows[last] = 'a screen of 24",a\n'
    path = tmp_path / "x.csv"
    path.write_text("text,label\n" + "".join(rows))
    table = read_table(path, skip_bad=True)
    assert list(table.lines) == [line for line in range(2, 32) if line != first + 2]
    with pytest.raises(ValueError, match=rf"line {first + 2}: a quote is opened and never closed\. Fix the row"):
        read_table(path)


def test_many_damaged_rows_take_linear_time(tmp_path):
    seconds = []
    for n in (10_000, 40_000):
        path = tmp_path / f"{n}.csv"
        path.write_text("text,label\n" + "a door,b\n" * 9 + ('"a door,b\n' + "a door,b\n" * 9) * (n // 10))
        began = time.perf_counter()
        assert len(read_table(path, skip_bad=True)) == 9 * (n // 10 + 1)
        seconds.append(time.perf_counter() - began)
    assert seconds[1] < 10 * seconds[0]
