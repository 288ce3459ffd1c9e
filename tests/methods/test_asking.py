"""What asks for values, what for yes or no, and which of two."""

import pytest

from kgqa_core.methods.asking import asks_for_values, begins_as_question, which_of_two


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Besides Ann Lee, who else founded Acme?", True),
        ("Apart from Ulm, which towns lie on the Nox?", True),
        ("Of Ann, Bob and Cat, how many sing?", True),
        ("Is Ulm, which lies on the Nox, a town?", False),
        ("Did Ann, besides Bob, found Acme?", False),
        ("Count Dracula lived in Ulm", False),
        ("Is Ulm or Bonn older?", True),
        ("Is Ulm or Bonn in Chad?", False),
        ("Ann is captain of what team", True),
        ("The river through Ulm, what is it called", True),
        ("If I leave Ulm by boat, what river is that?", True),
        ("Ann was told of what was to come", False),
        ("Ann sang in Ulm, which is on the Nox", False),
        ("Was Ann, when she sang, in Ulm?", False),
        ("Faust and Stella have the same author. Who?", True),
        ("The Nox divides two countries. Which ones?", True),
        ("Bob was shot by a rival. Day and month?", True),
        ("Ann and who else founded Acme?", True),
        ("It was which poet who wrote Faust?", True),
        ("In Faust, who does Greta love?", True),
        ("Acme comes from Chad or Mali?", True),
        ("Ann had a wife who sang; might you tell me her name?", True),
        ("If you please, what was the name of Ann's son?", True),
        ("Are there more lakes in Chad or in Mali?", True),
        ("Are there more lakes in Chad than in Mali or Togo?", False),
        ("Ulm is in Chad. True or false?", False),
        ("Ulm is in Chad. Right?", False),
        ("Ulm is in Chad, or not?", False),
        ("Faust is old, but who wrote it?", True),
        ("It may sound odd, but in which town is Ulm Tower?", True),
        ("If I went up the Nox, into which lake would I come?", True),
        ("I need to know the height of Ulm Tower.", True),
        ("Do I need a passport to go from Ulm to Chad?", False),
        ("Do I need to know who wrote Faust?", True),
        ("As a poet I must ask who wrote Faust.", True),
        ("Do me a favour and list the parts of Faust.", True),
        ("My friend adores Faust, the play by whoever it was", True),
        ("Ann Lee's home town?", True),
        ("Faust, the play: author?", True),
        ("Is it odd, but true, that Ann is from Ulm?", False),
        ("My friend says that Ann wrote Faust. Is that right?", False),
        ("I heard that Ann wrote Faust, is that so?", False),
        ("I think Ann wrote Faust", False),
        ("I wonder if Ann wrote Faust", False),
        ("It may sound odd, but is Ulm in Chad?", False),
        ("Ann wrote Faust?", False),
        ("Ulm lies in Chad?", False),
        ("Do the Nox and the Ulm meet?", False),
        ("Ann is from Ulm", False),
        ("You can see the Red Tower from Ulm.", False),
        ("We breathe through our nose", False),
        ("Our sun is a star", False),
        ("Ann died before World War I broke out.", False),
        ("Model I.C. is something an army would use.", False),
        ("Elizabeth I ruled Ulm", False),
        ("My Fair Town stars Ann", False),
        ("Ann sings follow me home", False),
        ("And I need the height of Ulm Tower", True),
        ("On Monday, I want to know the height of Ulm Tower", True),
        ("The Beatles wrote “Tell Me Why” and “You Won't See Me”", False),
    ],
)
def test_what_asks_for_values(text: str, values: bool) -> None:
    assert asks_for_values(text) is values


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Is Ulm or Bonn older?", "which is older, Ulm or Bonn"),
        ("Ulm or Bonn: which one is older", "which is older, Ulm or Bonn"),
        ("Of Ulm, Bonn and Jena, which is oldest", "which is oldest, Ulm, Bonn or Jena"),
        ("Is Ulm in Chad", ""),
        ("Ulm or Bonn - which one's older", "which is older, Ulm or Bonn"),
        ("Ulm or Bonn which has more bridges", "which has more bridges, Ulm or Bonn"),
        ("ulm or bonn who is richer", "who is richer, ulm or bonn"),
        ("ulm vs bonn which is larger", "which is larger, ulm or bonn"),
        ("taller: Ulm Tower or Bonn Hall", "which is taller, Ulm Tower or Bonn Hall"),
        ("ulm or bonn, older?", "which is older, ulm or bonn"),
        ("Ulm vs. Bonn", ""),
        ("older than Ulm or Bonn", ""),
        ("Does Ulm or Jasper have the deeper lake", "which has the deeper lake, Ulm or Jasper"),
    ],
)
def test_which_of_several_is_asked_in_one_wording(text: str, asked: str) -> None:
    assert which_of_two(text) == asked


def test_a_claim_begins_as_no_question() -> None:
    assert begins_as_question("Whom did Ann marry")
    assert not begins_as_question("Ann married Bob")
