"""Rows and columns as people have them: several text columns, names per file, gaps, half-labelled files."""

import numpy as np
import pytest

import labelferry
from labelferry.inputs.inputs import read_inputs
from labelferry.inputs.options import TextOptions
from labelferry.inputs.rows import read_rows, table_messages
from labelferry.labelling.answers import AnsweredRows, join_answers, of_documents
from labelferry.review.job.files import draw_open, import_answers
from labelferry.review.job.job import Job
from labelferry.review.job.other_rows import document_rows
from labelferry.review.sample.audit import draw
from labelferry.review.sample.population import population_of_file
from labelferry.tables import BadRow, Dialect, Table, choose_columns, choose_text
from labelferry.tables.labels import find_spellings, merged_names
from labelferry.tables.row_index import RowIndex

from .. import tickets
from ..jobs import small_job

pd = pytest.importorskip("pandas")
EVERY = 6
LONG = ["the door of the house is red", "the house behind the door is green"]


def of(name, **columns):
    return Table(name, {key: list(values) for key, values in columns.items()}, range(2, 4))


def old(**others):
    return pd.DataFrame(tickets.old(EVERY) | others)


def new(**others):
    return pd.DataFrame({"text": tickets.new(EVERY)["text"]} | others)


def halves(texts):
    """Subject and body: the first three words, and the rest."""
    return [" ".join(text.split()[:3]) for text in texts], [" ".join(text.split()[3:]) for text in texts]


def label(*arguments, **settings):
    return labelferry.label(*arguments, **{"method": "sourcelr", **settings})


@pytest.fixture(scope="module")
def plain():
    return label(old(), new())


# Columns


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("body", ("body",)),
        (" Body ", ("body",)),
        ("subject,body", ("subject", "body")),
        ("Subject, BODY", ("subject", "body")),
        (["subject", "body"], ("subject", "body")),
        (["subject,body", "subject"], ("subject", "body")),
        ("a,b", ("a,b",)),
        ("a,b,body", None),
    ],
)
def test_text_columns_by_name(given, expected):
    table = of("s", **{"subject": LONG, "body": LONG, "a,b": LONG, "label": "xy"})
    if expected is None:
        with pytest.raises(ValueError, match="s has no column 'a'; it has 'subject', 'body'"):
            choose_text(table, given, (), [])
    else:
        assert choose_text(table, given, (), []) == expected


def test_a_name_that_differs_in_case_is_used_with_a_message():
    source, target = of("s", **{" Text": LONG, "Label": "xy"}), of("t", TEXT=LONG)
    columns = choose_columns(source, target, text="text", label="label")
    assert columns[:4] == ((" Text",), "Label", None, ("TEXT",))
    assert columns.messages == [
        "column ' Text' of s is used as 'text'",
        "column 'TEXT' of t is used as 'text'",
        "column 'Label' of s is used as 'label'",
    ]
    detected = choose_columns(source, target)
    assert detected[:4] == columns[:4]
    assert detected.messages[0] == "text column: ' Text', 'TEXT' in t (its name)"
    both = of("s", Text=LONG, TEXT=LONG, label="xy")
    assert choose_columns(both, both, text="TEXT").text == ("TEXT",)
    with pytest.raises(ValueError, match=r"no column 'text'.*It could be 'Text', 'TEXT': write the name exactly"):
        choose_columns(both, both, text="text")


def test_other_names_in_the_target():
    source = of("s", body=LONG, label="xy", words=LONG)
    target = of("t", message=LONG, id="12", kind="xy")
    detected = choose_columns(source, target)
    assert (detected.text, detected.text_target, detected.label_target) == (("body",), ("message",), None)
    assert detected.messages[0] == "text column: 'body' of s, 'message' of t (their names)"
    named = choose_columns(source, target, text="words", text_target="message,id", label_target="Kind")
    assert (named.text, named.text_target, named.label_target) == (("words",), ("message", "id"), "kind")
    assert choose_columns(source, target, text_target="id").text_target == ("id",)
    with pytest.raises(ValueError, match=r"t has no column 'words'.*another name, pass text_target= \(--text-target\)"):
        choose_columns(source, target, text="words")
    with pytest.raises(ValueError, match="'message' is named twice"):
        choose_columns(source, target, text_target="message", label_target="message")
    with pytest.raises(ValueError, match="s has no column 'zzz'") as error:
        choose_columns(source, target, text="zzz")
    assert "same in all files" not in str(error.value)


