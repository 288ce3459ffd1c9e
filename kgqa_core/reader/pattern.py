"""A plan as a pattern over any graph: things, open ends, the relations between them, and tests.

KB-BINDER's drafts are these patterns written as SPARQL, PG&AKV's pseudo-graphs the same ones
written as Cypher: things and relations by what a graph may call them, no graph being at hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from kgqa_core.facts.terms import Direction
from kgqa_core.reader import plan as p
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.plan import Form, Plan
from kgqa_core.reader.resolve import Resolver, expected
from kgqa_core.text import fold, singular

Way = tuple[str, Direction]  # what a graph may call a relation, and which way it is gone

WAYS = 3  # relations that one phrase may mean
_ALL_WAYS = 20  # looked through for those between a whole and its parts
PART_OF, HAS_PART = "part of", "has part(s)"
_PARTS: tuple[Way, ...] = ((HAS_PART, "out"), (PART_OF, "in"))
CLASS: tuple[Way, ...] = (("instance of", "out"),)
_BEING: tuple[Way, ...] = (*CLASS, ("occupation", "out"))
_LIFE: tuple[Way, ...] = (("date of birth", "out"), ("date of death", "out"))
_SIGNS = {"more than": ">", "less than": "<", "after": ">", "before": "<"}


@dataclass(frozen=True)
class Edge:
    """Between two nodes, along any of the ways, the likeliest first; `year`: it held then."""

    near: int
    ways: tuple[Way, ...]
    far: int
    year: str = ""


class Pattern:
    """Nodes (a name, or what kind of thing is open) and edges between them.

    `several`: nodes that are any of some others. `tests`: a node is of a class (`a`), or more, less
    or other (`>`, `<`, `!=`) than a node or a value. `order`: nodes, and what each is ordered by.
    `whole`: nothing of the plan is left out.
    """

    def __init__(self, lex: Lexicon) -> None:
        self.lex, self._resolver = lex, Resolver(lex)
        self.nodes: list[tuple[str, str]] = []  # name, kind; no name: open
        self.edges: list[Edge] = []
        self.several: dict[int, list[int]] = {}
        self.tests: list[tuple[int, str, int | str]] = []
        self.order: list[tuple[int, int]] = []
        self.whole = True

    def named(self, name: str) -> int:
        for number, (known, _) in enumerate(self.nodes):
            if known and fold(known) == fold(name):
                return number
        self.nodes.append((name, ""))
        return len(self.nodes) - 1

    def open(self, kind: str = "") -> int:
        self.nodes.append(("", kind))
        return len(self.nodes) - 1

    def tie(self, near: int, far: int, *ways: Way, year: str = "") -> int:
        self.edges.append(Edge(near, tuple(dict.fromkeys(ways)), far, year))
        return far

    def draw(self, plan: Plan) -> int:
        """Adds what a plan needs; returns the node that stands for its values."""
        match plan:
            case p.Anchor():
                return self.named(plan.text)
            case p.Kind():
                return self._of_class(self.open(singular(plan.noun)), plan.noun)
            case p.IsA(adjective=""):
                return self._of_class(self.draw(plan.source), plan.noun)
            case p.Hop():
                return self._hop(plan)
            case p.Of():
                known = self.lex.is_noun(plan.noun) and self.lex.class_of(plan.noun) is None
                if isinstance(plan.source, p.Hop) and known:
                    node = self._hop(plan.source, plan.noun)
                else:
                    node = self.draw(plan.source)
                self.tests.append((node, "a", plan.noun))
                return node
            case p.Where():
                node, other = self.draw(plan.source), self.draw(plan.other)
                return self.tie(other, node, *self._ways(plan.phrase, plan.form, plan.prep))
            case p.Measure():
                return self._measure(plan.source, plan.by)[1]
            case p.Nth(order="highest" | "lowest"):
                self.order.append(self._measure(plan.source, plan.by))
                return self.order[-1][0]
            case p.Compare():
                left, right = (self._measure(x, plan.by)[1] for x in (plan.left, plan.right))
                self.tests.append((left, ">" if plan.order == "highest" else "<", right))
                return right
            case p.Limit(phrase=by) | p.Against(by=by):
                node, value = self._measure(plan.source, by)
                plain = re.fullmatch(r"[\d.-]+", plan.span.value) and not plan.span.until
                sign = _SIGNS.get(plan.span.test, "") if plain else ""
                self.tests.append((value, sign, plan.span.value))
                self.whole = self.whole and bool(sign) and isinstance(plan, p.Limit)
                return node
            case p.Join(how="union") if all(isinstance(x, p.Anchor) for x in p.united(plan)):
                node = self.open()
                self.several[node] = [self.draw(x) for x in p.united(plan)]
                return node
            case p.Join(how="minus", right=p.Anchor()):
                node = self.draw(plan.left)
                self.tests.append((node, "!=", self.draw(plan.right)))
                return node
            case p.Is(negated=False) | p.Join(how="intersection"):
                return self._same(self.draw(plan.left), self.draw(plan.right))
        return self._partly(plan)

    def _partly(self, plan: Plan) -> int:
        """What is needed at least for a plan that is no pattern."""
        self.whole = False
        inner = (getattr(plan, end, None) for end in p.ENDS)
        drawn = [self.draw(x) for x in inner if x is not None and not isinstance(x, p.Hole)]
        node = drawn[0] if drawn else self.open()
        if isinstance(plan, p.Age | p.Alive | p.Lasting):
            for way in _LIFE:
                self.tie(node, self.open(), way)
        if isinstance(plan, p.From):
            for place in self.lex.demonyms.get(plan.adjective, ())[:1]:
                self.tie(node, self.named(place), ("country", "out"))
        return node

    def _hop(self, plan: p.Hop, role: str = "") -> int:
        """`role`: a noun for the values that names a relation, too: which currency X uses."""
        source = self.draw(plan.source)
        noun = singular(plan.noun) if plan.noun else ""
        ways = self._ways(plan.phrase, plan.form, plan.prep, plan.want)
        if plan.phrase == "description":
            ways = _BEING
        if (role := role or noun) and self.lex.is_noun(role):  # which instrument does X play
            ways += self._ways(role, "role")
        if plan.want == "time":
            ways += tuple((label, "out") for label in self.lex.dated_by(plan.phrase)[:WAYS])
        when = plan.when
        year = when.value if when and when.test == "during" and not when.until else ""
        node = self.tie(source, self.open(noun), *ways, year=year if year.isdigit() else "")
        if plan.beside is not None and not isinstance(plan.beside, p.Hole):
            self.draw(plan.beside)
        held = when is None or year.isdigit()
        self.whole = self.whole and held and plan.beside is None and bool(plan.phrase)
        return node

    def _ways(self, phrase: str, form: Form, prep: str = "", want: str = "") -> tuple[Way, ...]:
        """The relations a phrase may mean, the way they run; the phrase itself if none.

        That something is part of a whole is one of them for a verb that may say so, and for a
        noun that is no relation from here on: what belongs to a group, the lakes of a group.
        """
        known = self._resolver.schema(phrase, form, want=want, prep=prep, most=_ALL_WAYS)
        ways = [way for n, way in enumerate(known) if n < WAYS or way in _PARTS]
        things = form == "role" and self.lex.class_of(singular(phrase)) is not None
        parts = _PARTS if things and all(direction == "in" for _, direction in ways) else ()
        return (*(ways or [(singular(phrase), expected(phrase or "of", form))]), *parts)

    def _measure(self, plan: Plan, by: str) -> tuple[int, int]:
        """What a plan leads to, and the open end that measures it."""
        known = self.lex.adjectives.get(by)
        labels = known.relations[:WAYS] if known else self.lex.dated_by(by)[:WAYS]
        ways: list[Way] = [(label, "out") for label in labels]  # founded first: when
        said = () if known else self._ways(by, "role")
        ways += sorted(said, key=lambda way: self.lex.kinds.get(way[0]) != "number")
        node = self.draw(plan)
        return node, self.tie(node, self.open(), *ways)

    def _of_class(self, node: int, noun: str) -> int:
        self.tie(node, self.named(singular(noun)), *CLASS)
        return node

    def _same(self, one: int, other: int) -> int:
        """One node in place of both."""
        if not self.nodes[one][0]:
            one, other = other, one
        if self.nodes[other][0] or other in self.several:
            self.whole = False  # two names are one only where a graph says so
            return one
        swap = {other: one}
        for n, e in enumerate(self.edges):
            self.edges[n] = replace(e, near=swap.get(e.near, e.near), far=swap.get(e.far, e.far))
        self.tests = [(swap.get(n, n), sign, value) for n, sign, value in self.tests]
        return one
