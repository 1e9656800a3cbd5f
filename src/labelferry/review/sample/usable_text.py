"""Which labels may be used, in sentences for people: a function of the plain values of `Usable.as_dict`."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor
from typing import Any

from ...certificate.interval import percent
from ...certificate.ladder import TAIL
from .frozen import ERROR, OTHER_ERROR

Values = Mapping[str, Any]
ASSUMED = "The guarantee holds if the answers are right and the labels are not changed."
MOST_NAMED = 12  # classes in a sentence


def sentences(
    values: Values,
    *,
    whole_first: bool = False,
    alone: bool = False,
    one_limit: bool = False,
    terminal: bool = False,
    brief: bool = False,
) -> list[str]:
    """What may be used, the claim, classes, the whole file, what is next, what is assumed.

    `whole_first`: the promise about the whole file first. `alone`: earlier rounds are unknown. `one_limit`: so are
    claims at other limits. `brief`: only the first promise, and with which others it holds. The documents that have one
    of several labels are not the whole file, and have no classes.
    """
    one_label = bool(values["name"])
    if values["learning"] is not None:
        return [_learning(values)]
    part = [_usable(values) if values["n_accepted"] else _nothing(values, terminal=terminal), _by_class(values)]
    part += [_others(values) if one_label and values["n_accepted"] else "" if one_label else _classes(values)]
    part += [
        together(values) or (each_limit(values) if one_limit and terminal and _names_two(values) else ""),
        _again(values),
    ]
    whole = [whole_file(values, first=whole_first, hint=" (--whole-file)" if terminal and not whole_first else "")]
    whole = [] if one_label else whole
    promises = [*whole, *part] if whole_first else [*part, *whole]
    earlier = _alone(values, "--after" if terminal else "`after`") if alone else ""
    lines = [
        *promises, _waiting(values), "" if whole_first else _more(values), earlier,
        ASSUMED if values["n_accepted"] or any(whole) else "",
    ]  # fmt: skip
    if brief:
        lines = [promises[0], together(values), earlier]
    return [line for line in lines if line]


def _learning(values: Values) -> str:
    answers, of = values["learning"]["answers"], values["learning"]["of"]
    if answers >= of:
        return f"The labels have not learned from the {answers} answers. Learn now: labels are accepted after that."
    return (
        f"First answer {of} random documents{f' ({of - answers} are open)' if answers else ''}: the labels learn from "
        "them. After that the labels stay as they are, and further answers show which of them can be used."
    )


def _usable(values: Values) -> str:
    n, most, answers, unseen = values["n_accepted"], values["at_most_wrong"], values["n_answers"], values["unseen"]
    all_of, name = f"{values['n_documents']:,}", values["name"]
    of = f"the {all_of} documents with the label {name}" if name else f"{all_of} labels"
    wrong = values["n_wrong"] or "none"
    if not unseen:
        return f"Usable now: {n:,} of {of}. All have an answer; wrong: {wrong}."
    claim = (
        f"Usable now: {n:,} of {of}. With {confidence(values['level'])} confidence at most {most:,} of these {n:,} "
        f"({at_most(max(values['error'], most / n))}) are wrong: {wrong} of the {answers:,} with an answer, "
        f"up to {values['unseen_wrong']:,} of the {unseen:,} unread ({at_most(values['unseen_at_most'])})."
    )
    if values["outside"] and (rest := values["n_accepted"] - values["n_sample"]):
        claim += (
            f" Of the {rest:,} outside the {values['n_sample']:,} answers that certify them, at most "
            f"{max(most - values['sample_wrong'], 0):,} ({at_most(values['rest_at_most'])}) are wrong."
        )
    return claim


def together(values: Values) -> str:
    """What rounds and limits have cost, also if nothing is accepted; empty if there was one round and one limit."""
    rounds = values["round_number"]
    if rounds < 2 and values["tail"] <= 1.5 * TAIL:
        return ""
    what = f"{rounds} rounds of learning" if rounds > 1 else "Several limits"
    return f"{what}: all claims hold together with {confidence(values['level'])} confidence."


def each_limit(values: Values) -> str:
    """What a second limit costs."""
    level = confidence(1 - 2 * values["tail"])
    return f"Each limit holds with {confidence(1 - values['tail'])} confidence, two together with {level}."


def _names_two(values: Values) -> bool:
    """Whether people may be told to try another limit, or the limit is not the usual one."""
    return values["error"] != ERROR or bool(values["out_of_reach"])


def _nothing(values: Values, *, terminal: bool = False) -> str:
    error, needs, other = at_most(values["error"]), values["needs"], values["other_limit"]
    option = f"you accept {at_most(other['error'])} wrong{' (--error 0.1)' if terminal else ''}" if other else ""
    at_ten = "" if other is None else f" If {option}: {_other(other)}."
    if _is_out_of_reach(values):
        rung = values["rungs"][0]
        way_out = "Learn from these answers and try again" + (", or allow more wrong labels." if other else ".")
        return (
            f"Usable now: no labels. {rung['contradicted']} of {rung['answered']} answers contradict the labels of the "
            f"most certain {rung['n']:,} documents: {error} will hardly be reached. {way_out}"
        )
    if not needs:
        return f"Usable now: no labels. More than 300 answers are needed for at most {error} wrong.{at_ten}"
    agreeing = _if_agreeing(needs[0], values)
    return f"Usable now: no labels. {agreeing}, {needs[0]['n']:,} are usable, at most {error} wrong.{at_ten}"


def _is_out_of_reach(values: Values) -> bool:
    """Whether nothing can be used, because of answers that contradict labels."""
    found = values["rungs"] and values["rungs"][0]["contradicted"]
    return bool(not values["n_accepted"] and values["out_of_reach"] and found)


def _other(other: Values) -> str:
    more = other["more_answers"]
    return f"{other['n']:,} are usable now" if more == 0 else f"{other['n']:,} after {more} answer{'s' * (more > 1)}"


def _if_agreeing(step: Values, values: Values) -> str:
    given = any(values[name] for name in ("n_answers", "n_answered", "n_waiting", "n_learned"))
    n, more = step["more_answers"], " more" if given else ""
    return f"If {f'one{more} answer agrees' if n == 1 else f'{n}{more} answers all agree'} with the labels"


def _by_class(values: Values) -> str:
    """One claim per class, if there are such claims."""
    if not values["by_class"]:
        return ""
    claims = [
        f"{one['class']} at most {one['at_most_wrong']:,} of {one['n']:,} ({one['n_answers']} answers)"
        if one["n"]
        else f"{one['class']} none yet ({_still(one)})"
        for one in values["by_class"][:MOST_NAMED]
    ]
    more = len(values["by_class"]) - MOST_NAMED
    return f"Wrong by class, all claims together: {'; '.join(claims)}{f'; and {more} others' if more > 0 else ''}."


def _still(one: Values) -> str:
    """What a class without a claim needs. Which one is asked next is not said: questions are blind."""
    if one["out_of_reach"] and one["n_wrong"]:
        return f"out of reach: {one['n_wrong']} of {one['n_answers']} answers contradict it"
    return f"{one['needs'][0]['more_answers']} more answers" if one["needs"] else "more than 300 further answers"


def _others(values: Values) -> str:
    answered, rest = values["n_answered"], values["n_not_usable"]
    own = f"Also answered: {answered:,} other document{'s' * (answered > 1)}." if answered else ""
    return " ".join(part for part in (own, f"Not usable yet: {rest:,} labels." if rest else "") if part)


def _classes(values: Values) -> str:
    if not values["n_accepted"]:
        return ""
    counts = {name: n for name, n in values["per_class"].items() if n}
    named = ", ".join(f"{name} {n:,}" for name, n in list(counts.items())[:MOST_NAMED])
    more = f" and {len(counts) - MOST_NAMED} other classes" if len(counts) > MOST_NAMED else ""
    missing = values["missing_classes"]
    if len(counts) == 1 and missing:
        warning = " Careful: all usable labels are of one class."
    elif missing:
        warning = f" Careful: no label of {', '.join(missing[:MOST_NAMED])} is usable."
    else:
        warning = ""
    return f"Usable per class: {named}{more}.{warning} {_others(values)}".rstrip()


def _again(values: Values) -> str:
    n = values["ask_again"]
    if not n or values["out_of_reach"]:
        return ""
    about = "1 answer contradicts its label. It is" if n == 1 else f"{n} answers contradict their labels. They are"
    return (
        f"{about} asked again; let another person answer. A label counts as wrong until two more answers agree with it."
    )


def _waiting(values: Values) -> str:
    n = values["n_waiting"]
    which = "1 answer does" if n == 1 else f"{n:,} answers do"
    why = "documents before them in the random order have no answer, or a sample is missing"
    return f"{which} not count yet: {why}." if n else ""


def _alone(values: Values, name: str) -> str:
    return (
        f"The labels have learned from {values['n_learned']:,} answers. If you use labels that were accepted before "
        f"that, name the earlier round ({name}): otherwise the confidence is that of this round alone."
    )


def whole_file(values: Values, *, first: bool = False, hint: str = "") -> str:
    """The other promise: all labels, if people label a part of them.

    If it is not the `first`, it is empty unless more labels can be used than people would have to label.
    """
    finish, error = values["finish"], at_most(values["error"])
    step, n_left = finish["needs"][0] if finish["needs"] else None, finish["n_to_label"]
    sure = f"{confidence(1 - finish['tail'])} confidence"
    wrong = f"at most {finish['at_most_wrong']:,} of all {finish['n_documents']:,} labels ({error}) are wrong"
    if not first:
        people = f"people label {n_left:,} documents" if n_left else "the answers are used"
        return f"Or deliver the whole file{hint}: if {people}, {wrong}, with {sure}." if finish["n"] > n_left else ""
    if finish["n"]:
        rest = f"let people label the other {n_left:,}" if n_left else "the answers"
        rest += " without an answer" if n_left and finish["n"] + n_left < finish["n_documents"] else ""
        more = f" {_answers(step['more_answers'])} would make it {step['n']:,}." if step else ""
        return (
            f"To deliver the whole file: use the {finish['n']:,} most certain labels and {rest}. Then with {sure} "
            f"{wrong}.{more}"
        )
    if step:
        return (
            f"To deliver the whole file, with people labelling a part of it and at most {error} wrong: "
            f"{_answers(step['more_answers'])} would make the first {step['n']:,} labels usable."
        )
    return f"To deliver the whole file, more than 300 further answers are needed at {error}."


def _answers(n: int) -> str:
    return "One more answer, if it is correct," if n == 1 else f"{n} more answers, if all are correct,"


def _more(values: Values) -> str:
    if not values["n_accepted"] or not values["needs"]:
        return ""
    if values["out_of_reach"]:
        are_most = 2 * values["n_accepted"] >= values["n_documents"]
        allow = "allow more wrong ones, or " if values["error"] < OTHER_ERROR else ""
        return f"More labels are unlikely: {'stop here' if are_most else f'{allow}learn from the answers'}."
    step = next((step for step in values["needs"] if _unread_after(values, step) > values["unseen"]), None)
    if step is None:
        return "" if values["ask_again"] else "Further answers would cost more reading than they save: stop here."
    unread = _unread_after(values, step)
    return f"{_if_agreeing(step, values)}, {step['n']:,} are usable, about {unread:,} of them unread."


def saves_reading(values: Values) -> bool:
    """Whether some number of further answers, if they all agree with the labels, makes more unread labels usable."""
    return any(_unread_after(values, step) > values["unseen"] for step in values["needs"])


def _unread_after(values: Values, step: Values) -> int:
    return int(values["unseen"] + step["n"] - values["n_accepted"] - step["more_answers"])


def confidence(level: float) -> str:
    """A level with at most one digit, rounded down.

    >>> confidence(0.95), confidence(0.9425)
    ('95%', '94.2%')
    """
    return percent(level, floor, 1)


def at_most(share: float) -> str:
    """A share of wrong labels with at most one digit, rounded up.

    >>> at_most(0.05), at_most(0.0537)
    ('5%', '5.4%')
    """
    return percent(share, ceil, 1)