def test_a_column_with_another_role_is_no_text():
    source, target = of("s", text=LONG, body=LONG, y="ab"), of("t", text=LONG, body=LONG)
    assert choose_columns(source, target, label=" TEXT").text == ("body",)


def test_two_text_columns_are_joined(plain, tmp_path):
    subject, body = halves(tickets.old(EVERY)["text"])
    source = pd.DataFrame({"subject": subject, "body": body, "label": tickets.old(EVERY)["label"]})
    subject, body = halves(tickets.new(EVERY)["text"])
    target = pd.DataFrame({"Subject": subject, "body": body})
    result = label(source, target, text=["subject", "body"])
    assert result.labels.tolist() == plain.labels.tolist()
    assert result.frame()[["Subject", "body"]].equals(target)
    assert result.inputs.texts[0] == f"{subject[0]}\n\n{body[0]}"

    result.save(tmp_path / "model.npz")
    path = tickets.write_csv(tmp_path / "later.csv", {"SUBJECT": subject, "body": body, "text": [LONG[0]] * len(body)})
    applied = labelferry.apply(tmp_path / "model.npz", path)
    assert applied.columns["label"] == labelferry.load(tmp_path / "model.npz").label(result.inputs.texts).tolist()
    assert "column 'SUBJECT' of" in applied.messages[0]
    without = tickets.write_csv(tmp_path / "without.csv", {"body": body, "id": list(range(len(body)))})
    with pytest.raises(ValueError, match=r"fitted on the text columns 'Subject', 'body'.*--text"):
        labelferry.apply(tmp_path / "model.npz", without)
    assert labelferry.apply(tmp_path / "model.npz", without, text="body").columns["label"]

    result.write(tmp_path / "out.csv")
    population = population_of_file(tmp_path / "out.csv", text="subject,body")
    assert list(population.texts) == [text.strip() for text in result.inputs.texts]
    sample = result.audit(5, seed=1)
    assert sample.columns["Subject + body"] == [result.inputs.texts[row - 1] for row in sample.columns["row"]]
    sample.columns["answer"] = sample.columns["label"]
    assert label(source, target, text="subject,body", answers=sample).answers.rows.tolist() == sorted(
        row - 1 for row in sample.columns["row"]
    )


def test_two_text_columns_in_a_review_job(tmp_path):
    pytest.importorskip("sqlalchemy")
    subject, body = halves(tickets.new(EVERY)["text"])
    target = tickets.write_csv(tmp_path / "new.csv", {"id": range(60), "subject": subject, "body": body})
    result = label(old(), target, text_target="subject,body")
    with result.store(tmp_path / "job.ferry", seed=0) as job:
        assert job.store.documents.one(0).text == f"{subject[0]}\n\n{body[0]}"
        job.export(tmp_path / "out.csv")
        job.answer(5, "billing")
        job.export_corrections(tmp_path / "corrections.csv")
    corrections = tickets.read_csv(tmp_path / "corrections.csv")
    assert list(corrections)[:5] == ["id", "subject", "body", "subject + body", "row"]
    assert corrections["subject + body"] == [f"{subject[5]}\n\n{body[5]}"]
    learned = label(old(), target, text_target="subject,body", answers=tmp_path / "corrections.csv")
    assert (learned.answers.rows.tolist(), learned.labels[5]) == ([5], "billing")
    written = tickets.read_csv(tmp_path / "out.csv")
    assert list(written)[:4] == ["id", "subject", "body", "label"]
    assert (written["subject"], written["body"]) == (subject, body)
    assert written["label"] == result.labels.tolist()


def test_files_of_a_job_have_every_row(tmp_path):
    pytest.importorskip("sqlalchemy")
    target = tickets.write_csv(tmp_path / "new.csv", {"id": range(62), "text": with_gaps([0, 20])})
    half = tickets.write_csv(tmp_path / "half.csv", half_labelled())
    for name, result in {"gaps": label(old(), target), "half": label(half)}.items():
        with result.store(tmp_path / f"{name}.ferry", seed=0) as job:
            assert job.n_documents == 60
            job.export(tmp_path / f"{name}.csv")
        written = tickets.read_csv(tmp_path / f"{name}.csv")
        expected = result.columns()
        assert written["id"] == [str(row) for row in range(len(result.labels))]
        assert [label or None for label in written["label"]] == expected["label"]
        for column in {"reason", "origin"} & {*expected, *written}:
            assert [value or None for value in written[column]] == expected[column]
        assert len(population_of_file(tmp_path / f"{name}.csv").texts) == 60


