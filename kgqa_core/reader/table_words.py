"""What a question about rows asks for: an order among them, a column, or whether there are any."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgqa_core.reader.acting import Found, ids_of
from kgqa_core.reader.cells import ENDS, FORMS, NO_CELL, NOT, OF_TWO, Cells, like
from kgqa_core.reader.grammar import AUX, PREPOSITIONS, WANTS
from kgqa_core.reader.lexicon import Measure
from kgqa_core.reader.table import SAYING_LITTLE, Column, Rows, Table, carried_out
from kgqa_core.reader.views import NotebookView
from kgqa_core.reader.words import ORDINALS
from kgqa_core.text import fold, singular, stem, stems

OF_SOME = ", of those that were read"
_UNSAID = 1  # words that may name nothing
# cosines from which a column may be meant that no word names
_LEAST, _NEAR, _LIKELY = 0.15, 0.3, 0.45
_DISTINCT = re.compile(r"\b(?:different|distinct|kinds?|types?|sorts?)\b")
_SORTING = frozenset(map(stem, ("propertytype", "type", "kind", "species", "category", "sort")))
_SPENT = re.compile(
    r"\b(?:spen[dt]|paid|pay|cost|take|taken|took|make|made|raised?|earned?|get|got)\b"
)
_WANTS = WANTS | {"whose": "person"}
_MEASURED = {"long": "duration length time minutes hours", "old": "age", "far": "distance",
             "tall": "height", "high": "height", "heavy": "weight", "big": "size area",
             "deep": "depth", "often": "frequency", "many": "number",
             "much": "price cost amount fee total value"}  # fmt: skip


class RowWords(Cells):
    """One question over one table: what it asks of the rows that are left."""

    def __init__(self, question: str, table: Table, view: NotebookView, reader: Rows) -> None:
        super().__init__(question, table, view, reader)
        self.guessed = False  # the target, by no word
        self.of_cell = False  # which punts: those that are called so
        self.counts_others = False  # things that are perhaps no rows
        self.want = next((_WANTS[w] for w in self.low[:3] if w in _WANTS), "")
        if "who" in self.low[3:7]:  # besides Ann Roth, who else
            self.want = "person"
        self._order()
        self.head = self._head()
        self._target()
        self._left()

    # -- order -----------------------------------------------------------------------------

    def _order(self) -> None:
        """A superlative, or a comparative of two rows, and the column that it is about."""
        asked = self.asked
        two = len(asked.rows) > 1 or any(" | " in t.value for t in asked.tests)
        for at, word in enumerate(self.low):
            if at in self.named:
                continue
            ends = ENDS | OF_TWO if two else ENDS
            measure = self.lex.adjectives.get(word)
            if word in {"last", "first"} and self.want == "time" and asked.rows:
                self.named.add(at)
                continue
            compares = two and (word.endswith("er") or word in OF_TWO)
            if word in ends:
                asked.order = ends[word]
                following = (self.lex.adjectives.get(w) for w in self.low[at + 1 : at + 3])
                measure = next(filter(None, following), None)
                if measure:  # the least cheap
                    asked.order = "highest" if asked.order == measure.order else "lowest"
            elif measure is not None and (word in self.lex.superlatives or compares):
                asked.order = measure.order
            else:
                continue
            asked.by = self._scale(word, measure, at)
            if asked.by is None:
                asked.order = ""
                continue
            self.named.add(at)
            places = range(at, min(at + 4, len(self.low)))
            self.named.update(i for i in places if self.low[i] in self.lex.adjectives)
            self._name(asked.by)
            if at and self.low[at - 1] in ORDINALS:
                asked.position = ORDINALS[self.low[at - 1]]
                self.named.add(at - 1)
            if asked.operation == "any" and len(asked.rows) > 1:
                asked.whether = True
            elif asked.operation == "any":
                asked.operation = ""
            return

    def _scale(self, word: str, measure: Measure | None, at: int) -> Column | None:
        scales = [
            c for c in self._around() if c.kind in {"number", "time"} and c.use.direction == "out"
        ]
        near = [*self.low[at + 1 : at + 4], *self.low[max(0, at - 1) : at]]
        said = {s for w in near for s in stems(w)}
        labels = measure.relations if measure else ()
        for label in labels:
            if found := [c for c in scales if label in c.called]:
                return found[0]
        if named := [c for c in scales if said & c.says]:
            return max(named, key=lambda c: len(said & c.says) / len(c.says))
        alike = [
            c
            for c in scales
            if any(
                set(stems(x)) & (c.says | {s for n in c.called for s in stems(n)}) for x in labels
            )
        ]
        if alike:
            return self._nearest(alike)
        times = [c for c in scales if c.kind == "time"]
        if word == "longest" and times:  # who has been here the longest
            self.asked.order = "lowest"
            return self._nearest(times)
        if set(labels) & {"inception", "publication date"} and times:  # oldest, newest
            return self._nearest(times)
        return self._nearest(scales, _LEAST) if len(scales) > 1 else next(iter(scales), None)

    # -- what is asked for -----------------------------------------------------------------

    def _target(self) -> None:
        asked = self.asked
        if asked.operation == "any":
            self._there()
            return
        if asked.rows:  # it is meant, whatever else is said of it
            asked.tests = [t for t in asked.tests if not t.column.ticks and t.test != "is"]
        columns = self._around()
        numbers = [c for c in columns if c.kind == "number"]
        if asked.operation in {"sum", "average"}:
            named = self._best(self._free_words(), numbers) or asked.by
            of_money = "how much" in self.plain and self._best(_MEASURED["much"].split(), numbers)
            asked.target = named or of_money or self._nearest(numbers)
            return
        head = self.head
        if asked.operation == "count":
            self._counted(head, columns)
            self._as_cells()
            return
        want = self.want
        more: list[str] = []
        if (how := re.search(r"\bhow (\w+)", self.plain)) and how[1] in _MEASURED:
            want = self.want = "number"
            more = _MEASURED[how[1]].split()
            self._say(how)
        if asked.by and (len(asked.rows) > 1 or (self.names_rows and want in {"", "person"})):
            return  # those themselves
        if want == "person":
            asked.target = self._person(columns)
        elif want:
            fit = [c for c in columns if self._fits(c, want)]
            named = self._best(self._free_words(), fit or columns)
            least = 0.0 if want in {"time", "number"} else _LIKELY
            asked.target = named or self._best(more, fit) or self._nearest(fit, least)
            many = not asked.rows and not asked.by and asked.target
            if want == "number" and many and _SPENT.search(self.plain):
                asked.operation = "sum"  # how much we spent
        elif head is not None:
            asked.target = self._of_head(head, columns)
        elif asked.rows or asked.tests or self.low[:1] == ["what"]:
            asked.target = self._best(self._free_words(), columns, plainly=bool(asked.by))
            if asked.target is None and asked.rows and not asked.by:
                asked.target = self._nearest(columns, _LIKELY)
        if head:
            self._as_cells()
        self._chain(columns)
        if asked.target in [t.column for t in asked.tests if t.test != "is not"]:
            asked.target = None

    def _as_cells(self) -> None:
        """Who reports to Ann: a row of which nothing is asked, but of those that have it."""
        asked = self.asked
        for row in [] if asked.target or asked.by else list(asked.rows):
            if held := self.held.get(row.name):
                asked.rows.remove(row)
                self._test(held, ids_of(row.members), [], row.members[0].name)

    def _chain(self, columns: Sequence[Column]) -> None:
        """The room of Ann's manager: a column that leads to other rows, before what is asked."""
        asked = self.asked
        if len(asked.rows) != 1 or asked.target is None:
            return
        for c in columns:
            leads = c.kind not in {"time", "number"} and c != asked.target and not c.ticks
            if leads and re.search(
                rf"(?:'s {re.escape(c.name)}|{re.escape(c.name)} of)\b", self.plain
            ):
                asked.via = c
                self._name(c)
                return

    def _there(self) -> None:
        """Whether a thing has what a column says: has Rex had his booster."""
        if self.asked.rows and not self.asked.tests and not self.asked.whether:
            column = self._best(self._free_words(), self._around(), plainly=True)
            if column is not None:
                self._test(column, "", [], "", "has")

    def _person(self, columns: Sequence[Column]) -> Column | None:
        """Where those stand who are asked for; None: they are the rows."""
        used = [t.column for t in self.asked.tests]
        if but := [t.column for t in self.asked.tests if t.test == "is not"]:
            return but[0]  # who else than Ann
        fit = [c for c in columns if self._fits(c, "person") and c not in used]
        people = [c for c in fit if c.has_people]
        if any(self._is_row_word(w) for w in self.low) and (self.asked.by or not people):
            return None
        named = self._best(self._free_words(), people or fit)
        if named is not None or self.table.of_people:
            return named
        return self._nearest(people) or self._nearest(fit, _LIKELY)

    def _counted(self, head: list[str] | None, columns: Sequence[Column]) -> None:
        asked = self.asked
        if head is None or any(self._is_row_word(w) for w in head):
            return
        self.counts_others = bool(head) and not (asked.tests or asked.rows)
        column = self._best(head, columns)
        if column is None or column.ticks or column in [t.column for t in asked.tests]:
            return
        if column.kind == "number":
            asked.target, asked.operation = column, "sum"
        elif column.has_people or asked.rows or _DISTINCT.search(self.plain):
            asked.target = column

    def _of_head(self, head: list[str], columns: Sequence[Column]) -> Column | None:
        if any(self._is_row_word(w) for w in head) or (
            not head and (self.asked.by or (self.of_cell and not self.asked.rows))
        ):
            return None
        found = self._best(head, columns)
        if found is None and not head:
            least = 0.0 if self.asked.rows else _NEAR
            things = [c for c in columns if c.kind not in {"time", "number"} and not c.ticks]
            named = self._best(self._free_words(), columns)
            self.guessed = named is None
            return named or self._nearest(things, least)
        return found

    @staticmethod
    def _fits(c: Column, want: str) -> bool:
        if want in {"time", "number"}:
            return c.kind == want
        return not (want and (c.kind in {"time", "number"} or c.ticks))

    def _head(self) -> list[str] | None:
        """What the question calls that which it asks for: the words behind “which” or “how many”.

        None where there is no such word.
        """
        low = self.low
        at = next((i for i, w in enumerate(low) if w in {"which", "what", "many", "whose"}), None)
        if at is None or (
            low[at] == "what" and low[at + 1 : at + 2] in (["is"], ["are"], ["was"], ["were"])
        ):
            return None
        at += 2 if low[at + 1 : at + 2] == ["of"] else 1
        out = []
        for i in range(at, len(low)):
            stops = low[i] in AUX | PREPOSITIONS | {"i", "we", "that", "who", "they"}
            if (stops and low[i] not in {"of", "our", "my", "the"}) or self.tokens[i].span:
                break
            self.of_cell = i in self.named
            if i not in self.named and low[i] not in {"of", "our", "my", "the", "'s"}:
                out.append(low[i])
        return out[:3]

    def _best(
        self, said: Sequence[str], columns: Sequence[Column], *, plainly: bool = False
    ) -> Column | None:
        """The column that words name best, `plainly` in its own words; and that they name it."""
        best, score = None, 0.0
        asked = {s for w in said for s in (*stems(w), *stems(singular(w)))}
        for c in columns:
            heard = set(stems(self.plain)) if c.says <= SAYING_LITTLE else asked  # “out on”
            own = len(heard & c.says) / len(c.says)
            own = own or 0.5 * any(like(w, c.says) for w in said)
            own += 0.1 * any(fold(w) in c.called for w in said)
            if own > score:
                best, score = c, own
        if best is None and not plainly:
            uses = [c.use for c in columns]
            for w in said:
                for form in FORMS:
                    found = self.reader.resolver.candidates(singular(w), form, uses)
                    if found and found[0].score > max(score, 0.6):
                        best = next(c for c in columns if c.use == found[0].uses[0])
                        score = found[0].score
                        self.named.update(i for i, v in enumerate(self.low) if v == w)
        self._name(best)
        return best

    @property
    def names_rows(self) -> bool:
        return any(map(self._is_row_word, self.low))

    def is_of_something(self, word: str) -> bool:
        """Whether a word is a name, a number, a kind, or what is asked of a thing: its phone."""
        if not re.fullmatch(r"[a-z]+", word) or word in self.others:
            return True
        at = self.low.index(word)
        before, after = self.low[max(0, at - 2) : at], self.low[at + 1 : at + 3]
        owned = bool({"'s", "his", "her", "their", "its"} & set(before))
        return owned or ("the" in before and bool({"of", "for"} & set(after)))

    def _left(self) -> None:
        asked = self.asked
        self._name(asked.target, asked.by, *(t.column for t in asked.tests))
        head = set(self.head or []) if asked.target is None and not asked.rows else set()
        sorted_ = any(c.says & _SORTING for c in self.columns)  # castles are none of the houses
        self.others = {w for w in head if sorted_ or self.lex.class_of(singular(w))}
        head -= self.others
        if not self.table.mixed:
            self._name(*self.columns)
        self.named.update(i for i, w in enumerate(self.low) if self._is_row_word(w))
        asked.unsaid = [
            self.tokens[i].text
            for i, w in enumerate(self.low)
            if i not in self.named and stem(w) not in SAYING_LITTLE
            and w not in head and w not in NO_CELL - NOT
        ]  # fmt: skip


