"""Files as people have them are read, and written and read again without a change; damaged ones are one line."""

from functools import cache

import pytest

from labelferry.tables import read_table, write_table

from .. import real_files, tickets


@pytest.mark.parametrize("name", real_files.GOOD)
def test_good_files(tmp_path, name):
    greeting, make = real_files.GOOD[name]
    expected = real_files.columns(greeting)
    path = make(tmp_path)
    table = read_table(path)
    is_folder = table.dialect.format == "folder"
    texts = [text.strip("\n") for text in table.columns["text"]]
    assert sorted(texts) == sorted(expected["text"])
    assert table.bad == ()
    if not is_folder:
        assert [value or "" for value in table.columns["note"]] == expected["note"]
        assert list(map(str, table.columns["id"])) == expected["id"]
    if "label" in table.columns:
        pairs = dict(zip(expected["text"], real_files.true_labels(), strict=True))
        assert [pairs[text] for text in texts] == table.columns["label"]
    out = tmp_path / ("out.csv" if is_folder or path.suffix == ".txt" or name.endswith(".csv") else f"out-{path.name}")
    write_table(table, {"new": ["ü"] * len(table)}, out)
    back = read_table(out)
    values = {column: [value or "" for value in values] for column, values in table.columns.items()}
    assert {column: [v or "" for v in back.columns[column]] for column in values} == values
    assert back.columns["new"] == ["ü"] * len(table)
    if table.dialect.format == back.dialect.format != "JSON" and "ü".encode(table.dialect.encoding, "ignore"):
        assert back.dialect == table.dialect


@pytest.fixture(scope="module")
def labels_of_csv(tmp_path_factory):
    """The labels of the plain CSV file, per greeting in its texts; and the labelled file."""
    folder = tmp_path_factory.mktemp("plain")
    source = tickets.write_csv(folder / "labelled.csv", tickets.old(3))

    @cache
    def labels(greeting):
        target = tickets.write_csv(folder / "new.csv", real_files.columns(greeting))
        result = real_files.label(source, target, folder / "out.csv")
        assert result.exit_code == 0, result.output
        return real_files.predicted_labels(folder / "out.csv")

    return source, labels


@pytest.mark.parametrize("name", real_files.GOOD)
def test_the_command_line_gives_the_labels_of_the_plain_file(tmp_path, labels_of_csv, name):
    source, labels = labels_of_csv
    greeting, make = real_files.GOOD[name]
    out = tmp_path / "labels.csv"
    path = make(tmp_path)
    result = real_files.label(source, path, out)
    assert result.exit_code == 0, result.output
    encoding = read_table(path).dialect.encoding  # a few letters beside much English may be detected as another one
    assert real_files.predicted_labels(out, encoding) == labels(greeting)
    assert len(set(labels(greeting).values())) > 1


@pytest.mark.parametrize("name", real_files.BAD)
def test_bad_files(tmp_path, name):
    message, make = real_files.BAD[name]
    path = make(tmp_path)
    if name == "no header":
        assert message in read_table(path).messages[0]
        return
    with pytest.raises(ValueError, match=path.name) as error:
        read_table(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)