@pytest.mark.parametrize("gaps", [[], [3]])
def test_a_job_has_no_label_for_a_document_without_a_known_word(tmp_path, gaps):
    pytest.importorskip("sqlalchemy")
    target = tickets.write_csv(tmp_path / "new.csv", {"text": [*with_gaps(gaps), "???", "12"]})
    result = label(old(), target)
    expected = result.columns()
    with result.store(tmp_path / "job.ferry", seed=0) as job:
        job.export(tmp_path / "out.csv")
        job.answer(60, "billing")
        job.answer(61, None, kind="none_of_these")
        job.export(tmp_path / "answered.csv")
    written = tickets.read_csv(tmp_path / "out.csv")
    for name in ("label", "confidence", "alternative", "evidence", "source_only", "reason"):
        assert written[name] == ["" if value is None else str(value) for value in expected[name]]
    assert written["needs_review"][-2:] == ["true", "true"]
    assert len(population_of_file(tmp_path / "out.csv").texts) == 60
    answered = tickets.read_csv(tmp_path / "answered.csv")
    assert answered["label"][-2:] == ["billing", ""]
    assert answered["answer"][-2:] == ["billing", "none_of_these"]
    assert answered["reason"][-2:] == ["", "no known word"]
    assert answered["needs_review"][-2:] == ["false", "false"]


def test_a_job_with_damaged_documents_without_a_label(tmp_path):
    store = pytest.importorskip("labelferry.review.store")
    damaged = small_job(without_label={"documents": ["x"]})
    with (
        Job(store.Store.create(tmp_path / "job.ferry", damaged)) as job,
        pytest.raises(ValueError, match="the job is damaged"),
    ):
        job.export(tmp_path / "out.csv")


def test_samples_and_corrections_of_a_job_have_the_rows_of_the_file(tmp_path):
    pytest.importorskip("sqlalchemy")
    texts = with_gaps([0, 20])
    target = tickets.write_csv(tmp_path / "new.csv", {"id": range(62), "text": texts})
    with label(old(), target).store(tmp_path / "job.ferry", seed=0) as job:
        sample = draw_open(job, 60).columns
        assert sample["text"] == [texts[row - 1] for row in sample["row"]]
        assert import_answers(job, {**sample, "answer": sample["label"]}, "ann")["new"] == 60
        assert [row.shown for row in job.answers()] == sample["label"]
        job.export_corrections(tmp_path / "corrections.csv")
        job.export(tmp_path / "out.csv")
    corrections = tickets.read_csv(tmp_path / "corrections.csv")
    assert corrections["row"] == [str(int(row) + 1) for row in corrections["id"]]
    learned = label(old(), target, answers=tmp_path / "corrections.csv")
    assert learned.answers.rows.tolist() == [row for row in range(62) if row not in (0, 20)]
    assert learned.labels.tolist() == [name or None for name in tickets.read_csv(tmp_path / "out.csv")["label"]]
    assert document_rows(3, {}).rows.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="damaged"):
        document_rows(3, {"rows": ["x"]})


def test_sources_with_other_names(tmp_path):
    texts, labels = tickets.old(EVERY)["text"], tickets.old(EVERY)["label"]
    first = tickets.write_csv(tmp_path / "a.csv", {"text": texts[:30], "label": labels[:30]})
    second = tickets.write_csv(tmp_path / "b.csv", {"Body": texts[30:], " LABEL": labels[30:]})
    inputs = read_inputs([first, second], new(), TextOptions())
    assert [source.texts for source in inputs.sources] == [texts[:30], texts[30:]]
    assert inputs.labels.tolist() == labels
    assert f"column ' LABEL' of {second} is used as 'label'" in inputs.messages


def test_the_order_of_sources_with_other_names_does_not_matter(tmp_path):
    texts, labels = tickets.old(EVERY)["text"], tickets.old(EVERY)["label"]
    first = tickets.write_csv(tmp_path / "a.csv", {"text": texts[:30], "label": labels[:30]})
    second = tickets.write_csv(tmp_path / "b.csv", {"ticket": texts[30:], "kind": labels[30:]})
    one, other = (read_inputs(files, new(), TextOptions()) for files in ([first, second], [second, first]))
    assert [source.texts for source in one.sources] == [texts[:30], texts[30:]]
    assert [source.texts for source in other.sources] == [texts[30:], texts[:30]]
    assert sorted(one.messages) == sorted(other.messages)
    with pytest.raises(
        ValueError, match=r"b\.csv and the data frame of new documents have no column in common: 'ticket', 'kind', and"
    ):
        read_inputs([second, second], new(), TextOptions())


