"""How good an answer is: every metric with its definition and where it comes from.

All of them compare *sets* of answers, each compared in the form the gold has: an id with an id,
a number or date at the precision of the gold, everything else by its name in plain form.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any
from typing import Literal as OneOf

from kgqa_core.ask.events import Answer, Audited, Grounding
from kgqa_core.evaluation.datasets.base import Example, Gold, short
from kgqa_core.facts.normalise import literal
from kgqa_core.facts.terms import BOOLEAN, NUMBERS, TIMES, Entity, Value

Certainty = OneOf["certain", "uncertain", "abstained", ""]  # empty: the question failed

HEADLINE = "supported_accuracy"
METRICS = {
    "supported_accuracy": "right, and every sentence grounded in the graph",
    "accuracy": "right, of questions with a closed choice (yes/no, claims, options)",
    "exact": "the answer is exactly a gold set",
    "f1": "macro F1 over answer sets",
    "precision": "macro precision over answer sets",
    "recall": "macro recall over answer sets",
    "hits_at_1": "the first answer is a gold answer",
    "hits_at_1_lenient": "ToG's substring match; only to meet published numbers",
    "rouge_l": "ROUGE-L F1 between the answer's text and the reference",
    "claim_support": "factual claims of the answers that the graph supports, where audited",
    "reasoning_check": "rules and conclusions of the answers that hold, where audited",
    "wrong_but_certain": "wrong answers that were not marked as a guess: the lower, the better",
}
LOWER_IS_BETTER = frozenset({"wrong_but_certain"})


@dataclass(frozen=True, slots=True)
class Item:
    """One answer in all forms it can be compared in."""

    ids: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    numbers: tuple[Decimal, ...] = ()
    times: tuple[str, ...] = ()
    truth: bool | None = None

    @staticmethod
    def of(ids: Iterable[str] = (), texts: Iterable[str] = ()) -> Item:
        """An answer by its ids and by what it is called; texts may be numbers or dates."""
        numbers: list[Decimal] = []
        times: list[str] = []
        truth: bool | None = None
        texts = [t for t in texts if t]
        for text in texts:
            found = literal(text)
            if found is None:
                continue
            if found.datatype == BOOLEAN:
                truth = found.value == "true"
            elif found.datatype in TIMES:
                times.append(found.value)
            elif (number := _number(found.value)) is not None:
                numbers.append(number)
                if len(found.value) == 4 and found.value.isdigit():
                    times.append(found.value)
        names = frozenset(plain(t) for t in texts)
        return Item(frozenset(map(short, ids)), names, tuple(numbers), tuple(times), truth)


def of_gold(gold: Gold) -> Item:
    return Item.of([gold.id] if gold.id else (), gold.names)


def of_value(value: Value) -> Item:
    """A predicted answer: an entity by id, label and aliases, a literal by its value."""
    if isinstance(value, Entity):
        names = frozenset(plain(t) for t in (value.label, *value.aliases) if t)
        return Item(frozenset((short(value.id),)), names, *_numeric(value.label))
    item = Item.of(texts=(value.value, value.name))
    if value.datatype in NUMBERS and not item.numbers:  # scientific notation
        number = _number(value.value)
        return Item(item.ids, item.names, (number,) if number is not None else (), item.times)
    return item


def plain(text: str) -> str:
    """Folded case, one kind of dash and quotation mark, no outer punctuation, no leading article.

    Accents and inner punctuation stay: C++ is not C. Coordinates lose their final zeros.
    """
    text = unicodedata.normalize("NFKC", text).translate(_MARKS).casefold()
    text = " ".join(text.split()).strip(" .,;:!?\"'")
    if text.startswith("point("):
        text = _FINAL_ZEROS.sub(r"\1", text)
    return text.removeprefix("the ") or text


def same(predicted: Item, gold: Item) -> bool:
    """Whether the answer is the gold one.

    Ids decide where both have one of the same kind: a namesake is wrong. Else a name is enough,
    a number that rounds to the gold's at its decimals, a date that lies in the gold's year,
    month or day. A gold first of January (or of a month) is met by the bare year (or month) too,
    since Wikidata's results print a year that way.
    """
    if gold.ids and predicted.ids and _kinds(gold.ids) & _kinds(predicted.ids):
        return not gold.ids.isdisjoint(predicted.ids)
    return (
        not gold.names.isdisjoint(predicted.names)
        or (gold.truth is not None and gold.truth == predicted.truth)
        or any(_rounds_to(p, g) for g in gold.numbers for p in predicted.numbers)
        or any(_within(p, g) for g in gold.times for p in predicted.times)
    )


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many answers of two sets pair up, one to one."""

    matched: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """Matched of predicted; 1 when both sets are empty, 0 when only one is."""
        return _share(self.matched, self.predicted, self.gold)

    @property
    def recall(self) -> float:
        """Matched of gold; 1 when both sets are empty, 0 when only one is."""
        return _share(self.matched, self.gold, self.predicted)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, so 2·matched / (predicted + gold).

        Both sets empty: 1 (Usbeck et al., GERBIL, Semantic Web 2019). Averaged over questions it
        is the macro F1 of QALD; over result *rows* it is the row-major F1 of SPINACH (Liu et al.,
        EMNLP 2024 Findings) where the gold has one column.
        """
        together = self.predicted + self.gold
        return 2 * self.matched / together if together else 1.0


def overlap(predicted: Sequence[Item], gold: Sequence[Item]) -> Overlap:
    """The largest one-to-one pairing of two sets; doubles within a set count once."""
    ours, theirs = list(dict.fromkeys(predicted)), list(dict.fromkeys(gold))
    candidates = _candidates(ours, theirs)
    partner: dict[int, int] = {}  # of ours, the gold it is paired with

    def pair(g: int, tried: set[int]) -> bool:
        for p in candidates[g]:
            if p not in tried:
                tried.add(p)
                if p not in partner or pair(partner[p], tried):
                    partner[p] = g
                    return True
        return False

    matched = sum(pair(g, set()) for g in range(len(theirs)))
    return Overlap(matched, len(ours), len(theirs))


def hits_at_1(predicted: Sequence[Item], gold: Sequence[Item]) -> float:
    """1 if the first answer equals a gold answer by id, label or alias (strict).

    The usual measure on MetaQA and WebQSP (Sun et al., EMNLP 2018). No answer is a hit only
    where the gold set is empty.
    """
    if not predicted or not gold:
        return float(not predicted and not gold)
    return float(any(same(predicted[0], g) for g in gold))


def hits_at_1_lenient(texts: Iterable[str], gold: Iterable[Gold]) -> float:
    """ToG's “exact match”: gold and answer, without spaces, contain one another.

    Sun et al., ICLR 2024, `eval/utils.py`. Too kind (“no” is in “Norway”), so it never stands
    alone. Departure: an empty answer is no hit; there it always is.
    """
    said = [t for t in (_tight(text) for text in texts) if t]
    wanted = [w for g in gold for name in g.names if (w := _tight(name))]
    return float(any(t in w or w in t for t in said for w in wanted))


def rouge_l(text: str, reference: str) -> float:
    """F1 of the longest common subsequence of words (Lin 2004), as `rouge-score` computes it.

    Without stemming; the measure of PG&AKV on open questions.
    """
    return float(_rouge().score(reference, text)["rougeL"].fmeasure)


@dataclass(frozen=True)
class Scores:
    """One answer against all gold sets of a question; None where a metric does not apply.

    `f1`, `precision` and `recall` are those of the gold set that fits best; `by_gold` has the
    F1 against each.
    """

    f1: float
    precision: float
    recall: float
    exact: float
    hits_at_1: float
    hits_at_1_lenient: float
    accuracy: float | None
    rouge_l: float | None
    supported_accuracy: float
    by_gold: Mapping[str, float]
    claim_support: float | None = None
    reasoning_check: float | None = None
    wrong_but_certain: float = 0.0

    def values(self) -> dict[str, float]:
        """The metrics that apply, by name, in the table's order."""
        return {name: v for name in METRICS if (v := getattr(self, name)) is not None}


