"""What the reader does for Keqing: it follows the nearest example, and tells the log."""

from kgqa_core.methods.keqing.skills import (
    LogEntry,
    Option,
    SubQuestion,
    ToPick,
    ToPlan,
    ToSplit,
    ToWrite,
    Worked,
)
from kgqa_core.reader import keqing

PARTS = [SubQuestion(id=0, question="who owns [mask]", seeds=["Old Mill"])]
NEAREST = Worked(template="who owns [mask]", parts=PARTS, chain="owner")


def entry(question: str, *answers: str, count: int = 0, facts: list[int] | None = None) -> LogEntry:
    return LogEntry(
        question=question, answers=list(answers), count=count or len(answers), facts=facts or []
    )


def test_a_question_is_split_as_the_nearest_example() -> None:
    asked = ToSplit(question="Who owns Old Mill?", examples=[NEAREST])
    assert keqing.split(asked).parts == PARTS
    assert (keqing.predict(asked).seed, keqing.predict(asked).chain) == ("Old Mill", "owner")


def test_without_an_example_nothing_is_split_nor_planned() -> None:
    asked = ToSplit(question="Who owns Old Mill?", examples=[])
    assert keqing.split(asked).parts == []
    assert (keqing.predict(asked).seed, keqing.predict(asked).chain) == ("", "")
    assert keqing.plan(ToPlan.model_construct()).chain == ""


def test_of_chains_that_are_as_good_the_first_is_taken() -> None:
    def picked(*scores: float) -> list[int]:
        options = [Option.model_construct(score=score) for score in scores]
        return keqing.pick(ToPick.model_construct(options=options)).options

    assert picked(0.2, 0.7, 0.7) == [1]
    assert picked(0.0, 0.0) == []
    assert picked() == []


def test_the_last_answers_come_first_then_what_led_to_them() -> None:
    log = [
        entry("who owns Old Mill", "Ann Roth", facts=[0]),
        entry("what is Ann called", "Ann"),
        entry("who are her heirs", "Ben Ask", "Cat Lund", facts=[1, 2]),
    ]
    told = keqing.write(ToWrite(question="?", log=log, facts=[]))
    assert [s.text for s in told.sentences] == [
        "Ben Ask and Cat Lund.",
        "“who owns Old Mill” gave Ann Roth.",
    ]
    assert told.sentences[0].facts == [1, 2]
    assert told.values == ["Ben Ask", "Cat Lund"]


def test_of_many_answers_the_rest_are_counted() -> None:
    many = entry("who came", *(f"Guest {n}" for n in range(12)), count=30)
    (sentence,) = keqing.write(ToWrite(question="?", log=[many], facts=[])).sentences
    assert "Guest 9" in sentence.text
    assert "Guest 10" not in sentence.text
    assert "20 more" in sentence.text


def test_an_empty_log_has_nothing_to_tell() -> None:
    assert keqing.write(ToWrite(question="?", log=[], facts=[])).reason == "Nothing was found."
