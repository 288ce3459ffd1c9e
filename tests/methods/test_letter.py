"""What a text asks for, wherever it stands, and what it points back to; no talk around it."""

import pytest

from kgqa_core.methods.letter import asked_first, question_of


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
        ("It has bothered me all day: who played Greta in Faust?", "who played Greta in Faust"),
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
        ("capital of the country where the old tower is", ""),
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
        ("I wonder if you could settle this for us: was Ann married?", "was Ann married"),
        ("A friend says that Ann wrote Faust. Is she right?", "Is it true that Ann wrote Faust?"),
        ("I read that Ulm is in Chad; can you confirm that?", "Is it true that Ulm is in Chad?"),
        ("Could you look up for me which poet was born in Ulm?", "which poet was born in Ulm"),
        ("Our team is stuck on this: what is the oldest town?", "what is the oldest town"),
        ("Can a dog know who its owner is?", "Can a dog know who its owner is?"),
        ("Can you tell me whether the town where Ann lives is in Chad?",
         "Can you tell me whether the town where Ann lives is in Chad?"),
        ("Who told you what Ann did?", "Who told you what Ann did?"),
    ],
)  # fmt: skip
def test_politeness_is_unwrapped(text: str, asked: str) -> None:
    assert question_of(text).rstrip("?") == asked.rstrip("?")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("For a quiz: who wrote Faust?", "who wrote Faust"),
        ("who wrote Faust, just the surname please", "who wrote Faust"),
        ("capital of Chad?? my wife says Ulm", "capital of Chad"),
        ("a play with the line \"Ann, come here\"", "a play with the line \"Ann, come here\""),
        ("Ann, Bob and Cat: who is oldest", "Ann, Bob and Cat: who is oldest"),
    ],
)  # fmt: skip
def test_talk_around_a_question_is_left_out(text: str, asked: str) -> None:
    assert question_of(text).rstrip("?") == asked.rstrip("?")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        # what points back, and to what
        ("The painter of Night Hill, what year was she born?",
         "what year was the painter of Night Hill born"),
        ("The founder of Acme: when did he die?", "when did the founder of Acme die"),
        ("My aunt says Ann Lee moved to Ulm in 1931, what was the exact date?",
         "what date did Ann Lee moved to Ulm on"),
        ("The Red Tower collapsed in 1820, but on which day exactly?",
         "what day did The Red Tower collapsed on"),
        ("We drove to Ulm on Monday and I have no idea how many people live there.",
         "how many people live in Ulm"),
        ("The Red Tower: I know it is in Ulm, but how old is the thing?", "how old is Red Tower"),
        ("My aunt met Ann Lee in Ulm. Which school did she go to?",
         "Which school did Ann Lee go to"),
        ("My aunt saw a play by Ann Lee. What is its title?", "which play by Ann Lee"),
        ("Grandma came from Ulm. Which country is that town in?", "Which country is Ulm in"),
        ("Cara lives by the Nox. How old is she?", "How old is Cara"),
        ("I never knew what kind of bird a kiwi is. Where does it live?", "Where does a kiwi live"),
        ("Ben met Ann in May; which of the two is older?", ""),
        ("Strolling through Ulm, who built the oldest tower in Chad?",
         "Strolling through Ulm, who built the oldest tower in Chad"),
        ("We heard Faust on Sunday, and I wonder who wrote the music.",
         "who wrote the music of Faust"),
        # who supposes to be somewhere
        ("If I went up the Nox, into which lake would I come?", "into which lake would Nox come"),
        ("If I want to see the Red Tower, which town do I go to?", "which town is Red Tower in"),
        ("Suppose I land in Ulm. What money would I need?", "What money would Ulm need"),
        # what was told, as the question that is asked of it
        ("The Nox flows through two towns. Which ones?", "which towns does The Nox flow through"),
        ("Faust and Stella have the same author. Who?", "who is the author of Faust and Stella"),
        ("One of the Great Towers is empty. Which?", "which of the Great Towers is empty"),
        ("They say Ann Lee died in Ulm. In which year?", "which year did Ann Lee died in Ulm in"),
        ("Nobody knows which tree bears nuts. Which is it?", "which tree bears nuts"),
        ("I wrote to the makers of the Red Tower. Who were they?",
         "who is the makers of the Red Tower"),
        ("Ulm was built by giants. What were they?", "Ulm was built by giants. What were they"),
        ("Somebody told me that Ann Lee had a brother who sang. The name?",
         "what is the brother of Ann Lee who sang"),
        ("I'm told that Ann Lee lived on a small hill, and I'd like to find out which one it was.",
         "which small hill did Ann Lee lived on"),
        ("I'd love to see the place where Ann Lee was born. Where do I go?",
         "what is the place where Ann Lee was born"),
        ("There's a play with Bo Day as the king, The Red Crown, mum loves it. Who wrote it?",
         "Who wrote Red Crown"),
        ("Bea says Ulm is the capital of Chad. Which town is it really?",
         "what is the capital of Chad"),
        ("My aunt insists that the Red Tower was a present from Chad. From which land was it?",
         "which land was the Red Tower a present from"),
        ("We hear the Red Tower was built by a giant. What was the giant's name?",
         "which giant was the Red Tower built by"),
        ("The author of Faust, he also painted, and I want to know where he was born.",
         "where was The author of Faust born"),
        ("They say Ann Lee was a queen of Chad. Which town did she rule?",
         "Which town did Ann Lee rule"),
        ("I used to think bears lived in Ulm. They don't, do they?",
         "I used to think bears lived in Ulm. They don't, do they"),
        # what only surrounds it
        ("Dear all, we love a band called Nox. Where are they from? Kind regards, Ben",
         "Where are Nox from"),
        ("Was it Ann or Bea who wrote Faust? I forget such things.", "who wrote Faust"),
        ("I'm reading about Ann Lee, but who was it that shot her?", "who shot Ann Lee"),
        ("Who wrote Faust, which hangs in Ulm? We go there soon.", "Who wrote Faust"),
        ("My son asked me what the moon is made of, and I'd rather give him a good answer.",
         "what is the moon made of"),
        ("Out of pure interest, in which land is Ulm?", "in which land is Ulm"),
        ("To which land, if I may ask, does Ulm belong?", "To which land does Ulm belong"),
        ("Wherever I look I read about Ulm, but who founded it?", "who founded Ulm"),
        ("Before Ulm was built, what was the capital of Chad?",
         "Before Ulm was built, what was the capital of Chad"),
        ("If you hope to see bears, is Ulm better than Bonn?",
         "If you hope to see bears, is Ulm better than Bonn"),
        ("If you can, who wrote Faust?", "who wrote Faust"),
        ("Which is older: Ulm or Bonn?", "Which is older: Ulm or Bonn"),
        ("What I should like to know is where Ann Lee lived.", "where did Ann Lee lived"),
        ("You'd help me by naming the parts of Faust.", "the parts of Faust"),
        ("Would you need a boat to cross the Nox?", "Would you need a boat to cross the Nox"),
        ("I think Ulm is in Chad.", "I think Ulm is in Chad."),
        ("Ulm is in Chad. True or false?", "Ulm is in Chad. True or false"),
    ],
)  # fmt: skip
def test_a_letter_comes_down_to_its_question(text: str, asked: str) -> None:
    assert question_of(text).rstrip("?") == (asked or text.rstrip("?"))


@pytest.mark.parametrize("text", ["How old is Ulm?", "Ann lives where?", "", "?", "Ulm"])
def test_a_question_alone_stays_as_it_is(text: str) -> None:
    assert question_of(text) == text


def test_a_text_that_is_no_question_by_its_length_is_left_as_it_is() -> None:
    long = "I know " * 20_000 + "which town Ann lives in"
    assert asked_first(long) == ""
    assert question_of(long) == long.strip()