def score(example: Example, answer: Answer, audit: Audited | None = None) -> Scores:
    """All metrics of one answer. An abstention is an empty set without text.

    Supported accuracy: the answer set is exactly a gold set, and every sentence of the answer
    cites the graph; where the answer was audited, every factual claim in it is also supported. A
    model that knows the benchmark by heart gets accuracy, not this.

    Claim support is FActScore's precision (Min et al., EMNLP 2023) without its penalty for short
    answers: like there, it is over answers that were given. The reasoning check is the same for
    the rules and conclusions of an answer, which R3 judged by hand (Toroghi et al., EMNLP 2024).

    Wrong but certain: an answer was given, not marked as a guess, and is not exactly a gold set.
    Over all questions this is the risk of a selective predictor times its coverage (El-Yaniv and
    Wiener, JMLR 2010): a method that always abstains has none, so it never stands alone.
    """
    predicted = [of_value(v) for v in answer.values]
    sets = {name: [of_gold(g) for g in answers] for name, answers in example.gold.items()}
    found = {name: overlap(predicted, items) for name, items in sets.items()}
    best = max(found.values(), key=lambda o: (o.f1, o.recall))
    exact = float(best.f1 == 1.0)
    return Scores(
        f1=best.f1,
        precision=best.precision,
        recall=best.recall,
        exact=exact,
        hits_at_1=max(hits_at_1(predicted, items) for items in sets.values()),
        hits_at_1_lenient=_lenient(example, answer, exact),
        accuracy=exact if closed(example) else None,
        rouge_l=_rouge_of(example, answer),
        supported_accuracy=float(exact == 1.0 and _supported(answer, audit)),
        by_gold={name: o.f1 for name, o in found.items()},
        claim_support=audit.support if audit else None,
        reasoning_check=_reasoning(audit) if audit else None,
        wrong_but_certain=float(exact < 1.0 and certainty(answer) == "certain"),
    )


