"""Text: English words folded, stemmed, counted, listed; what is shown cut; a parser's complaint."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

_EXPECTED = 5  # of what a parser could read, as many are named
_KEEPS_S = frozenset(
    "is was has does his this its as us yes plus versus series species news physics mathematics "
    "politics economics process class address across bass boss glass pass gas bus campus virus "
    "status census focus atlas canvas texas kansas paris athens less".split()
)
IRREGULAR = {
    "wrote": "write", "written": "write", "made": "make", "won": "win", "led": "lead",
    "held": "hold", "built": "build", "sang": "sing", "sung": "sing", "ran": "run",
    "taught": "teach", "spoke": "speak", "spoken": "speak", "drew": "draw", "drawn": "draw",
    "fought": "fight", "bought": "buy", "sold": "sell", "grew": "grow", "grown": "grow",
    "came": "come", "became": "become", "began": "begin", "begun": "begin", "went": "go",
    "gone": "go", "gave": "give", "given": "give", "took": "take", "taken": "take",
    "lay": "lie", "died": "die", "dies": "die", "dead": "die", "dying": "die", "death": "die",
    "lost": "lose", "left": "leave", "wed": "marry", "married": "marry", "marries": "marry",
    "children": "child", "kids": "child", "kid": "child", "people": "person", "men": "man",
    "women": "woman", "wives": "wife", "lives": "live", "lived": "live", "living": "live",
    "shot": "shoot", "slain": "slay", "flew": "fly", "flown": "fly", "sat": "sit",
    "ate": "eat", "eaten": "eat", "chose": "choose", "chosen": "choose", "drove": "drive",
    "knew": "know", "known": "know", "met": "meet", "paid": "pay", "played": "play",
    "said": "say", "saw": "see", "seen": "see", "stood": "stand", "thought": "think",
    "told": "tell", "wore": "wear", "worn": "wear", "fell": "fall", "fallen": "fall",
    "rose": "rise", "cities": "city", "countries": "country", "movie": "film",
    "movies": "film", "films": "film", "picture": "film", "biggest": "big", "bigger": "big",
    "founded": "found", "founder": "found", "founders": "found", "births": "birth",
    "series": "series", "lies": "lie", "lying": "lie", "tied": "tie", "ties": "tie",
    "got": "get", "gotten": "get", "sank": "sink", "sunk": "sink", "broke": "break",
    "kept": "keep", "threw": "throw", "caught": "catch", "brought": "bring", "sent": "send",
    "oldest": "old", "elder": "old", "eldest": "old", "older": "old", "was": "be", "were": "be",
    "is": "be", "are": "be", "been": "be", "being": "be", "has": "have", "had": "have",
    "did": "do", "does": "do", "done": "do", "buried": "bury", "invented": "invent",
    "starred": "star", "stars": "star", "starring": "star", "wife": "wife", "states": "state",
    "father": "father", "mother": "mother", "river": "river", "number": "number",
    "former": "former", "author": "author", "order": "order", "member": "member",
    "members": "member", "rivers": "river", "numbers": "number", "authors": "author",
    "fathers": "father", "mothers": "mother", "brother": "brother", "brothers": "brother",
    "sister": "sister", "sisters": "sister", "daughter": "daughter", "daughters": "daughter",
    "letter": "letter", "character": "character", "characters": "character", "water": "water",
    "computer": "computer", "power": "power", "tower": "tower", "towers": "tower",
    "king": "king", "kings": "king", "thing": "thing", "things": "thing", "species": "species",
    "building": "building", "buildings": "building", "painting": "painting",
    "paintings": "painting", "nation": "nation", "religion": "religion", "position": "position",
    "region": "region", "union": "union", "city": "city", "minister": "minister",
    "quarter": "quarter", "quarters": "quarter", "named": "name", "names": "name",
    "continent": "continent", "use": "use", "used": "use", "uses": "use", "bed": "bed",
    "red": "red", "need": "need", "speed": "speed", "hundred": "hundred", "per": "per",
    "other": "other", "another": "other", "summer": "summer", "winter": "winter",
}  # fmt: skip


_UNSEEN = dict.fromkeys((0xAD, 0x061C, *range(0x200B, 0x2010), *range(0x202A, 0x202F),
                         *range(0x2060, 0x2065), 0xFEFF))  # fmt: skip


def visible(text: str) -> str:
    """The text without characters of no width, which come along when text is copied."""
    return text.translate(_UNSEEN)


@lru_cache(maxsize=20_000)
def fold(text: str) -> str:
    """Lower case, no accents, words of an identifier apart: `birthPlace` → `birth place`."""
    text = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", text) if " " not in text else text
    plain = unicodedata.normalize("NFKD", text.replace("_", " "))
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).casefold().split())


def plain(text: str) -> str:
    """Folded and without punctuation, so that a name is found whatever stands beside it."""
    spaced = f"{text} "  # with a blank no word is taken for an identifier and cut at its capitals
    return " ".join("".join(c if c.isalnum() else " " for c in fold(spaced)).split())


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A crude root that `directs`, `directed`, `director` and `direction` share."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    if word in IRREGULAR:
        return _root(IRREGULAR[word])
    if word in _KEEPS_S or len(word) <= 3:
        return word
    singular = _singular(word)
    if singular in IRREGULAR:
        return _root(IRREGULAR[singular])
    for ending in ("ations", "ation", "ions", "ion", "ings", "ing", "ers", "er", "ors", "or"):
        if singular.endswith(ending) and len(singular) - len(ending) >= 3:
            return _undouble(_doer(singular.removesuffix(ending)))
    if singular.endswith("ied"):
        return singular[:-3] + "y"
    if singular.endswith("ed") and len(singular) >= 5:
        return _undouble(_doer(singular[:-2]))
    if singular.endswith("ate") and len(singular) > 6:
        return singular[:-3]
    return _root(singular)


def _doer(root: str) -> str:
    """`murdered` and `murdering` as `murder`, whose end is taken for that of `director`."""
    return stem(root) if root.endswith(("er", "or")) else root


def _root(lemma: str) -> str:
    return lemma[:-1] if lemma.endswith("e") and len(lemma) >= 4 else lemma


def _singular(word: str) -> str:
    if word in _KEEPS_S or len(word) <= 3:
        return word
    if word.endswith("ies") and len(word) > 4 and word not in _IN_IE:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("oes") and not word.endswith("shoes") and word not in _IN_OE:  # tomatoes
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_IN_IE = frozenset(
    "collies cookies brownies zombies calories hoodies genies rookies selfies magpies smoothies "
    "birdies prairies budgies aunties oldies veggies".split()
)
_IN_OE = frozenset("toes foes hoes does goes woes roes oboes aloes floes canoes".split())


def _undouble(root: str) -> str:
    if len(root) > 4 and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    if root.endswith("at") and len(root) > 5:
        return root[:-2]
    return root.removesuffix("e") if len(root) >= 4 else root


_PLURALS = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "wives": "wife",
    "movies": "film", "movie": "film", "kids": "child", "kid": "child", "gases": "gas",
}  # fmt: skip


def singular(phrase: str) -> str:
    """`highest mountains` → `highest mountain`: only the last word is touched."""
    *head, last = phrase.split() or [""]
    one = _PLURALS.get(last.casefold()) or (
        _singular(last) if last.islower() or len(head) else last
    )
    return " ".join([*head, one])


@lru_cache(maxsize=20_000)
def stems(text: str) -> tuple[str, ...]:
    return tuple(stem(w) for w in re.findall(r"[\w']+", fold(text)))


def is_last_name(word: str, name: str) -> bool:
    """Whether a word is the last of the several of a name: Lincoln, of Abraham Lincoln."""
    first, _, last = fold(name).rpartition(" ")
    return bool(first) and last == fold(word)


_PAST = frozenset("was were did had ever been".split())


def asks_for_a_kind(question: str) -> bool:
    """Whether a question asks what a common thing is: what is a bridge."""
    return re.match(r"\W*what(?: is|['’]?s) an? [a-z]+\W*$", question, re.IGNORECASE) is not None


def speaks_of_the_past(question: str) -> bool:
    """Whether what was so is asked for as well, not what is so now alone."""
    return not _PAST.isdisjoint(re.findall(r"\w+", fold(question)))


# -- how many there are, and which --------------------------------------------------------


def plural(noun: str) -> str:
    special = {"person": "people", "man": "men", "woman": "women", "child": "children"}
    special |= {"wife": "wives", "life": "lives", "species": "species", "series": "series"}
    special["pound sterling"] = "pounds sterling"
    if noun in special:
        return special[noun]
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def third_person(verb: str) -> str:
    """`direct` → `directs`; of several words the first one: `live in` → `lives in`."""
    first, space, rest = verb.partition(" ")
    special = {"be": "is", "have": "has"}
    if first.endswith("y") and first[-2:-1] not in "aeiou":
        ending = first[:-1] + "ies"
    else:
        ending = first + ("es" if first.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    return special.get(first, ending) + space + rest


def counted(count: int, noun: str) -> str:
    """`1 fact`, `1,204 facts`."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


