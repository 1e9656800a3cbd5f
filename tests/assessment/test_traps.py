"""Everyday situations in which labels cannot be transferred, or not judged: none of them may be called safe."""

import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import labelferry
from labelferry import AutoTransfer, cli

from .. import tickets
from ..planted import vocabulary_shift

pytestmark = pytest.mark.filterwarnings("ignore:'target' shares no words")

GERMAN = {
    "billing": (
        "Die Rechnung vom letzten Monat stimmt nicht, der Betrag wurde doppelt abgebucht",
        "Ich warte seit Wochen auf meine Erstattung und die Gutschrift",
        "Warum steht eine zweite Zahlung auf der Abrechnung vom Konto der Firma",
    ),
    "technical": (
        "Das Programm startet nach der Aktualisierung nicht mehr und zeigt eine Fehlermeldung",
        "Der Bildschirm bleibt schwarz, sobald ich die Datei hochlade",
        "Die Verbindung bricht immer wieder ab, auch nach einem Neustart",
    ),
}
HOTEL, BOOKS = ("房间", "早餐", "前台", "浴室", "大堂", "床铺"), ("这本书", "作者", "故事", "封面", "翻译", "结尾")
DEGREES = ("很", "非常", "特别", "真的很", "实在太")
CHINESE = {"good": ("好", "不错", "让人满意", "漂亮", "精彩"), "bad": ("差", "糟糕", "让人失望", "难看", "无聊")}


def german(n, seed=0):
    """Made-up German tickets."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(list(GERMAN), n)
    return [". ".join(rng.permutation(GERMAN[label])[:2]) for label in labels], labels


def chinese(subjects, n, seed):
    """Made-up Chinese reviews; no spaces between the words."""
    rng = np.random.default_rng(seed)
    labels = np.array(["good", "bad"] * (n // 2))

    def clause(label):
        return rng.choice(subjects) + rng.choice(DEGREES) + rng.choice(CHINESE[label])

    return ["\uff0c".join(clause(label) for _ in range(4)) + "。" for label in labels], labels


@pytest.fixture(scope="module")
def demo():
    """Half of the demo's tickets."""
    d = tickets.demo()
    return np.array(d.texts_source)[::2], d.y_source[::2], np.array(d.texts_target)[::2], d.y_target[::2]


def label(source, y, target, **settings):
    return labelferry.label(list(source), list(target), label=list(y), **settings)


def check(result, fact=None, *numbers):
    """Not safe; the fact is named in the reasons, with its numbers and its way out."""
    assert result.verdict.level != "safe"
    if fact is None:
        return
    found = {f.name: f for f in result.assessment.facts}
    assert fact in found
    assert found[fact].advice in result.verdict.reasons
    for number in numbers:
        assert number in found[fact].sentence


def test_healthy_documents_are_safe(demo):
    """The same checks do not fail on everything."""
    source, y, target, truth = demo
    result = label(source, y, target)
    assert result.verdict.level == "safe"
    assert result.assessment.facts == ()
    assert (result.labels == truth).mean() > 0.95
    assert not result.none_of_these.any()
    assert "none_of_these" not in result.columns()
    interval = result.estimated_balanced_accuracy
    assert interval["low"] <= (result.labels == truth).mean() <= interval["high"]


@pytest.mark.parametrize("rare", ["technical", pytest.param("account", marks=pytest.mark.slow)])
def test_an_unbalanced_source_and_a_balanced_target(rare):
    """One labelled document of ten has the class of half of the new ones."""
    d = tickets.demo()
    y, truth = d.y_source, d.y_target
    rows = np.append(np.flatnonzero(y == "billing")[:108], np.flatnonzero(y == rare)[:12])
    new = np.isin(truth, ["billing", rare])
    check(label(np.array(d.texts_source)[rows], y[rows], np.array(d.texts_target)[new]))


def test_another_language(demo):
    source, y, _, _ = demo
    texts, _ = german(90)
    result = label(source, y, texts)
    check(result, "few known words")
    check(result, "different languages", "100%", "english and german")
    assert "the labelled documents are in english, the new ones in german" in result.messages
    assert result.verdict.level == "unsafe"
    assert result.needs_review.mean() > 0.9
    assert [fact.name for fact in result.assessment.facts[:2]] == ["different languages", "few known words"]


def test_a_part_in_another_language(demo):
    source, y, target, _ = demo
    texts, _ = german(30)
    result = label(source, y, [*target[:70], *texts])
    check(result, "different languages", "30%")


def test_no_word_in_common(demo):
    source, y, _, _ = demo
    words = [f"{a}{b}" for a in ("bra", "klo", "zum") for b in ("fex", "gip", "lorn", "tusk")]
    rng = np.random.default_rng(0)
    result = label(source, y, [" ".join(rng.choice(words, 8)) for _ in range(80)])
    check(result, "few known words", "0%")
    assert result.verdict.level == "unsafe"
    assert result.needs_review.all()


def test_chinese_split_at_spaces():
    source, y = chinese(HOTEL, 120, 0)
    target, _ = chinese(BOOKS, 120, 1)
    result = label(source, y, target, analyzer="words")
    check(result, "few known words")
    assert result.verdict.level == "unsafe"


@pytest.fixture(scope="module")
def without_billing():
    """A third of the new documents has a class that the source lacks; all of the demo's tickets."""
    d = tickets.demo()
    known = d.y_source != "billing"
    return label(np.array(d.texts_source)[known], d.y_source[known], d.texts_target)