def failed(example: Example) -> Scores:
    """What a question scores that ended in an error: nothing, whatever the gold is."""
    return Scores(
        f1=0.0,
        precision=0.0,
        recall=0.0,
        exact=0.0,
        hits_at_1=0.0,
        hits_at_1_lenient=0.0,
        accuracy=0.0 if closed(example) else None,
        rouge_l=0.0 if _references(example) else None,
        supported_accuracy=0.0,
        by_gold=dict.fromkeys(example.gold, 0.0),
    )


def closed(example: Example) -> bool:
    """Whether the answer is one of a few that are known beforehand."""
    return example.form != "question" or any(
        len(answers) == 1 and of_gold(answers[0]).truth is not None
        for answers in example.gold.values()
    )


def _supported(answer: Answer, audit: Audited | None) -> bool:
    """Whether nothing is said without the graph: an abstention says nothing."""
    if answer.grounding == "ungrounded":
        return False
    return audit is None or audit.support in (None, 1.0)


def _reasoning(audit: Audited) -> float | None:
    found = audit.reasoning
    return sum(claim.mark == "supported" for claim in found) / len(found) if found else None


def verdict(scores: Scores | None, grounding: Grounding) -> str:
    """`right`, `wrong`, `abstained` or `failed`: the one word for a question.

    To abstain is right where the gold is that nothing is.
    """
    if scores is None:
        return "failed"
    if scores.exact:
        return "right"
    return "abstained" if grounding == "abstained" else "wrong"