def listed(texts: Iterable[str], most: int, *, of: int | None = None, between: str = ", ") -> str:
    """`a, b and 4 more`: the first `most`, and how many are left. `of`: how many there are."""
    texts = list(texts)
    left = (len(texts) if of is None else of) - len(texts[:most])
    return between.join(texts[:most]) + (f" and {left:,} more" if left > 0 else "")


def enumerated(texts: Sequence[str]) -> str:
    """`a, b and c`: all of them."""
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


# -- what is shown ------------------------------------------------------------------------


def shortened(text: str, most: int) -> str:
    """At most `most` characters, cut between two words where that costs little."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    if not text[most - 1].isspace():
        head = kept.rpartition(" ")[0]
        kept = head if len(head) > most * 0.7 else kept
    return kept.rstrip(" ,;:—–-") + "…"


_WHERE = re.compile(r"error at (\d+):(\d+): (.*)", re.S)
_TOKEN = re.compile(r'"((?:\\.|[^"\\])+)"|(?<![\w\'])([A-Za-z]{2,}\w*)(?![\w\'])')
_CLASS = re.compile(r"\[(?:'(?:\\.[^']*|[^'])'|[^\]'])*\]")  # of characters, as grammars write it


def syntax_error(said: str) -> str:
    """What a parser says is wrong, in words: where, and some of what it could read there."""
    found = _WHERE.search(" ".join(said.split()))
    if found is None:
        return said
    where = f"line {found[1]}, column {found[2]} cannot be read"
    if "Prefix not found" in found[3]:
        return f"{where}: the prefix is not known"
    expected = _CLASS.sub(" ", found[3].partition("expected one of")[2] or "")
    tokens = [a.replace('\\"', '"') or b for a, b in _TOKEN.findall(expected)]
    some = ", ".join(f"“{token}”" for token in tokens[:_EXPECTED])
    more = " or others" if len(tokens) > _EXPECTED else ""
    return f"{where}: expected {some}{more}" if some else where