# Labels


def test_spellings():
    groups = find_spellings(["rec", "Rec", "rec", "sci", 1, "1", "Caf\u00e9", "cafe\u0301", "a  b", "a b"])
    assert groups == [{"rec": 2, "Rec": 1}, {"Caf\u00e9": 1, "cafe\u0301": 1}, {"a  b": 1, "a b": 1}]
    assert merged_names(groups) == {"Rec": "rec", "cafe\u0301": "Caf\u00e9", "a b": "a  b"}


def test_labels_that_differ_in_case_or_blanks():
    labels = list(tickets.old(EVERY)["label"])
    billing = [i for i, name in enumerate(labels) if name == "billing"]
    labels[billing[0]], labels[billing[1]], labels[billing[2]] = "billing ", "BILLING", "\tbilling"
    inputs = read_inputs(old(label=labels), new(), TextOptions())
    assert set(inputs.labels) == {"billing", "BILLING", "technical", "account"}
    stripped, case = inputs.messages[-2:]
    assert stripped.startswith(
        "the labelled data frame: 2 rows with blanks around the label, blanks removed; first: row"
    )
    assert f"'billing' ({len(billing) - 1} rows), 'BILLING' (1 row). They are different classes" in case
    assert case.endswith("merge them with merge_labels=True (--merge-labels)")
    merged = read_inputs(old(label=labels), new(), TextOptions(merge_labels=True))
    assert merged.labels.tolist() == tickets.old(EVERY)["label"]
    assert merged.messages[-1].endswith("They are merged")


def test_rows_of_the_source_without_text_or_label():
    labels, texts = list(tickets.old(EVERY)["label"]), list(tickets.old(EVERY)["text"])
    labels[3] = labels[9] = None
    texts[5] = " "
    inputs = read_inputs(pd.DataFrame({"text": texts, "label": labels}), new(), TextOptions())
    assert inputs.messages[-2:] == [
        "the labelled data frame: 2 rows without a label, left out; first: row 4",
        "the labelled data frame: 1 row without a text, left out; row 6",
    ]
    assert len(inputs.sources[0].texts) == 57
    assert inputs.sources[0].rows.tolist() == [i for i in range(60) if i not in (3, 5, 9)]
    assert inputs.n_rows == 120


@pytest.mark.parametrize(
    ("format_", "unit"),
    [
        ("CSV", "line"),
        ("JSON lines", "line"),
        ("Excel", "row"),
        ("Parquet", "row"),
        ("folder", "file"),
        (None, "row"),
    ],
)
def test_messages_count_what_the_format_counts(format_, unit):
    dialect = Dialect(format_) if format_ else None
    bad = (BadRow(5, "NUL bytes"),)
    table = Table("t", {"text": ["", "a door", " "]}, [2, 3, 4], bad, dialect=dialect)
    rows = read_rows(table, ["text"], None)
    several = rows.count_message(~rows.with_text, "without a text", "left out")
    assert several == [f"t: 2 rows without a text, left out; first: {unit} 2"]
    one = rows.count_message(rows.with_text, "with a text", "read")
    assert one == [f"t: 1 row with a text, read; {unit} 3"]
    assert rows.count_message(rows.with_label, "with a label", "read") == []
    assert table_messages(table) == [f"t: 1 row skipped (NUL bytes); {unit} 5"]


# Every row of the target


def with_gaps(gaps, missing=None):
    texts = list(tickets.new(EVERY)["text"])
    for row in gaps:
        texts.insert(row, missing)
    return texts


def test_answers_to_rows_and_to_documents():
    answers = join_answers(AnsweredRows(np.array([1, 4]), np.array([0, 1])), AnsweredRows(np.array([2]), np.array([5])))
    assert (answers.rows.tolist(), answers.codes.tolist()) == ([1, 2, 4], [0, 5, 1])
    own = of_documents(answers, RowIndex([0, 2, 3, 4], 5))
    assert (own.rows.tolist(), own.codes.tolist()) == ([1, 3], [5, 1])


