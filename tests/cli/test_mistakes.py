"""Mistakes that people make with the whole thing, and what they are told."""

import numpy as np
import pytest
import scipy.sparse as sp

from labelferry import EMNaiveBayes, SourceLR, tfidf

OLD = ["the train was late", "late again, the train", "a good meal", "the meal was good"]
NEW = ["my bus was late", "good soup", "late bus", "the soup was good"]
LABELS = ["travel", "travel", "food", "food"]


def test_texts_in_place_of_a_matrix():
    for old, new in ((OLD, NEW), (np.array(OLD), np.array(NEW))):
        with pytest.raises(ValueError, match=r"X contains raw texts.*labelferry.tfidf"):
            SourceLR().transfer(old, LABELS, new)
    (Xs, Xt), _ = tfidf(OLD, NEW, min_df=1)
    est = EMNaiveBayes()
    assert est.transfer(Xs, LABELS, Xt).tolist() == ["travel", "food", "travel", "food"]
    with pytest.raises(ValueError, match=r"vectorizer\.transform"):
        est.predict(NEW)


def test_a_blank_label_in_a_source_is_not_a_class():
    (Xs, Xt), _ = tfidf(OLD, NEW, min_df=1)
    with pytest.raises(ValueError, match="1 source rows have no label, the first is row 1"):
        EMNaiveBayes().transfer(Xs, ["travel", float("nan"), "food", "food"], Xt)


def test_domains_without_a_common_word_are_warned_of():
    Xs, Xt = sp.csr_array(np.eye(4, 8)), sp.csr_array(np.eye(4, 8, k=4))
    with pytest.warns(UserWarning, match="'target' shares no words with the labelled documents"):
        EMNaiveBayes().transfer(Xs, LABELS, Xt)


def test_a_folder_that_is_not_there(tmp_path):
    (Xs, Xt), _ = tfidf(OLD, NEW, min_df=1)
    est = EMNaiveBayes()
    est.transfer(Xs, LABELS, Xt)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        est.save(tmp_path / "nowhere" / "model.npz")


def test_labels_that_do_not_line_up_with_their_sources():
    (Xa, Xb, Xt), _ = tfidf(OLD, OLD[:2], NEW, min_df=1)
    est = EMNaiveBayes()
    with pytest.raises(ValueError, match="source 1 has 4; got 2"):
        est.transfer([Xa, Xb], [LABELS[:2], LABELS], Xt)
    with pytest.raises(ValueError, match="one list of labels per source: 2; got 3"):
        est.transfer([Xa, Xb], [LABELS, LABELS[:2], []], Xt)
    with pytest.raises(ValueError, match="mixes labels of different types"):
        est.transfer([Xa, Xb], [LABELS, [0, 1]], Xt)
    with pytest.raises(ValueError, match=r"The order is transfer\(Xs, ys, Xt\)"):
        est.transfer(Xa, LABELS, Xt[:0])


def test_a_target_that_is_left_out_of_target():
    X = np.eye(8)
    y, domain = np.array([0, 1, 0, 1, -1, -1, -1, -1]), [1, 1, 1, 1, -2, -2, -3, -3]
    with pytest.raises(ValueError, match=r"does not name \[-3\]"):
        EMNaiveBayes().fit(X, y, domain, target=-2)
    with pytest.raises(ValueError, match=r"does not name \[-2, -3\]"):
        EMNaiveBayes().fit(X, y, domain, target=[])
