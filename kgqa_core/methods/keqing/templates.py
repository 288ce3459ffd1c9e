"""Question templates, the logical chains that answer them, and the library that holds both.

A library is one text file that people can read and edit:

    # Keqing templates, format 1
    # graph: MetaQA

    who directed [mask]
        → directed by | support 665 | precision 0.97
        also: who's the director of [mask]
        like: who directed Written on the Wind

    which films share a director with [mask]
        → directed by ← directed by | support 592 | precision 1
        step 1: who directed [mask]
        step 2 from 1: [mask] directed which films

A template stands at the margin. Below it, indented: chains (→ along a relation, ← against it),
other wordings of the same question, an example, and the sub-questions it is made of. Relations
are written as the graph names them, in Wikidata's graphs with their id: `director (P57)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import Direction, Relation, short_id
from kgqa_core.places import ASSETS
from kgqa_core.settings import Settings, load_settings
from kgqa_core.text import listed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.floating]

MASK = "[mask]"
SHIPPED = ASSETS / "templates"
SUFFIX = ".txt"
_HEAD = "# Keqing templates, format 1"
_LARGEST = 20 << 20  # bytes of a file that may be a library
_TOKEN = re.compile(r"\[mask\]|[^\W_]+|[^\w\s]|_")
_QUOTES = ' []“”"'
_COUNTS = re.compile(r"\bhow many\b|\bnumber of\b|^count\b")
_POLAR = frozenset("is are was were do does did has have had can".split())
_REQUEST = re.compile(  # it is no question whether they can
    r"can you (?:please |kindly )?(?:give|tell|show|name|list|describe|say|identify|explain|"
    r"mention|recommend|suggest) (?!(?:me |us )?(?:if|whether)\b)"
)
_FURTHER = re.compile(  # the mother of [mask]'s mother, the mother of the mother of [mask]
    r"\b(?:of|by|for|with|from|in|to) \[mask\] '|\[mask\] ' (?:s )?(?:\w+ )+'"
    r"|\bof (?:the|an?) \w+ of (?:the )?\[mask\]"
)
_PLACES = frozenset(
    "first second third last latest earliest newest oldest youngest largest biggest smallest "
    "highest tallest longest shortest deepest lowest most least fewest not never no except "
    "without only other else both".split()
)
_CHAIN = re.compile(r"([→←])\s*([^→←|]+)")
_STEP = re.compile(r"step (\d+)(?: from ([\d, ]+))?:\s*(.+)")
_PID = re.compile(r"(.*)\((P[1-9]\d*)\)\s*")


def in_words(template: str) -> str:
    """A template as people read it: `who directed …`."""
    return template.replace(MASK, "…")


class LibraryError(SettingsError):
    """A text that is no template library; the message says where and why."""


# -- values --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hop:
    """One relation of a chain, as the library names it, along or against its direction."""

    relation: str
    direction: Direction = "out"

    def __str__(self) -> str:
        return f"{'→' if self.direction == 'out' else '←'} {self.relation}"


@dataclass(frozen=True, slots=True)
class Chain:
    """A logical chain: hops to follow one after the other from the masked entity.

    `support` counts the questions it answers, `precision` is the share of right values in what
    it returned for the questions of its template.
    """

    hops: tuple[Hop, ...]
    support: int = 0
    precision: float = 1.0

    def __str__(self) -> str:
        return " ".join(map(str, self.hops))


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-question of a composed template; `needs` are the numbers of earlier ones."""

    text: str
    needs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Template:
    """A masked question, what answers it, and what it is made of."""

    text: str
    chains: tuple[Chain, ...] = ()
    wordings: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    example: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.wordings)

    @property
    def support(self) -> int:
        return sum(chain.support for chain in self.chains)


@dataclass(frozen=True, slots=True)
class Match:
    """A template for a question; `score` 1 is the same wording.

    `mentions` are what stands at the place of each mask in the question, where that is known.
    """

    template: Template
    score: float
    mentions: tuple[str, ...] = ()