def test_a_class_that_the_source_lacks_is_named_as_unknown(without_billing):
    assert "a class that the labelled documents lack" in " ".join(without_billing.verdict.reasons)


def test_a_class_that_the_source_lacks(without_billing):
    check(without_billing, "documents of no class")
    marked, truth = without_billing.none_of_these, tickets.demo().y_target
    assert (truth[marked] == "billing").mean() > 0.9
    assert marked[truth == "billing"].mean() > 0.6
    assert without_billing.needs_review[marked].all()
    assert without_billing.columns()["none_of_these"] == marked.tolist()
    assert any("per group: " in reason for reason in without_billing.verdict.reasons)


def test_a_class_that_the_source_lacks_is_in_the_report(without_billing, tmp_path):
    groups = without_billing.summary()["none_of_these"]
    assert sum(group["documents"] for group in groups) == without_billing.none_of_these.sum()
    without_billing.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Documents that may fit no class" in page
    assert all(word in page for group in groups for word in group["words"])


@pytest.fixture(scope="module")
def few_documents(demo):
    source, y, target, _ = demo
    return label(source, y, target[::3])


@pytest.mark.parametrize("n_copies", [3, pytest.param(12, marks=pytest.mark.slow)])
def test_repeated_documents(demo, few_documents, n_copies):
    source, y, target, _ = demo
    result = label(source, y, np.repeat(target[::3], n_copies))
    check(result, "copies", f"{1 - 1 / n_copies:.0%}")
    estimates = [r.estimated_balanced_accuracy["mean"] for r in (result, few_documents)]
    assert estimates[0] == pytest.approx(estimates[1], abs=0.1), "copies are no evidence"


def test_equal_new_documents(demo):
    """One text 200 times: one label, no division by zero, and no trust."""
    source, y, target, _ = demo
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = label(source, y, [target[0]] * 200)
    check(result, "copies")
    assert len(set(result.labels.tolist())) == 1
    assert np.isfinite(result.confidence).all()


def test_ten_labelled_documents(demo):
    source, y, target, _ = demo
    result = label(source[:10], y[:10], target)
    check(result, "few labelled documents", "10 labelled documents")


def test_few_new_documents(demo):
    source, y, target, _ = demo
    check(label(source, y, target[:5]), "few new documents", "5 new documents")


def test_shuffled_labels(demo):
    source, y, target, _ = demo
    result = label(source, np.random.default_rng(0).permutation(y), target)
    check(result)
    assert result.verdict.level == "unsafe"
    assert result.estimated_balanced_accuracy["mean"] < 0.5


def test_a_constant_answer():
    """One labelled document of 16 has the second class, and no word of a class is in both domains."""
    task = vocabulary_shift(n_docs=160, common=0.0)
    auto = AutoTransfer(random_state=0)
    labels = auto.transfer(task.Xs, (np.arange(160) % 16 == 0).astype(int), task.Xt)
    assert (labels == 0).mean() > 0.97
    assert auto.verdict_.level == "unsafe"
    assert "constant answer" in {fact.name for fact in auto.facts_}
    assert f"{(labels == 0).mean():.0%} of the labels of the new documents are '0'." in auto.verdict_.reasons[0]


def test_labels_of_the_target_are_not_used_in_silence(demo, tmp_path):
    """A column of labels in the new file stays, and the output has it under another name."""
    source, y, target, truth = demo
    old = tickets.write_csv(tmp_path / "old.csv", {"text": source.tolist(), "label": y.tolist()})
    new = tickets.write_csv(tmp_path / "new.csv", {"text": target.tolist(), "label": truth.tolist()})
    arguments = ["label", str(old), str(new), "-o", str(tmp_path / "out.csv"), "--method", "sourcelr"]
    result = CliRunner().invoke(cli.app, arguments, env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert result.exit_code == 0
    assert f"{len(truth)} rows of {new} have labels in column 'label'; they are not used to predict" in result.stdout
    assert "label_before" in result.stdout
    assert tickets.read_csv(tmp_path / "out.csv")["label_before"] == truth.tolist()


# -- what must not matter ---------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def shifted():
    task = vocabulary_shift(n_classes=3, n_docs=150, common=0.15)
    auto = AutoTransfer(random_state=0)
    auto.transfer(task.Xs, task.ys, task.Xt)
    return task, auto


def test_the_names_of_the_classes_do_not_matter(shifted):
    task, auto = shifted
    names = np.array(["z", "a", "m"])
    again = AutoTransfer(random_state=0)
    labels = again.transfer(task.Xs, names[task.ys], task.Xt)
    assert (labels == names[auto.transduction_]).mean() > 0.99
    assert again.verdict_.level == auto.verdict_.level
    assert again.estimated_balanced_accuracy_["mean"] == pytest.approx(
        auto.estimated_balanced_accuracy_["mean"], abs=0.02
    )


def test_the_order_of_the_rows_does_not_matter(shifted):
    task, auto = shifted
    rng = np.random.default_rng(0)
    s, t = rng.permutation(150), rng.permutation(150)
    again = AutoTransfer(random_state=0)
    labels = again.transfer(task.Xs[s], task.ys[s], task.Xt[t])
    assert (labels == auto.transduction_[t]).mean() > 0.99
    assert again.verdict_.level == auto.verdict_.level
