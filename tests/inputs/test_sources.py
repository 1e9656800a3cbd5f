"""Labels that are numbers, true labels, text columns and languages: what must not be guessed wrong."""

import numpy as np
import pandas as pd
import pytest

import labelferry
from labelferry.labelling.truth import read_truth
from labelferry.tables import Table
from labelferry.tables.guess import detect_text
from labelferry.text.detect import detect_language
from tests import tickets


def test_whole_numbers_are_one_class_however_they_are_stored():
    old = tickets.old(6)
    codes = np.unique(old["label"], return_inverse=True)[1]
    frame = pd.DataFrame({"text": old["text"], "label": codes})
    with_gap = frame.assign(label=frame.label.astype(float).where(frame.index != 3))
    result = labelferry.label([frame, with_gap], pd.DataFrame({"text": tickets.new(6)["text"]}), method="sourcelr")
    assert result.estimator.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("classes", "values"),
    [([0, 1], [1.0, float("nan"), 0.0]), (["0.0", "1.0"], [1, None, 0]), (["bug", "wish"], ["Wish ", "", "BUG"])],
)
def test_true_labels_are_recognized_as_answers_are(classes, values):
    truth = read_truth({"truth": values}, "truth", "new.csv", np.array(classes))
    assert truth.labels.tolist() == [str(classes[1]), "", str(classes[0])]
    assert truth.unknown == {}


def test_a_usual_name_in_each_file_wins_over_a_short_column_of_both():
    source = Table("old.csv", {"customer": ["Ann Smith"] * 3, "body": ["a long text about it"] * 3}, [2, 3, 4])
    target = Table("new.csv", {"customer": ["Bob Brown"] * 3, "message": ["another text about it"] * 3}, [2, 3, 4])
    assert detect_text(source, target, [], []) == ("body", "message")
    other = Table("new.csv", {"customer": ["Bob Brown"] * 3, "words": ["another text about it"] * 3}, [2, 3, 4])
    with pytest.raises(ValueError, match="which column is the text"):
        detect_text(source, other, [], [])


def test_the_language_is_detected_in_the_whole_file():
    english, german = (
        "the invoice is wrong and the door does not open",
        "die Rechnung ist falsch und die Tür geht nicht auf",
    )
    language = detect_language([english] * 300 + [german] * 299)
    assert language.name is None
    assert language.shares["german"] == pytest.approx(0.5, abs=0.05)


def test_labels_of_the_target_under_another_usual_name_are_reported():
    old = pd.DataFrame(tickets.old(6)).rename(columns={"label": "category"})
    new = pd.DataFrame({"text": tickets.new(6)["text"], "label": ["billing"] * 60})
    messages = labelferry.label(old, new, method="sourcelr").messages
    assert any(
        "60 rows of the data frame of new documents have labels in column 'label'" in message for message in messages
    )


def test_equal_new_documents_give_labels_without_warnings_of_numpy(recwarn):
    old = tickets.old(6)
    result = labelferry.label(old["text"], ["the hub lost the wifi"] * 60, label=old["label"])
    assert not [warning for warning in recwarn if issubclass(warning.category, RuntimeWarning)]
    assert result.verdict.level == "unsafe"