class Encoder(Protocol):
    """What compares meanings: a run's toolkit."""

    @property
    def encoder_name(self) -> str: ...

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Array: ...


# -- wording -------------------------------------------------------------------------------


def tokens(text: str) -> list[tuple[str, int, int]]:
    """Folded words and signs with their place; a closing mark does not count."""
    found = [(m[0].casefold(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    while len(found) > 1 and found[-1][0] in ("?", ".", "!"):
        found.pop()
    return found


def plain(text: str) -> str:
    """A masked question in the form in which two are compared."""
    return " ".join(token for token, _, _ in tokens(text.replace("’", "'")))


def masked(question: str, mention: str) -> list[str]:
    """The question with the mention masked; one text for each place where it stands.

    As written first; where it stands nowhere so, without regard to case.
    """
    if not mention:
        return []
    pattern = r"(?<!\w)" + re.escape(mention) + r"(?!\w)"
    for flags in (0, re.IGNORECASE):
        places = list(re.finditer(pattern, question, flags))
        if places:
            return [question[: m.start()] + MASK + question[m.end() :] for m in places]
    return []


def filled(text: str, mentions: Sequence[str]) -> str:
    """A template with names in place of its masks, for people and for retrieval."""
    left = list(mentions)
    while MASK in text and left:
        name = left.pop(0) if text.count(MASK) > 1 else " and ".join(left)
        text = text.replace(MASK, name, 1)
    return text


def demands(text: str) -> frozenset[str]:
    """What a wording asks beyond a relation: to count, a yes or no, a place in an order, a year,
    a relation of what another one leads to.

    Nearness of meaning hardly weighs it: “how many languages has [mask]” is near to “what
    languages has [mask]”, and another question.
    """
    words = plain(text).split()
    found = {word for word in words if word in _PLACES or word.isdigit()}
    if _COUNTS.search(" ".join(words)):
        found.add("count")
    if _FURTHER.search(" ".join(words)):
        found.add("further")
    if words and words[0] in _POLAR and not _REQUEST.match(" ".join(words)):
        found.add("yes or no")
    return frozenset(found)


# -- library -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Library:
    """Templates in order, and the ways to find one."""

    templates: tuple[Template, ...] = ()
    graph: str = ""
    about: str = ""
    path: Path | None = field(default=None, compare=False)
    _ears: dict[str, Ear] = field(default_factory=dict, compare=False, repr=False)

    def __bool__(self) -> bool:
        return bool(self.templates)

    @cached_property
    def by_text(self) -> Mapping[str, Template]:
        """By every wording; of two templates with one wording the first has it."""
        found: dict[str, Template] = {}
        for template in self.templates:
            for text in template.texts:
                found.setdefault(plain(text), template)
        return found

    @cached_property
    def relations(self) -> tuple[str, ...]:
        hops = (h for t in self.templates for chain in t.chains for h in chain.hops)
        return tuple(dict.fromkeys(hop.relation for hop in hops))

    @cached_property
    def simple(self) -> list[str]:
        """The templates of one hop: what sub-questions are made of."""
        return [t.text for t in self.templates if any(len(c.hops) == 1 for c in t.chains)]

    @cached_property
    def _several(self) -> list[tuple[re.Pattern[str], Template]]:
        """Wordings with several masks, as patterns."""
        return [
            (re.compile(r"\s*(.+?)\s*".join(map(_loose, text.split(MASK)))), template)
            for text, template in self.by_text.items()
            if text.count(MASK) > 1
        ]

    @cached_property
    def _around(self) -> Mapping[str, Mapping[str, Template]]:
        """What stands before the mask, then what stands after it."""
        found: dict[str, dict[str, Template]] = {}
        for text, template in self.by_text.items():
            before, mask, after = text.partition(MASK)
            if mask and MASK not in after and (before or after):
                found.setdefault(before.strip(), {}).setdefault(after.strip(), template)
        return found

    def read(self, question: str) -> list[Match]:
        """Templates whose wording the question has, the most telling wording first."""
        found = tokens(question.replace("’", "'"))
        words = [token for token, _, _ in found]
        matches: list[tuple[int, Match]] = []
        before = ""
        for i in range(len(words)):
            ends = self._around.get(before)
            if ends is not None:
                after = ""
                for j in range(len(words), i, -1):
                    template = ends.get(after)
                    if template is not None:
                        mention = question[found[i][1] : found[j - 1][2]].strip(_QUOTES)
                        matches.append((j - i, Match(template, 1.0, (mention,))))
                    after = f"{words[j - 1]} {after}" if after else words[j - 1]
            before = f"{before} {words[i]}" if before else words[i]
        several = []
        for pattern, template in self._several:
            if said := pattern.fullmatch(question.strip().rstrip("?.! ")):
                mentions = tuple(name.strip(_QUOTES) for name in said.groups())
                several.append(Match(template, 1.0, mentions))
        return several + [match for _, match in sorted(matches, key=lambda pair: pair[0])]

    def exact(self, text: str) -> Template | None:
        return self.by_text.get(plain(text))

    def nearest(self, text: str, k: int, encoder: Encoder | None) -> list[Match]:
        """The `k` templates nearest to a masked question; a known wording has but one.

        The score joins two opinions: how near the nearest wording is, and how well the hops
        that the wording seems to speak of agree with the template's chain (see `Ear`).
        """
        if template := self.exact(text):
            return [Match(template, 1.0)]
        return self.hear(text, encoder)[:k] if self else []

    def hear(self, text: str, encoder: Encoder | None) -> list[Match]:
        """All templates, nearest first, whether or not one has this very wording."""
        name = encoder.encoder_name if encoder is not None else ""
        if name not in self._ears:
            self._ears[name] = Ear(self, encoder)
        return self._ears[name].hear(plain(text), encoder)

    # -- editing: each returns another library ------------------------------------------

    def put(self, template: Template, instead_of: str = "") -> Library:
        """With this template, in the place of the one called `instead_of` (default: itself)."""
        name = instead_of or template.text
        kept = [template if t.text == name else t for t in self.templates]
        if template not in kept:
            kept.append(template)
        return replace(self, templates=tuple(kept), path=None, _ears={})

    def without(self, *texts: str) -> Library:
        kept = tuple(t for t in self.templates if t.text not in texts)
        return replace(self, templates=kept, path=None, _ears={})

    def merged(self, text: str, *others: str) -> Library:
        """The others become wordings of `text`; their chains are joined to its own."""
        by_name = {t.text: t for t in self.templates}
        into, joined = by_name[text], [by_name[o] for o in others if o != text]
        chains: dict[tuple[Hop, ...], Chain] = {}
        for chain in (c for t in (into, *joined) for c in t.chains):
            before = chains.get(chain.hops)
            chains[chain.hops] = chain if before is None else _joined(before, chain)
        wordings = dict.fromkeys((*into.wordings, *(x for t in joined for x in t.texts)))
        merged = replace(
            into,
            chains=tuple(sorted(chains.values(), key=lambda c: -c.support)),
            wordings=tuple(wordings),
        )
        return self.put(merged).without(*(t.text for t in joined))


def _joined(a: Chain, b: Chain) -> Chain:
    support = a.support + b.support
    precision = (a.support * a.precision + b.support * b.precision) / max(1, support)
    return Chain(a.hops, support, round(precision, 4))


# -- unknown wordings ----------------------------------------------------------------------


def _meanings(texts: Sequence[str], encoder: Encoder | None, query: bool = False) -> Array:
    import numpy as np

    if encoder is None:
        return np.zeros((len(texts), 1))
    # an encoder has never seen a mask; a letter stands for anything
    return encoder.encode([t.replace(MASK, "X") for t in texts], query=query)


class Ear:
    """Hears in a wording which chain is meant: learned from all wordings of a library.

    A kernel ridge regression, over the encoder's vectors and the words, from wordings to what
    their chains are made of: each hop and its place, the first, the last, and how many. So a
    wording is understood whose hops are known from other templates.
    """

    _WORDS, _RIDGE, _NEAR = 0.1, 0.1, 0.6  # weight of words, of the penalty, of nearness
    _OTHER = 0.85  # at most, of a wording that demands something else: an example, not the question

    def __init__(self, library: Library, encoder: Encoder | None) -> None:
        import numpy as np

        texts = list(library.by_text)
        self._templates = [t for t in library.templates if plain(t.text) in library.by_text]
        self._demands = [{demands(own) for own in t.texts} for t in self._templates]
        place = {id(t): i for i, t in enumerate(self._templates)}
        self._owner = np.array([place[id(library.by_text[text])] for text in texts])
        usual = Counter(f for text in texts for f in _features(text))
        self._rarity = {f: log((len(texts) + 1) / (n + 0.5)) for f, n in usual.items()}
        self._column = {f: i for i, f in enumerate(self._rarity)}
        self._words = np.stack([self._vector(text) for text in texts])
        self._meanings = _meanings(texts, encoder)
        self._word_weight = 1.0 if encoder is None else self._WORDS
        slots = {s: i for i, s in enumerate({s: 0 for t in self._templates for s in _slots(t)})}
        self._made_of = np.zeros((len(self._templates), max(1, len(slots))))
        for i, template in enumerate(self._templates):
            for slot in _slots(template):
                self._made_of[i, slots[slot]] = 1
        kernel = self._alike(self._meanings, self._words)
        penalty = self._RIDGE * np.eye(len(texts))
        self._weights = np.linalg.solve(kernel + penalty, self._made_of[self._owner])

    def hear(self, text: str, encoder: Encoder | None) -> list[Match]:
        """All templates, best first; by the encoder that it has learned with."""
        import numpy as np

        meaning, words = _meanings([text], encoder, query=True), self._vector(text)[None]
        heard = self._alike(meaning, words)[0] @ self._weights
        size = np.maximum(1, self._made_of.sum(axis=1))
        agree = np.clip(1 - ((heard - self._made_of) ** 2).sum(axis=1) / size, 0, 1)
        near = np.zeros(len(self._templates))
        likeness = meaning @ self._meanings.T if encoder else words @ self._words.T
        np.maximum.at(near, self._owner, likeness[0])
        scores = (1 - self._NEAR) * agree + self._NEAR * near
        wanted = demands(text)
        other = np.array([wanted not in own for own in self._demands])
        scores[other] = np.minimum(scores[other], self._OTHER)
        order = np.argsort(-scores, kind="stable")
        return [Match(self._templates[i], round(min(float(scores[i]), 0.999), 4)) for i in order]

    def _alike(self, meanings: Array, words: Array) -> Array:
        return meanings @ self._meanings.T + self._word_weight * (words @ self._words.T)

    def _vector(self, text: str) -> Array:
        import numpy as np

        vector = np.zeros(len(self._column))
        for feature in _features(text):
            if feature in self._column:
                vector[self._column[feature]] = self._rarity[feature]
        return vector / (np.linalg.norm(vector) or 1)


def _features(text: str) -> set[str]:
    """Words by their first letters, and pairs of neighbours."""
    words = ["^", *text.split(), "$"]
    stems = [w if w == MASK else w[:6] if len(w) > 6 else w.rstrip("s") or w for w in words]
    return {*stems, *(f"{a} {b}" for a, b in pairwise(stems))}


def _slots(template: Template) -> list[object]:
    """What the best chain of a template is made of."""
    if not template.chains:
        return []
    hops = template.chains[0].hops
    return [len(hops), ("first", hops[0]), ("last", hops[-1]), *enumerate(hops)]


def _loose(text: str) -> str:
    """A pattern for a part of a wording, whatever its case and spaces."""
    return "(?i:" + r"\s*".join(re.escape(token) for token, _, _ in tokens(text)) + ")"


# -- relations -----------------------------------------------------------------------------


def written(relation: Relation) -> str:
    """A relation as a library names it."""
    pid = short_id(relation.id)
    return f"{relation.name} ({pid})" if re.fullmatch(r"P\d+", pid) else relation.name


LookUp = Callable[[str], Relation | None]


class Relations:
    """A library's names of relations as the relations of a graph; each is looked up once.

    `look_up` finds a relation of the graph by its id or label.
    """

    def __init__(self, look_up: LookUp) -> None:
        self._look_up = look_up
        self._known: dict[str, Relation | None] = {}

    def __call__(self, name: str) -> Relation | None:
        if name not in self._known:
            with_id = _PID.fullmatch(name)
            found = self._look_up(with_id[2]) if with_id else None
            label = with_id[1].strip() if with_id else name
            self._known[name] = found or self._look_up(label)
        return self._known[name]

    def missing(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self(name) is None]


# -- files ---------------------------------------------------------------------------------


def dump(library: Library) -> str:
    lines = [_HEAD]
    if library.graph:
        lines.append(f"# graph: {library.graph}")
    lines += [f"# {line}".rstrip() for line in library.about.splitlines()]
    for template in library.templates:
        lines += ["", block(template)]
    return "\n".join(lines) + "\n"


def block(template: Template) -> str:
    """A template as it stands in a file."""
    lines = [template.text]
    for chain in template.chains:
        counted = f" | support {chain.support} | precision {chain.precision:g}"
        lines.append(f"    {chain}{counted if chain.support else ''}")
    lines += [f"    also: {text}" for text in template.wordings]
    if template.example:
        lines.append(f"    like: {template.example}")
    for number, part in enumerate(template.parts, 1):
        needs = f" from {', '.join(map(str, part.needs))}" if part.needs else ""
        lines.append(f"    step {number}{needs}: {part.text}")
    return "\n".join(lines)


def parse(text: str, name: str = "the library") -> Library:
    """Raises LibraryError with the line and what is wrong there."""
    graph, about = "", []
    templates: list[Template] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if line.startswith("#"):
            comment = line.removeprefix("#").strip()
            if comment.startswith("graph:"):
                graph = comment.removeprefix("graph:").strip()
            elif line.strip() != _HEAD:
                about.append(comment)
        elif not line.strip():
            continue
        elif not line[0].isspace():
            if MASK not in line:
                raise LibraryError(
                    f"{name}, line {number}: a template has {MASK} where the name stands; this "
                    f"line has none: “{line.strip()[:80]}”."
                )
            if line.strip() in lines:
                raise LibraryError(
                    f"{name}, line {number}: the template “{line.strip()[:80]}” stands already in "
                    f"line {lines[line.strip()]}. Merge the two."
                )
            lines[line.strip()] = number
            templates.append(Template(line.strip()))
        elif not templates:
            raise LibraryError(f"{name}, line {number}: no template stands above this line.")
        else:
            try:
                templates[-1] = _with_line(templates[-1], line.strip())
            except ValueError as error:
                raise LibraryError(f"{name}, line {number}: {error}.") from error
    if not templates:
        raise LibraryError(
            f"{name} has no template in it: not a library. One is made on the Templates page, "
            "or by `python -m kgqa_core learn`."
        )
    return Library(tuple(templates), graph, "\n".join(about).strip())


def _with_line(template: Template, line: str) -> Template:
    if line[0] in "→←":
        return replace(template, chains=(*template.chains, parse_chain(line)))
    if line.startswith("also:"):
        wording = line.removeprefix("also:").strip()
        if MASK not in wording:
            raise ValueError(f"a wording has {MASK} where the name stands")
        return replace(template, wordings=(*template.wordings, wording))
    if line.startswith("like:"):
        return replace(template, example=line.removeprefix("like:").strip())
    if step := _STEP.fullmatch(line):
        number = len(template.parts) + 1
        needs = tuple(int(n) for n in (step[2] or "").replace(",", " ").split())
        if int(step[1]) != number:
            raise ValueError(f"step {step[1]} stands where step {number} should")
        if any(not 0 < n < number for n in needs):
            raise ValueError(f"step {number} needs a step that does not come before it")
        return replace(template, parts=(*template.parts, Part(step[3].strip(), needs)))
    raise ValueError(
        f"“{line[:60]}” is not a chain (→ relation, ← relation), and neither “also:”, “like:” nor "
        "“step 1:”"
    )


def parse_chain(text: str) -> Chain:
    """`→ directed by ← directed by | support 592 | precision 1`. Raises ValueError."""
    path, *rest = (part.strip() for part in text.split("|"))
    hops = tuple(
        Hop(" ".join(name.split()), "out" if arrow == "→" else "in")
        for arrow, name in _CHAIN.findall(path)
        if name.strip()
    )
    if not hops or len(hops) != sum(path.count(arrow) for arrow in "→←"):
        raise ValueError("a chain names a relation after every → and ←")
    said = dict(part.split(None, 1) for part in rest if " " in part)
    try:
        support, precision = int(said.get("support", "0")), float(said.get("precision", "1"))
    except ValueError:
        raise ValueError("support is a whole number, precision a number up to 1") from None
    return Chain(hops, support, precision)


def load(path: Path) -> Library:
    """The library in a file, read again when the file changes. Raises LibraryError."""
    try:
        at = path.stat()
        if at.st_size > _LARGEST:
            raise LibraryError(f"{path.name} is too large to be a template library.")
        return _load(path.absolute(), at.st_mtime_ns)
    except OSError as error:
        raise LibraryError(
            f"The template library {path} cannot be read: {error.strerror}. Give a file with "
            "--param templates=FILE, or choose one on the Templates page."
        ) from error


@lru_cache(maxsize=16)
def _load(path: Path, _changed: int) -> Library:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LibraryError(f"{path.name} is not text, so it is not a template library.") from error
    return replace(parse(text, path.name), path=path)


def save(library: Library, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dump(library), encoding="utf-8")


KEPT = "compass-"  # how libraries begin that Compass keeps, a graph each: no choice for Keqing


def own_folder(settings: Settings) -> Path:
    """Where libraries made on the Templates page are kept."""
    return settings.data_dir / "templates"


def available(settings: Settings) -> dict[str, Path]:
    """Libraries by name: those made here, then those that ship."""
    found: dict[str, Path] = {}
    for folder in (own_folder(settings), SHIPPED):
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            found.setdefault(path.stem, path)
    return found


def find(name: str, graph: str, relations: Relations, settings: Settings) -> Library:
    """A library by name or file; without a name the one that fits the graph best, for its size.

    `graph` is what the graph is called, `relations` what it has.

    Raises LibraryError when there is none, or when the graph lacks relations it rests on.
    """
    known = available(settings)
    if name:
        if settings.hosted and name not in known:
            raise LibraryError(
                f"There is no template library “{name}” here. Choose one of: {', '.join(known)}."
            )
        library = load(known.get(name) or Path(name).expanduser())
        missing = relations.missing(library.relations)
        if library.relations and len(missing) == len(library.relations):
            made = f", made for “{library.graph}”," if library.graph else ""
            raise LibraryError(
                f"The template library {name}{made} does not fit the graph “{graph}”, which has "
                f"none of its relations: {listed(missing, 5)}. Choose another library or graph, or "
                "learn one from questions on this graph."
            )
        return library
    fitting = [
        (len(missing) / len(library.relations), -len(library.relations), library)
        for stem, path in known.items()
        if not stem.startswith(KEPT)
        for library in [load(path)]
        for missing in [relations.missing(library.relations)]
        if library.relations and len(missing) < len(library.relations)
    ]
    if not fitting:
        raise LibraryError(
            f"No template library fits the graph “{graph}”. Learn one from questions with "
            "answers: on the Templates page, or with `python -m kgqa_core learn`."
        )
    return min(fitting, key=lambda one: one[:2])[2]


def fitting(
    name: str, graph: str, relations: Relations, known: MutableMapping[str, Library]
) -> Library:
    """`find`, kept in `known` for as long as the library stays as it is, and nobody copied it."""
    kept, settings = known.get(name), load_settings()
    path = kept.path if kept else None
    if path is None or load(available(settings).get(path.stem, path)) is not kept:
        known[name] = find(name, graph, relations, settings)
    return known[name]
