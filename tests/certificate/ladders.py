"""What tests ask of ladders."""

from labelferry.certificate.accept import given_answers, highest, next_questions


def certified(ladder, answers):
    """The highest certified rung."""
    return highest(ladder, given_answers(ladder, answers))


def next_question(ladder, answers):
    """The next row to ask about; None if there is none."""
    return next(iter(next_questions(ladder, answers, 1)), None)