@pytest.mark.parametrize("missing", [None, "", "  \n"])
def test_every_row_of_the_target_is_in_the_output(plain, tmp_path, missing):
    texts = with_gaps([0, 20, 61], missing)
    target = tickets.write_csv(tmp_path / "new.csv", {"id": range(63), "text": texts})
    result = label(old(), target)
    documents = [row for row in range(63) if row not in (0, 20, 61)]
    assert len(result.labels) == len(result.confidence) == len(result.needs_review) == len(result.evidence) == 63
    assert result.labels[documents].tolist() == plain.labels.tolist()
    assert result.labels[[0, 20, 61]].tolist() == [None] * 3
    assert np.isnan(result.confidence[[0, 20, 61]]).all()
    assert result.needs_review[[0, 20, 61]].all()
    assert [result.reasons[row] for row in (0, 1, 20)] == ["no text", "", "no text"]
    assert f"{target}: 3 rows without a text, not labelled; first: line 2" in result.messages
    assert result.documents.labels.tolist() == plain.labels.tolist()
    assert result.summary()["n_target"] == 60
    result.write(tmp_path / "out.csv")
    written = tickets.read_csv(tmp_path / "out.csv")
    assert written["id"] == [str(row) for row in range(63)]
    for name in ("label", "confidence", "alternative", "source_only", "evidence"):
        assert [written[name][row] for row in (0, 20, 61)] == [""] * 3
    assert [written["reason"][row] for row in (0, 1, 20)] == ["no text", "", "no text"]
    assert written["needs_review"][0] == "true"
    result.write(tmp_path / "out.parquet")
    assert labelferry.tables.read_table(tmp_path / "out.parquet").columns["confidence"][0] is None
    assert "reason" not in plain.columns()
    assert plain.documents is plain


def test_a_row_without_a_known_word_has_no_label():
    """The other labels stay for a given C. A chosen C may change: one more document changes the weights of words."""
    texts = [*tickets.new(EVERY)["text"], "???"]
    method = "sourcelr(C=10)"
    result = label(old(), texts, method=method)
    assert result.labels.tolist() == [*label(old(), texts[:-1], method=method).labels.tolist(), None]
    assert (result.reasons[-1], bool(result.needs_review[-1])) == ("no known word", True)
    assert "target: 1 row without a known word, not labelled; row 61" in result.messages
    answered = label(old(), texts, answers={60: "billing"})
    assert answered.labels[60] == "billing"
    assert not answered.needs_review[60]
    assert answered.columns()["answer"][60] == "billing"


def test_frames_keep_all_rows_and_their_index(plain):
    frame = pd.DataFrame({"text": with_gaps([2])}, index=range(100, 161))
    labelled = label(old(), frame).frame()
    assert labelled.index.tolist() == frame.index.tolist()
    assert labelled["label"].isna().tolist() == [row == 2 for row in range(61)]
    polars = pytest.importorskip("polars")
    labelled = label(old(), polars.DataFrame({"text": with_gaps([2])})).frame()
    assert labelled["label"].to_list() == [*plain.labels[:2], None, *plain.labels[2:]]
    assert labelled["confidence"].dtype == polars.Float64


def test_answers_name_rows_of_the_target(plain):
    texts = with_gaps([0, 5])
    other = "billing" if plain.labels[0] != "billing" else "account"
    result = label(old(), texts, answers={1: other})
    assert result.labels[1] == other
    assert result.confidence[1] == 1
    assert result.answers.rows.tolist() == [1]
    assert result.columns()["answer"][:3] == [None, other, None]
    updated = result.update({1: other, 5: "billing"})
    assert updated.labels[5] == "billing"  # a row without a text that a person knows
    assert updated.labels[0] is None
    with pytest.raises(ValueError, match="from 0 to 61"):
        label(old(), texts, answers={62: "billing"})