def certainty(answer: Answer) -> Certainty:
    """How an answer was given: as certain, marked as a guess, or not at all."""
    if answer.grounding == "abstained":
        return "abstained"
    return "certain" if answer.certain else "uncertain"


def _lenient(example: Example, answer: Answer, exact: float) -> float:
    """Strict for a closed choice, which ToG's test leaves out: every second word has a “no”."""
    if closed(example):
        return exact
    said = [answer.text, *(v.name for v in answer.values[:1])]
    return max(hits_at_1_lenient(said, answers) for answers in example.gold.values())


def _rouge_of(example: Example, answer: Answer) -> float | None:
    references = _references(example)
    if not references:
        return None
    return max(rouge_l(answer.text, r) for r in references) if answer.text else 0.0


def _references(example: Example) -> list[str]:
    """The reference texts, or the gold names in a row; nothing where the gold has ids only."""
    if example.reference:
        return [r for text in example.reference.split("|") if (r := text.strip())]
    named = [
        ", ".join(g.names[0] for g in answers)
        for answers in example.gold.values()
        if answers and all(g.names for g in answers)
    ]
    return [] if closed(example) and example.form != "choice" else list(dict.fromkeys(named))


def _candidates(ours: Sequence[Item], theirs: Sequence[Item]) -> list[list[int]]:
    """For each gold answer, which of ours are the same; looked up, not compared one by one."""
    if len(ours) * len(theirs) <= 64:
        return [[p for p, item in enumerate(ours) if same(item, g)] for g in theirs]
    by_key: dict[str, list[int]] = {}
    loose = []  # numbers, dates and truths have no key
    for p, item in enumerate(ours):
        for key in item.ids | item.names:
            by_key.setdefault(key, []).append(p)
        if item.numbers or item.times or item.truth is not None:
            loose.append(p)
    found = []
    for g in theirs:
        near = {p for key in g.ids | g.names for p in by_key.get(key, ())}
        near.update(loose if g.numbers or g.times or g.truth is not None else ())
        found.append([p for p in sorted(near) if same(ours[p], g)])
    return found


def _share(part: int, whole: int, other: int) -> float:
    return part / whole if whole else float(other == 0)


_MARKS = str.maketrans(
    dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("‘’ʼ`´", "'") | dict.fromkeys("“”„", '"')
)
_FINAL_ZEROS = re.compile(r"\.0+\b|(?<=\.)(\d*[1-9])0+\b")
_QID = re.compile(r"[QLP]\d+")


def _kinds(ids: Iterable[str]) -> set[str]:
    """`wikidata`, or the namespace of an IRI."""
    return {"wikidata" if _QID.fullmatch(i) else re.split(r"[^/#]*$", i)[0] for i in ids}


def _numeric(label: str) -> tuple[tuple[Decimal, ...], tuple[str, ...]]:
    """An entity that is called 1998 is a number too."""
    if not label[:1].isdigit():
        return (), ()
    item = Item.of(texts=(label,))
    return item.numbers, item.times


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _rounds_to(predicted: Decimal, gold: Decimal) -> bool:
    if predicted == gold:
        return True
    exponent = gold.as_tuple().exponent
    if not isinstance(exponent, int) or not predicted.is_finite():
        return False
    try:
        return predicted.quantize(Decimal(1).scaleb(min(exponent, 0)), ROUND_HALF_UP) == gold
    except InvalidOperation:
        return False


def _within(predicted: str, gold: str) -> bool:
    if predicted == gold or predicted.startswith(f"{gold}-"):
        return True
    shorter = gold.removesuffix("-01")
    return predicted in {shorter, shorter.removesuffix("-01")} and len(predicted) >= 4


def _tight(text: str) -> str:
    return "".join(text.split()).casefold()


@lru_cache(maxsize=1)
def _rouge() -> Any:
    """Loaded at first use: the import takes longer than a short benchmark."""
    from rouge_score import rouge_scorer

    return rouge_scorer.RougeScorer(["rougeL"])
