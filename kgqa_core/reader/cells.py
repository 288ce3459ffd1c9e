"""What the words of a question about rows name: cells, rows, ticks, limits, and an operation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kgqa_core.facts import units
from kgqa_core.facts.terms import Entity, RelationUse
from kgqa_core.reader.acting import Found, ids_of, taken
from kgqa_core.reader.grammar import AUX, PREPOSITIONS, WH
from kgqa_core.reader.paths import MASK
from kgqa_core.reader.plan import Form
from kgqa_core.reader.table import SAYING_LITTLE, Asked, Column, Rows, Table, Test
from kgqa_core.reader.views import NotebookView
from kgqa_core.reader.words import MONTHS, Span, Token, number_at, tokenise
from kgqa_core.text import fold, singular, stem, stems

_LOOKED_UP = 2  # stretches of words, beside those that were
_WIDEST = 4  # words of a cell
_COUNTED = re.compile(r"\b(?:how many|(?:the |total )(?:number|count) of)\b")
_SUMMED = re.compile(
    r"\b(?:(?:in |the )?total(?:s|led)?|sum|(?:all )?(?:al)?together|in all|combined|overall"
    r"|(?:come|came|comes|add|adds) (?:up )?to)\b"
)
_MEAN = re.compile(r"\b(?:(?:on )?average|mean|typically?|usually)\b")
_BUT = re.compile(r"\b(?:apart from|besides|other than|except(?: for)?|not counting|excluding)\b")
_LIST = re.compile(r"(?:list|show|name|give|find|any)\b")
NOT = frozenset("not no never without nobody none isn't hasn't haven't didn't don't aren't".split())
ENDS = {"most": "highest", "least": "lowest", "fewest": "lowest", "max": "highest",
        "maximum": "highest", "min": "lowest", "minimum": "lowest", "top": "highest"}  # fmt: skip
OF_TWO = {"more": "highest", "less": "lowest", "fewer": "lowest"}
_MONEY = frozenset("cost price pay paid spend spent charge worth money expensive cheap fee".split())
FORMS: tuple[Form, ...] = ("role", "agent", "patient")
_WITHIN = PREPOSITIONS | {"&", "and", "the", "'s"}  # a cell
NO_CELL = AUX | WH | PREPOSITIONS | NOT | {*ENDS, *OF_TWO, "'s", ",", "i", "than", "else"}


class Cells:
    """One question over one table: what narrows its rows. `asked` is what came of it."""

    def __init__(self, question: str, table: Table, view: NotebookView, reader: Rows) -> None:
        self.table, self.view, self.reader, self.lex = table, view, reader, reader.lex
        self.columns: Sequence[Column] = table.columns
        self.tokens: list[Token] = tokenise(question.rstrip(" ?.!"))
        self.low = [t.low for t in self.tokens]
        self.plain = " ".join(self.low)
        self.negative = bool(NOT & set(self.low))
        self.named: set[int] = set()  # places of tokens that name something
        self.held: dict[str, Column] = {}  # rows that are cells as well, and of which column
        self.asked = Asked()
        self._operation()
        self._cells()
        self._ticks()
        self._limits()

    # -- words and places ------------------------------------------------------------------

    def _name(self, *columns: Column | None, near: range | None = None) -> None:
        """The words that say these columns name something."""
        places = near if near is not None else range(len(self.low))
        own = [c.says for c in columns if c is not None]
        self.named.update(i for i in places if any(like(self.low[i], says) for says in own))

    def _say(self, pattern: re.Match[str]) -> None:
        words = pattern[0].split()
        for at in range(len(self.low) - len(words) + 1):
            if self.low[at : at + len(words)] == words:
                self.named.update(range(at, at + len(words)))
                return

    def _is_row_word(self, word: str) -> bool:
        said = {*stems(word), *stems(singular(word))}
        one = singular(fold(word))  # C01 is a costume, and has one
        column = any(one == singular(c.name) for c in self.columns)
        return bool(said & self.table.kinds) and not column

    def _free_words(self) -> list[str]:
        """What names nothing yet, and is no word for the rows."""
        return [
            w
            for i, w in enumerate(self.low)
            if i not in self.named and stem(w) not in SAYING_LITTLE and w not in NO_CELL
            and not self._is_row_word(w) and self.tokens[i].span is None
        ]  # fmt: skip

    # -- operations ------------------------------------------------------------------------

    def _operation(self) -> None:
        starts = self.low[:1]
        if starts and (starts[0] in AUX or starts == ["any"]):
            listed = starts == ["any"] and not {"have", "got", "there"} & set(self.low[1:4])
            self.asked.operation = "" if listed else "any"
        for pattern, operation in ((_SUMMED, "sum"), (_COUNTED, "count"), (_MEAN, "average")):
            if said := pattern.search(self.plain):
                self.asked.operation = operation
                self._say(said)
        if said := _LIST.match(self.plain):
            self._say(said)

    # -- cells -----------------------------------------------------------------------------

    def _cells(self) -> None:
        """Stretches of words that are cells of a column, or rows, the longest first."""
        looked = 0
        for start, end in self._stretches():
            if self.named & set(range(start, end)):
                continue
            text = " ".join(t.text for t in self.tokens[start:end])
            if end - start == 1 and self._is_row_word(text) and not self.tokens[start].cap:
                continue
            found = self._known(text)
            shown = None if found else self._shown(text)
            if shown is not None:
                self._test(*shown, range(start, end), text)
                continue
            if found is None and not self._names_no_cell(start, end) and looked < _LOOKED_UP:
                looked += 1
                found = self.view.anchor(text, "class")
                if found is None and singular(text) != text:
                    found = self.view.anchor(singular(text), "class")
            self._take(found, text, range(start, end))

    def _stretches(self) -> Iterator[tuple[int, int]]:
        for width in range(min(_WIDEST, len(self.tokens)), 0, -1):
            for start in range(len(self.tokens) - width + 1):
                part = self.tokens[start : start + width]
                inner = all(
                    t.span is None and (self._may_call(t) or t.low in _WITHIN) for t in part
                )
                named = width > 1 and self._known(" ".join(t.text for t in part))
                if named or (inner and self._may_call(part[0]) and self._may_call(part[-1])):
                    yield start, start + width

    def _may_call(self, token: Token) -> bool:
        if token.low in NO_CELL or token.low == "the":
            return False
        little = stem(token.low) in SAYING_LITTLE or token.low in self.lex.superlatives
        return token.name or token.cap or not little

    def _shown(self, text: str) -> tuple[Column, str] | None:
        """The column with a cell that is called so among the few that are shown, and the cell."""
        asked = {fold(text), singular(fold(text))}
        for c in self.columns:
            for example in c.use.examples if c.use.direction == "out" else ():
                if not c.ticks and {fold(example), singular(fold(example))} & asked:
                    return c, example
        return None

    def _known(self, text: str) -> Found | None:
        """What was looked up before under this name."""
        for one in dict.fromkeys((text, singular(text))):
            found = self.view.known(one)
            if found is not None and found.certain:
                return found
        return None

    def _names_no_cell(self, start: int, end: int) -> bool:
        """Whether a word of it, no name, names a column, or what the rows are."""
        said = [t.low for t in self.tokens[start:end] if not t.cap]
        columns = frozenset().union(*(c.says for c in self.columns))
        return any(self._is_row_word(w) or not columns.isdisjoint(stems(w)) for w in said)

    def _take(self, found: Found | None, text: str, places: range) -> None:
        if found is None or not found.members:
            return
        if not (found.certain or any(self.tokens[i].cap for i in places)):
            return
        own = {(c.use.relation, c.use.direction) for c in self.columns}
        holders = [u for u in found.uses if u.direction == "in" and (u.relation, "out") in own]
        leads = [u for u in found.uses if u.direction == "out" and (u.relation, "out") in own]
        said = set(stems(self.plain))
        use = max(
            holders, key=lambda u: (len(said & set(stems(u.relation.name))), u.count), default=None
        )
        holder = next((c for c in self.columns if use and c.use.relation == use.relation), None)
        if holder is not None and len(leads) <= len(holders):
            self._test(holder, ids_of(found.members), places, text)
        elif leads and not self._is_excepted(places):
            if holder is not None:
                self.held[found.name] = holder
            self.asked.rows.append(found)
            self.named.update(places)

    def _is_excepted(self, places: Sequence[int]) -> bool:
        before = " ".join(self.low[: places[0]]) if places else ""
        found = _BUT.search(before)
        if found is None or len(before[found.end() :].split()) > _WIDEST:
            return False
        self._say(found)
        return True

    def _test(
        self, column: Column, value: str, places: Sequence[int], said: str, test: str = "is"
    ) -> None:
        tests = self.asked.tests
        before = self.low[max(0, places[0] - 3) : places[0]] if places else []
        if test == "is" and (self._is_excepted(places) or (NOT & set(before) and value)):
            test = "is not"
            self.named.update(i for i, w in enumerate(self.low) if w in NOT)
        either = test == "is" or (test == "during" and len(value) != len("2023"))
        same = next((t for t in tests if t.column == column and t.test == test and either), None)
        if same is not None and len(same.value) != len("2023"):  # vanilla or lemon, May or June
            tests.remove(same)
            value, said = f"{same.value} | {value}", f"{same.said} or {said}"
        tests.append(Test(column, test, value, said))
        self.named.update(places)

    # -- ticks, amounts and times ----------------------------------------------------------

    def _ticks(self) -> None:
        """Columns of yes and no that words name: what may be borrowed; and cells left empty."""
        for c in self.columns:
            hit = [i for i, w in enumerate(self.low) if i not in self.named and like(w, c.says)]
            if len(hit) < max(1, len(c.says) - 1):
                continue
            said = " ".join(self.low[i] for i in hit)
            if c.ticks:
                positive = not self.negative or self.asked.operation == "any"
                self._test(c, c.ticks, [], said, "is" if positive else "but")
            elif NOT & set(self.low[max(0, hit[0] - 4) : hit[0]]) and self.asked.operation != "any":
                self._test(c, "", [], "", "has not")
            else:
                continue
            self.named.update(hit)
            if self.negative:
                self.named.update(i for i, w in enumerate(self.low) if w in NOT)

    def _limits(self) -> None:
        for at, token in enumerate(self.tokens):
            span, used = token.span, 1
            if at in self.named:
                continue
            if span is None and token.low in MONTHS:
                self._in_month(MONTHS[token.low], at)
                continue
            if span is None and token.low[:1].isdigit() and (number := number_at(self.tokens, at)):
                span, used = Span("is", number[0]), number[1]
            if span is None:
                continue
            if span.value == "now":
                self.named.add(at)
                continue
            timed = span.test in {"during", "before", "after"}
            column = self._measured(at, "time" if timed else "number", span)
            if column is None:
                continue
            places = range(at, at + used)
            if span.until:
                first, last = int(span.value[:4]) - 1, int(span.until[:4]) + 1
                self._test(column, str(first), places, f"{first}", "after")
                self._test(column, str(last), places, f"{last}", "before")
            else:
                value = span.value if timed else re.sub(r"[^\d.-]", "", span.value.split()[0])
                self._test(column, value, places, value, span.test)

    def _in_month(self, month: int, at: int) -> None:
        """In May, of the years that the column has."""
        column = self._measured(at, "time", None)
        if column is None:
            return
        every = self.table.every
        days = taken(self.view, "follow", every, column.use, "Which days are there?")
        told = [m.value for m in days.members if not isinstance(m, Entity)]
        found = sorted({day[:7] for day in told if day[5:7] == f"{month:02}"})
        if found:
            self._test(column, " | ".join(found), [at], self.tokens[at].text, "during")

    def _measured(self, at: int, kind: str, span: Span | None) -> Column | None:
        """The column of amounts or times that a limit is on."""
        said = units.unit(" ".join(span.value.split()[1:])) if span and kind == "number" else None
        fit = [
            c
            for c in self.columns
            if c.kind == kind and c.use.direction == "out" and c.may_be_in(said)
        ]
        if not fit:
            return None
        places = range(max(0, at - 4), min(at + 4, len(self.low)))
        near = {s for i in places for s in stems(self.low[i])}
        unit = set(stems(" ".join((span.value if span else "").split()[1:])))
        unit |= set(stems(self.low[at + 1])) if at + 1 < len(self.low) else set()
        money = bool(_MONEY & set(self.low)) or any(s in self.plain for s in "£€$")
        measures = [m for w in self.low if (m := self.lex.adjectives.get(w))]
        labels = {label for measure in measures for label in measure.relations}
        said_so = self._said_by_words([c.use for c in fit], places)

        def score(c: Column) -> tuple[float, ...]:
            own = set(stems(c.name))
            return (
                len(own & unit) + len(near & c.says) + (c.use in said_so),
                money and bool(_MONEY & set(re.findall(r"\w+", c.name)) or "€" in c.name),
                bool(labels & c.called),
            )

        best = max(fit, key=score)
        self.named.update(said_so.get(best.use, ()))
        if len(fit) > 1 and not any(score(best)):
            best = self._nearest(fit) or best
        self._name(best, near=places)
        self.named.update(i for i in places if labels and self.low[i] in self.lex.adjectives)
        return best

    def _said_by_words(
        self, uses: Sequence[RelationUse], places: Sequence[int]
    ) -> dict[RelationUse, set[int]]:
        """Which of these relations words at these places say, and which words."""
        found: dict[RelationUse, set[int]] = {}
        for i in places:
            word = self.low[i]
            for form in FORMS if word not in NO_CELL and stem(word) not in SAYING_LITTLE else ():
                for candidate in self.reader.resolver.candidates(word, form, uses):
                    found.setdefault(candidate.use, set()).add(i)
        return found

    def _nearest(self, columns: Sequence[Column], least: float = 0.0) -> Column | None:
        if not columns:
            return None
        near = self.reader.near(self._masked(), columns)
        best, column = max(zip(near, columns, strict=True), key=lambda pair: pair[0])
        return column if best >= least else None

    def _masked(self) -> str:
        """The question with X for its first name."""
        said = [t.text for t in self.tokens]
        if cells := sorted(i for i in self.named if self.tokens[i].cap):
            said[cells[0]] = MASK
        return " ".join(said)

    def _around(self) -> list[Column]:
        """The columns that there are: of rows that are named, theirs."""
        if not self.asked.rows:
            return list(self.columns)
        own = {(u.relation, u.direction) for f in self.asked.rows for u in f.uses}
        return [c for c in self.columns if (c.use.relation, c.use.direction) in own]


def like(word: str, own: frozenset[str]) -> bool:
    """Whether a word is of the same root as one of a column's: borrowed, borrowable."""
    root = stem(word)
    return any(
        root == o or (min(len(root), len(o)) > 3 and (o.startswith(root) or root.startswith(o)))
        for o in own
    )