def test_an_answer_to_a_row_without_a_text_is_kept(tmp_path):
    target = tickets.write_csv(tmp_path / "new.csv", {"text": with_gaps([0, 5, 7])})
    result = label(old(), target, answers={0: "billing", 5: "none of these"})
    columns = result.columns()
    assert columns["answer"][:7] == ["billing", *[None] * 4, "none_of_these", None]
    assert [columns["label"][row] for row in (0, 5)] == ["billing", None]
    assert [columns["reason"][row] for row in (0, 5, 7)] == [None, "no text", "no text"]
    assert [columns["origin"][row] for row in (0, 1, 5)] == ["given", "predicted", None]
    assert result.needs_review[[0, 5]].tolist() == [False, True]
    assert "2 answers to rows that are not new documents: kept, not learned from" in result.messages
    assert result.summary()["messages"] == result.messages
    result.write(tmp_path / "out.csv")
    assert len(population_of_file(tmp_path / "out.csv").texts) == 60
    assert set(result.audit(30, seed=3).columns["population"]) == {60}
    learned = label(old(), target, answers={0: "billing", 1: "billing"})
    assert learned.columns()["answer"][:3] == ["billing", "billing", None]
    assert learned.columns()["held_out"][0] is None
    assert "1 answer to a row that is not a new document: kept, not learned from" in learned.messages
    only = label(old(), target, answers={1: "billing", 61: "billing"})
    for one in (only, only.documents):
        assert not any("not new" in message for message in one.messages)


def test_an_answer_to_a_given_label_replaces_it():
    given = half_labelled()["category"][0]
    other = "billing" if given != "billing" else "account"
    frame = pd.DataFrame(half_labelled())
    result = label(frame, answers={0: other, 1: "billing", 2: "none of these"})
    columns = result.columns()
    assert columns["label"][:3] == [other, "billing", half_labelled()["category"][2]]
    assert columns["answer"][:4] == [other, "billing", "none_of_these", None]
    assert columns["origin"][:3] == ["given", "predicted", "given"]
    assert columns["needs_review"][:3] == [False, False, True]
    assert "2 answers to rows that are not new documents: kept, not learned from" in result.messages
    assert result.labels[4:].tolist() == label(frame, answers={1: "billing"}).labels[4:].tolist()


def test_samples_of_a_file_with_gaps(plain, tmp_path):
    """The sample has the rows of the file, and the certificate is about the rows with a predicted label."""
    target = tickets.write_csv(tmp_path / "new.csv", {"text": [*with_gaps([0, 20]), "???"]})
    result = label(old(), target)
    result.write(tmp_path / "out.csv")
    sample = result.audit(30, seed=3)
    of_file = draw(population_of_file(tmp_path / "out.csv"), 30, seed=3)
    assert of_file.columns == {**sample.columns, "text": of_file.columns["text"]}
    assert set(sample.columns["population"]) == {60}
    texts = tickets.read_csv(target)["text"]
    assert sample.columns["text"] == [texts[row - 1] for row in sample.columns["row"]]
    sample.columns["answer"] = sample.columns["label"]
    assert result.certify(sample).as_dict()["accuracy"]["low"] > 0.8
    learned = label(old(), target, answers=sample)
    assert {row + 1 for row in learned.answers.rows.tolist()} == set(sample.columns["row"])
    sample.columns["row"][0] = 1
    with pytest.raises(ValueError, match="row 1 has no predicted label"):
        result.certify(sample)


def test_features_have_a_row_for_every_row_of_the_files(tmp_path):
    labels = [None, *tickets.old(EVERY)["label"]]
    source = pd.DataFrame({"text": ["left out", *tickets.old(EVERY)["text"]], "label": labels})
    inputs = read_inputs(source, with_gaps([3]), TextOptions())
    (Xs,), Xt = inputs.split_rows(np.arange(122)[:, None])
    assert Xs.ravel().tolist() == list(range(1, 61))
    assert Xt.ravel().tolist() == [i for i in range(61, 122) if i != 64]
    half = read_inputs(pd.DataFrame({"text": LONG * 2, "label": ["a", None, "b", ""]}), None, TextOptions())
    (Xs,), Xt = half.split_rows(np.arange(4)[:, None])
    assert (Xs.ravel().tolist(), Xt.ravel().tolist()) == ([0, 2], [1, 3])


# One half-labelled file


def half_labelled():
    """Labelled and new documents in turn."""
    texts = [text for pair in zip(tickets.old(EVERY)["text"], tickets.new(EVERY)["text"], strict=True) for text in pair]
    labels = [name for label in tickets.old(EVERY)["label"] for name in (label, None)]
    return {"id": list(range(120)), "text": texts, "category": labels}


