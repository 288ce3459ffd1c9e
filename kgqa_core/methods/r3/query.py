"""How R3 reads what is put to it: the task, the options, and what may be a name (§3.2.1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal as OneOf

from rapidfuzz.distance import OSA

from kgqa_core.facts.premises import folded, words_of
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.labels import allowed_edits
from kgqa_core.methods.asking import asks_for_values, begins_as_question
from kgqa_core.methods.r3.skills import Query, Task
from kgqa_core.methods.recast import held

_NAMES = 24  # spans of a question the linker looks up
_WORDS = 8  # of the longest of them

_CLAIM = re.compile(r"(?:true or false|claim)\s*[:,]?\s*", re.IGNORECASE)
_IS_IT_SO = re.compile(r"is it true that\s+", re.IGNORECASE)
_CHOICE = re.compile(r"^(?P<query>.*?)\s*Choose one of:\s*(?P<options>.*)$", re.DOTALL)
_ITEM = re.compile(r"\(\d+\)\s*")
_LISTED = re.compile(r"^(?P<query>.*\S):\s+(?P<options>\S.*?)[?.!\s]*$", re.DOTALL)
_BETWEEN = re.compile(r"\s*[;,]\s*(?:or\s+)?|\s+or\s+")
_WH = re.compile(r"\b(?:which|what|who|whom|where)\b", re.IGNORECASE)
_LONG = 8  # words of an option in a list without numbers


def read_query(question: str, put_as: Task | OneOf["auto"]) -> Query:
    """The query with its task: `True or false: …` is a claim, `… Choose one of: (1) …` a choice."""
    choice = _CHOICE.match(question)
    if choice and put_as in {"auto", "preference"}:
        items = (item.strip(" ;.") for item in _ITEM.split(choice["options"]))
        options = [item for item in items if item]
        return Query(question=choice["query"], task="preference", options=options)
    if put_as == "preference" and (listed := between(question)):
        return listed
    question = held(question) or question
    if asked := _IS_IT_SO.match(question):
        question = f"{question[asked.end() :].rstrip('?!. ')}, right?"
    marked = _CLAIM.match(question)
    bare = question[marked.end() :] if marked else question
    asks = bare.rstrip().endswith("?") or begins_as_question(bare) or asks_for_values(bare)
    task: Task = "claim" if marked or not asks else "question"
    if put_as != "auto":
        task = put_as
    return Query(question=bare, task=task)


def between(question: str) -> Query | None:
    """A choice put in words: “Which of these floats: a cork, a coin or a key?”

    Facts may decide it as well (“Which is larger: Mars or Venus?”), so it is a choice by rules only
    where a method has nothing better.
    """
    found = None if _CHOICE.match(question) else _LISTED.match(question)
    if not found or not (_WH.search(found["query"]) or " or " in found["options"]):
        return None
    options = [item for item in _BETWEEN.split(found["options"]) if item]
    if len(options) < 2 or max(len(option.split()) for option in options) > _LONG:
        return None
    return Query(question=f"{found['query']}?", task="preference", options=options)


def unfit(query: Query) -> str:
    """Why R3 cannot decide such a query; empty when it can."""
    if query.task == "question":
        if asks_for_values(query.question.lstrip()):
            return (
                "R3 decides questions of yes or no, claims, and choices between options. Ask this "
                "as one of those, or choose a method that looks answers up, such as ReAct."
            )
        return ""
    if query.task != "preference":
        return ""
    if not query.options:
        return (
            "Undetermined because there are no options. Write them after the query: "
            "“… Choose one of: (1) …; (2) …”."
        )
    if len({folded(option) for option in query.options}) < len(query.options):
        return "Undetermined because two of the options are the same. Make them differ."
    return ""


_TITLES = frozenset("the a an mr mrs ms dr sir lord lady dame saint st prof".split())


def is_its_name(mention: str, entity: Entity) -> bool:
    """A common noun is a name in full or none; Martin Luther is not Martin Luther King, nor Mary
    Obama called Obama."""
    own, names = words_of(mention), [words_of(n) for n in (entity.label, *entity.aliases)]
    if own in names:
        return True
    if any(set(name) < set(own) and not set(own) - set(name) <= _TITLES for name in names if name):
        said, called = folded(mention), [folded(n) for n in (entity.label, *entity.aliases)]
        most = allowed_edits(said)
        return any(OSA.distance(said, name, score_cutoff=most) <= most for name in called)
    longer = len(own) > 1 and any(name[: len(own)] == own for name in names)
    return not mention[:1].islower() and not longer


def unheard(mentions: Sequence[str], found: Sequence[str]) -> list[str]:
    """Names that share no word with one that was found, the longest of nested ones."""
    known = {word for mention in found for word in folded(mention).split()}
    strange = [m for m in mentions if m[:1].isupper() and not known & set(folded(m).split())]
    return [m for m in strange if not inside(m, (other for other in strange if other != m))]


def left_out(question: str, texts: Collection[str]) -> list[str]:
    """Names, word by word, that none of the texts has: a “Steinway piano” is not any piano."""
    words = [w for w in spans(question) if " " not in w and w[:1].isupper()]
    return [w for w in words if folded(w) not in _TITLES and not inside(w, texts)]


def inside(mention: str, longer: Iterable[str]) -> bool:
    """Whether the words of one text stand in another, as whole words."""
    return any(f" {folded(mention)} " in f" {folded(other)} " for other in longer)


def is_torn(name: str, question: str, known: Collection[str]) -> bool:
    """Whether a word is but the first or last of a name that the graph lacks: Obama, of “Mary
    Obama”. `known`: what else of the question the graph has, titles and kinds as well.
    """
    if " " in name or not name[:1].isupper():
        return False
    at = rf"(?:(?P<before>[^\W\d_]\w*) )?\b{re.escape(name)}\b(?: (?P<after>[^\W\d_]\w*))?"
    first = question.split(" ", 1)[0] if begins_as_question(question) else ""
    torn = []
    for found in re.finditer(at, question):
        beside = [found["before"] if found["before"] != first else None, found["after"]]
        names = [word for word in beside if word and word[:1].isupper()]
        torn.append(any(folded(w) not in _TITLES and not inside(w, known) for w in names))
    return bool(torn) and all(torn)


_WORD = re.compile(r"[^\s?!,;:()\"“”]+")
SMALL = frozenset(
    "a an the of in on at to for and or de la le el al von van der den du da do di y i & bin ibn "
    "is are was were do does did can could would will should has have had if be been it not".split()
)


NO_NAMES = SMALL | frozenset(  # in capitals for no other reason: “You may …” is no series
    "you we they he she i it its his her one anything nothing everything someone somebody "
    "anyone anybody everyone everybody nobody people "
    "there".split()
)
_ASKED = frozenset(("which", "what", "whom", "whose"))  # “Under which king …”


def _is_name_like(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()


_SENTENCES = re.compile(  # “Dr. Who” is none
    r"(?<!\b(?:Dr|Mr|Ms|St))(?<!\bMrs)[.!]\s+(?=(?:Who|Whom|Whose|What|Which|Where|When|Why|How|Is|Are"
    r"|Was|Were|Do|Does|Did|Has|Have|Had|Can|Could|Will|Would|Should|And|But|So|In|On|At|For|From)\b)"
)


def spans(question: str) -> list[str]:
    """Runs of words that begin and end with a name-like word: in capitals, or with a digit.

    None runs from one sentence into a question behind it.
    """
    found = [_runs(part) for part in _SENTENCES.split(question)]
    runs = {run: length for one in found for run, length in one.items()}
    return sorted(runs, key=lambda run: -runs[run])[:_NAMES]


def _runs(question: str) -> dict[str, int]:
    written = _WORD.findall(question)
    words = [re.sub(r"['’]s?$|(?<=\w{4})\.$", "", w) for w in written]
    likely = [
        i
        for i, w in enumerate(words)
        if _is_name_like(w) and (len(w) > 1 or (w in "IVX" and _is_name_like(words[i - 1]) and i))
    ]
    if (
        likely[:1] == [0]
        and (begins_as_question(question) or (words[1:2] and words[1] in _ASKED))
        and not any(map(_is_name_like, words[1:2]))
    ):
        del likely[0]  # “When was Ulm”; but “When Harry Met Sally”
    runs = {}
    for i in likely:
        for j in likely:
            run = words[i : j + 1]
            if not 0 < len(run) <= _WORDS or (len(run) == 1 and folded(run[0]) in SMALL):
                continue
            if folded(run[0]) in NO_NAMES and i == 0:
                continue
            runs[" ".join((*written[i:j], words[j]))] = j - i  # “Rosemary's Baby”, “Ulm's”
    return runs