def is_read(read: RowWords) -> bool:
    """Whether it asks for something of rows, and its words are read, but for one that says little.

    What is asked of a thing is no such word: its “phone number”, “the lighting for” it.
    """
    asked = read.asked
    narrowed = asked.tests or asked.rows or asked.by
    nothing = asked.target is None and asked.by is None and asked.operation != "any"
    who = read.want == "person" and read.low[:1] != ["whose"]
    plainly = nothing and not asked.operation
    compares = "than" in read.low and not asked.whether  # how often, with whom else
    against = (
        asked.rows and nothing,  # a row is no answer to what is asked of it
        plainly and read.low[:1] == ["what"] and not read.head,
        plainly and read.want in {"place", "time", "number"},
        asked.operation in {"sum", "average"} and asked.target is None,
        read.counts_others and asked.target is None,
        asked.operation == "any" and (compares or not (asked.tests or asked.whether)),
        who and nothing and not read.table.of_people and not read.names_rows,
        asked.unsaid and asked.rows and read.guessed,
    )
    if any(against):
        return False
    if not asked.unsaid:
        return bool(narrowed or asked.operation or asked.target)
    reckoned = asked.operation in {"sum", "average"} and asked.target is not None
    reckoned = reckoned and not any(w.endswith("ed") for w in asked.unsaid)
    return (
        bool(narrowed or reckoned)
        and len(asked.unsaid) <= _UNSAID
        and not ((who and nothing) or any(map(read.is_of_something, asked.unsaid)))
    )


def of_rows(
    question: str, view: NotebookView, rows: Rows, *, whole: bool
) -> tuple[Found, str] | None:
    """What a question about rows comes to, and how it was read; `whole`: no word left out.

    None where it is none, and where there is nothing. Raises Need for a step not yet taken.
    """
    for table in rows.tables(question, view):
        words = RowWords(question, table, view, rows)
        if is_read(words) and not (whole and words.asked.unsaid):
            found = carried_out(words.asked, table.every, view)
            said = words.asked.text() + (OF_SOME if not found.certain else "")
            return (found, said) if found.size else None
    return None