def test_a_half_labelled_file(plain, tmp_path):
    columns = half_labelled()
    result = label(tickets.write_csv(tmp_path / "export.csv", columns))
    assert result.labels[::2].tolist() == tickets.old(EVERY)["label"]
    assert result.labels[1::2].tolist() == plain.labels.tolist()
    assert result.given.tolist() == [True, False] * 60
    assert np.isnan(result.confidence[::2]).all()
    assert not result.needs_review[::2].any()
    assert result.columns()["origin"] == ["given", "predicted"] * 60
    assert "reason" not in result.columns()
    assert result.summary()["n_source"] == result.summary()["n_target"] == 60
    result.write(tmp_path / "out.csv")
    written = tickets.read_csv(tmp_path / "out.csv")
    assert written["id"] == [str(row) for row in range(120)]
    assert written["category"] == ["" if label is None else label for label in columns["category"]]
    population = population_of_file(tmp_path / "out.csv")
    assert (len(population.texts), population.rows.numbers[:3].tolist()) == (60, [2, 4, 6])
    assert result.audit(60, seed=0).columns["row"] != list(range(1, 61))


def test_a_half_labelled_frame_and_list(plain):
    columns = half_labelled()
    frame = pd.DataFrame(columns | {"text": [None, *columns["text"][1:-1], " "]})
    result = label(frame)
    assert len(result.frame()) == 120
    assert (result.labels[0], result.labels[119]) == (columns["category"][0], None)
    assert result.columns()["origin"][-2:] == ["given", None]
    assert result.columns()["reason"][-1] == "no text"
    assert "the labelled data frame: 1 row with a label and without a text, ignored; row 1" in result.messages
    listed = label(columns["text"], label=columns["category"])
    assert listed.labels[1::2].tolist() == plain.labels.tolist()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", "b"], "every row of the labelled data frame has a label in column 'label'.*second file"),
        ([None, ""], "no label at all in column 'label'"),
        (["a", None], "two classes or more are needed"),
    ],
)
def test_a_file_that_is_not_half_labelled(labels, message):
    with pytest.raises(ValueError, match=message):
        read_inputs(pd.DataFrame({"text": LONG, "label": labels}), None, TextOptions())


def test_several_half_labelled_files_are_an_error():
    with pytest.raises(ValueError, match=r"must be one file or frame; got 2\. Pass a target"):
        read_inputs([old(), old()], None, TextOptions())


def test_numbers_as_labels_of_a_half_labelled_file(tmp_path):
    codes = {"billing": 1, "technical": 2, "account": 3}
    columns = half_labelled()
    columns["category"] = [None if name is None else codes[name] for name in columns["category"]]
    result = label(tickets.write_jsonl(tmp_path / "export.jsonl", columns))
    assert {type(value) for value in result.columns()["label"]} == {int}


# Labels of the target


def test_labels_of_the_target_are_not_used_unless_told(plain):
    labels = [plain.labels[0], *[None] * 58, " Sonstiges"]
    result = label(old(), new(label=labels))
    assert result.labels.tolist() == plain.labels.tolist()
    (message,) = [m for m in result.messages if "not used" in m]
    assert message == (
        "2 rows of the data frame of new documents have labels in column 'label'; they are not used to predict. Use "
        "them as answers with use_target_labels=True (--use-target-labels)"
    )


def test_labels_of_the_target_as_answers(plain):
    other = "billing" if plain.labels[0] != "billing" else "account"
    labels = [other, f" {other.upper()} ", None, "none of these", *[""] * 54, "Sonstiges", "Sonstiges"]
    result = label(old(), new(kind=labels), label_target="Kind", use_target_labels=True)
    assert result.labels[:2].tolist() == [other] * 2
    assert result.confidence[:2].tolist() == [1, 1]
    assert result.answers.rows.tolist() == [0, 1, 3]
    assert result.columns()["answer"][:4] == [other, other, None, "none_of_these"]
    assert "3 labels of the data frame of new documents in column 'kind' are used as answers" in result.messages
    (unknown,) = [m for m in result.messages if "Sonstiges" in m]
    assert (
        "2 labels of the data frame of new documents are no class of the source and are not used: 'Sonstiges' (2)"
        in unknown
    )
    assert any(message.startswith("learned from 2 answers") for message in result.messages)
    assert result.columns()["answer"][58:] == [None, None]
    updated = result.update({2: other})
    assert updated.answers.rows.tolist() == [0, 1, 2, 3]
    none = label(old(), new(), use_target_labels=True)
    assert any("no labels are used as answers" in message for message in none.messages)


def test_all_words_are_kept(plain):
    result = label(old(), new(), language="none")
    assert "the" in result.features.words
    assert result.settings["language"] is None
