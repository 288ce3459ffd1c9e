"""What is asked for, wherever it stands; what only talks around it is left out."""

import pytest

from kgqa_core.methods.recast import asked_first, unwrapped, without_talk


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Ann lives in which town?", "which town does Ann live in"),
        ("Faust was written by which poet?", "which poet was Faust written by"),
        ("a harp has how many strings", "how many strings does a harp have"),
        ("a harp's got how many strings?", "how many strings does a harp have"),
        ("Acme was founded by", "who was Acme founded by"),
        ("the longest river of Chad is...", "what is the longest river of Chad"),
        ("Ann was born in this town", "which town was Ann born in"),
        ("Ann had a sister who sang. What was her name?", "who is the sister of Ann who sang"),
        ("The tower by the lake, what is it called", "what is The tower by the lake"),
        ("The man who built Acme - who was he?", "who is The man who built Acme"),
        ("There's a bridge over the Nox. What's it called?", "what is bridge over the Nox"),
        ("Ann wrote a play about Bob, what's its name", "which play about Bob did Ann wrote"),
        ("The blue flag, whose is it", "whose is The blue flag"),
        ("harp strings, how many", "how many harp strings"),
        ("Could you tell me who wrote Faust?", "who wrote Faust"),
        ("I am fond of Ulm. Could you tell me how old it is?", "how old is Ulm"),
        ("The Red Tower stands in Ulm. Please, who built it?", "who built Red Tower"),
        ("My son reads Faust. Who wrote this book?", "Who wrote Faust"),
        ("We go to Chad in May. What do they speak there?", "What do they speak in Chad"),
        ("Ann Lee is a singer. What is her mother called?", "What is Ann Lee's mother called"),
        ("so ulm, how old is it", "how old is ulm"),
        ("I forget such things; could you remind me which lake is in Ulm?", "which lake is in Ulm"),
        ("I love the Red Tower in Ulm; who built it?", "who built Red Tower"),
        ("I like Ann Lee; would you tell me the name of her mother?", "what is Ann Lee's mother"),
        ("We saw Ulm, then Bonn. When was it founded?", ""),  # which of the two?
        ("We saw the Red Tower in Ulm. When was it built?", "When was Red Tower built"),
        ("It has bothered me all day: who played Greta in Faust?", "who played Greta in Faust?"),
        ("I mix up the two Lees. Who's the father of Ann Lee?", "Who's the father of Ann Lee"),
        ("It may sound odd, but is Ulm in Chad?", "is Ulm in Chad"),
        ("Faust is old, but who wrote it?", "who wrote Faust"),
        ("As a poet I must ask who wrote Faust.", "who wrote Faust"),
        ("Maybe you can tell me to which poet Ann was married.", "which poet was Ann married to"),
        ("In Faust, who does Greta love?", ""),
        ("In 1986 a tower fell in Ulm; what was that tower called?", ""),
        ("Besides Ann, who sang in Ulm?", ""),
        ("In World War I, who sang in Ulm?", ""),
        ("We saw the Red Tower, then Ulm. When was it built?", ""),  # which of the two?
        ("We went by Ulm, then Bonn; would you tell me the name of its founder?", ""),
        ("I like Faust; would you tell me the name of its author?", "what is Faust's author"),
        ("Ulm lies in Chad, where it rains.", ""),
        ("Where does Ann live?", ""),
        ("Is Ulm, which lies on the Nox, a town?", ""),
        ("Ann sang in Ulm, which is on the Nox", ""),
        ("Ann was told of what was to come", ""),
        ("Ann lives in Ulm", ""),
        ("The man who built Acme died in 1950", ""),
    ],
)
def test_what_is_asked_for_is_put_first(text: str, asked: str) -> None:
    assert asked_first(text) == asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Would you be so kind as to tell me which lady wrote Faust?", "which lady wrote Faust"),
        ("I wonder whether you could tell me what the capital of Chad is.",
         "what is the capital of Chad"),
        ("Please tell me in which war Ann fought", "which war did Ann fought in"),
        ("Might I ask which tree it is that bears nuts?", "which tree bears nuts"),
        ("I should like to know the name of the poet", "the name of the poet"),
        ("I wonder if you could settle this for us: was Ann married?", "was Ann married?"),
        ("A friend says that Ann wrote Faust. Is she right?", "Is it true that Ann wrote Faust?"),
        ("I read that Ulm is in Chad; can you confirm that?", "Is it true that Ulm is in Chad?"),
        ("Could you look up for me which poet was born in Ulm?", "which poet was born in Ulm"),
        ("Our team is stuck on this: what is the oldest town?", "what is the oldest town"),
        ("Is this right for me: was Ann", "Is this right for me: was Ann"),
        ("Can a dog know who its owner is?", "Can a dog know who its owner is?"),
        ("Can you tell me whether the town where Ann lives is in Chad?",
         "Can you tell me whether the town where Ann lives is in Chad?"),
        ("Who told you what Ann did?", "Who told you what Ann did?"),
    ],
)  # fmt: skip
def test_politeness_is_unwrapped(text: str, asked: str) -> None:
    assert unwrapped(text) == asked


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("For a quiz: who wrote Faust?", "who wrote Faust?"),
        ("who wrote Faust, just the surname please", "who wrote Faust"),
        ("capital of Chad?? my wife says Ulm", "capital of Chad"),
        ("a play with the line \"Ann, come here\"", "a play with the line \"Ann, come here\""),
        ("Ann, Bob and Cat: who is oldest", "Ann, Bob and Cat: who is oldest"),
    ],
)  # fmt: skip
def test_talk_around_a_question_is_left_out(text: str, asked: str) -> None:
    assert without_talk(text) == asked


def test_a_text_that_is_no_question_by_its_length_is_left_as_it_is() -> None:
    long = "I know " * 20_000 + "which town Ann lives in"
    assert asked_first(long) == ""
    assert unwrapped(long) == without_talk(long) == long
