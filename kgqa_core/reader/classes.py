"""Names and classes of things: what a noun stands for, and which members are of a kind."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

from kgqa_core.facts import relations
from kgqa_core.facts.completeness import whole_class
from kgqa_core.facts.terms import Entity, RelationUse, Value
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import (
    CLASS,
    PARTS,
    SEX,
    SUBCLASS,
    Acting,
    Found,
    all_are,
    find_use,
    ids_of,
    kinds_of,
)
from kgqa_core.reader.grammar import TIME_NOUNS, is_office
from kgqa_core.reader.plan import Plan
from kgqa_core.reader.resolve import in_own_words, names
from kgqa_core.text import fold, plural, singular, stem, stems

_ROW = "entry"  # what a row of any table is called as well
_PEOPLE = frozenset({"person", "human", "people", "individual", "figure", "celebrity", "one"})
SHOWN = 30  # members of a set that are in view
_QUANTITIES = frozenset("number amount figure value age size sum rank point percentage".split())
STATES = frozenset({"country", "state", "nation", "member state", "member country"})
SEXES = {"man": "male", "guy": "male", "woman": "female", "lady": "female"}
BUT_NONE = r"(?:dwarf|former|fictional|imaginary|proposed|mock|toy|fake) "  # these are none
_ROYAL = frozenset({"king", "queen", "emperor", "empress", "monarch", "sultan", "tsar"})
_FEMALE = frozenset({"queen", "empress"})
_LOCAL = frozenset({"mayor", "governor"})
_TITLES = {  # stem of a title → the words that say that somebody bears it
    **{stem(w): frozenset({w}) for w in (*(_ROYAL - {"monarch"}), *_LOCAL)},
    **{stem(w): frozenset({w}) for w in ("president", "chancellor")},
    stem("monarch"): _ROYAL,
    stem("minister"): frozenset({"prime minister", "premier"}),
    stem("premier"): frozenset({"prime minister", "premier"}),
}
LINKING = frozenset(stem(w) for w in "the a an of for in at and to".split())
_PICTURES = frozenset({"picture", "film", "movie"})  # the same in a question, not in a name
ORIGINS = relations.labels("origin")
_MEMBERSHIP = (CLASS, ("occupation",), ("sport",))  # relations from a thing to what it is one of


class Classes(Acting):
    """Names, classes, and members of a class."""

    def _anchor(self, plan: p.Anchor) -> Iterator[Found]:
        found = self.view.anchor(plan.text, plan.noun)
        if found is None or not found.certain:  # World War II before what is only like it
            names_ = self.lex.demonyms.get(plan.text.casefold(), ())
            for name in (*names_, *self.lex.renamed(plan.text)):
                other = self.view.anchor(name, "" if name in names_ else "class")
                if other is not None and (found is None or other.certain):
                    found = other
                    break
        if found is None:
            self._lack(f"has no entity called “{plan.text}”", "The graph")
            return
        yield found
        for name in self.lex.renamed(plan.text) if found.certain else ():
            other = self.view.anchor(name, "class")  # Princeton, the university
            if other is not None and set(other.members) != set(found.members):
                yield other.doubted(True)

    def _kind(self, plan: p.Kind) -> Iterator[Found]:
        noun = singular(plan.noun)
        thought = f"I need everything that is a {noun}."
        group = self.view.anchor(plan.noun, "class")  # the Great Lakes: what they consist of
        called = group is not None and fold(group.members[0].name) == fold(plan.noun)
        if group is not None and called:
            yield from self._made_up(group, thought)
        yield from self._in_a_column(noun)
        for cls in self._classes(noun):
            above = cls.into(*SUBCLASS)
            own = [cls.into(*labels) for labels in _MEMBERSHIP]
            if above and (own[0] or not any(own)):  # where all hives are of some kind of hive
                below = self._follow(cls, above, f"Which kinds of {noun} are there?")
                if below.size:
                    cls = self._compute("union", cls, below, f"All kinds of {noun} count.")
            for labels in _MEMBERSHIP:
                if use := cls.into(*labels):
                    every = self._follow(cls, use, thought)
                    if not self._whole(noun) and (of := cls.into(*PARTS)):
                        whole = self._follow(cls, of, f"Does it say how many there are: {noun}?")
                        every = self._as_many(every, whole, noun) if of.count == 1 else every
                    yield replace(every, missing="") if self._whole(noun) else every
            if [use.direction for use in cls.uses] == ["in"]:  # strikers: by their position
                yield self._follow(cls, cls.uses[0], thought).doubted(True)
        if group is not None and not called:
            yield from self._made_up(group, thought)
        if self.view.anchor(noun, "") is None:
            self._lack(f"has no entity called “{noun}”", "The graph")
        self._lack(f"does not say what is a {noun}")

    def _made_up(self, group: Found, thought: str) -> Iterator[Found]:
        if use := group.out(*PARTS):
            found = self._follow(group, use, thought)  # who is in a band, may have left it
            closed = found.out("occupation") is None
            yield replace(found, missing="") if closed else found.doubted(True)

    def _in_a_column(self, noun: str) -> Iterator[Found]:
        """What a column of a table has below such a heading: species, nights; then the rows."""
        near = self.view.anchor(noun, "class")
        own = near is None or (not near.certain and any(map(in_own_words, near.uses)))
        rows = self.view.anchor(_ROW, "class") if own else None
        use = rows.into(*CLASS) if rows and rows.certain else None
        if rows and use and in_own_words(use):
            every = self._follow(rows, use, "I look at the rows.")
            if column := find_use(every.uses, (noun, plural(noun)), "out"):
                yield self._follow(every, column, f"Which {plural(noun)} are there?")
                yield every.doubted(True)

    def _classes(self, noun: str) -> Iterator[Found]:
        """The class a noun names; a class with several names in the graph as one set."""
        known = self.lex.class_of(noun)
        one: Found | None = None
        for label in dict.fromkeys((noun, *(known.labels[:2] if known else ()))):
            cls = self.view.anchor(label, "class")
            if cls is None or not cls.size:
                continue
            if known is None or known.what not in {"thing", "work"}:
                yield cls
            elif one is None:
                one = cls
            elif set(cls.members) - set(one.members):
                one = self._compute("union", one, cls, f"Another word for a {noun}.")
        if one is not None:
            yield one

    def _of(self, plan: p.Of) -> Iterator[Found]:
        source = plan.source
        if isinstance(source, p.Hop):
            known = self.lex.class_of(singular(plan.noun))
            source = replace(source, noun=singular(plan.noun))
            if known and known.what in {"person", "place"} and not source.want:
                source = replace(source, want=known.what)
        implied = _implied(source, plan.noun)
        first: Found | None = None
        asked_beside = isinstance(source, p.Hop) and source.beside is not None
        for found in self.values(source):
            first = first or found
            if asked_beside and self.lex.qualifiers_of(plan.noun):
                yield found  # what subject, for which film: said by the statement
                continue
            kept = False
            said = implied or self._says_class(found, plan.noun)  # who plays in a film, is an actor
            headed = said and relations.belongs(found.via, "head")
            titled = self._titled(found, plan.noun) if headed else True
            if titled is False:
                continue
            for members in self._of_class(found, plan.noun, said):
                kept = True
                members = replace(members, via=found.via, back=found.back)
                yield members.doubted(said and members.size < found.size, titled is None)
            if not kept:
                if self._says_class(found, plan.noun):
                    yield found.doubted(True)
                yield from self._leads_to(found, plan.noun)
        if first is not None and self._may_ignore(first, plan.noun):
            yield first.doubted(True)

    def _leads_to(self, found: Found, noun: str) -> Iterator[Found]:
        """The country of a city, when a country is asked for; or the relation says it all."""
        if set(stems(noun)) & set(stems(found.via)):
            yield found.doubted(found.back)
            return
        own = any(map(in_own_words, found.uses))  # a column of the rows that were found
        if own or self.lex.is_noun(noun) or self.lex.class_of(noun):
            for candidate in self.resolver.candidates(singular(noun), "role", found.uses)[:1]:
                use = candidate.use
                onward = relations.belongs(use.relation, "place within")
                if not onward and self._says_class(found, noun):
                    continue  # who won is the team, and not what that is a member of
                if relations.belongs(found.via, "place within") and not onward:
                    continue  # a river of the country is none of the city in it
                if not candidate.guess and use.direction == "out":
                    thought = f"I need the {singular(noun)} of {self._name_of(found, p.Hole())}."
                    led = self._follow(found, use, thought)
                    wide = relations.belongs(use.relation, "several kinds")  # a state, no county
                    for one in self._of_class(led, noun) if wide else [led]:
                        yield one.doubted(one.size > max(1, found.size))

    def _titled(self, holders: Found, noun: str, place: Found | None = None) -> bool | None:
        """Whether who heads a place bears the title asked for; None where nothing tells.

        One relation leads to kings and presidents alike: what the graph says of the holders
        tells them apart, else the form of government.
        """
        asked = _TITLES.get(stem(noun.split()[-1]))
        if asked is None:
            return True
        held = holders.out("position held")
        texts = [m.description for m in holders.things]
        said = " ".join(fold(t) for t in (*texts, *(held.examples if held else ())))
        borne = {w for w in set().union(*_TITLES.values()) if re.search(rf"\b{w}\b", said)}
        if borne & asked:
            each = [not t or any(re.search(rf"\b{w}\b", fold(t)) for w in asked) for t in texts]
            return True if all(each) else None
        if borne:
            of_one_sex = bool(borne & _FEMALE) == bool(asked & _FEMALE)
            return None if borne | asked <= _ROYAL and of_one_sex else False
        forms = place.out("basic form of government") if place else None
        said = " ".join(forms.examples) if forms else ""
        if "monarchy" in said:
            return True if asked <= _ROYAL else False if "president" in asked else None
        return False if "republic" in said and asked <= _ROYAL else None

    def _kind_of_value(self, found: Found, noun: str) -> bool:
        """Whether a noun is no more than what dates and numbers are called: "which day"."""
        return noun in TIME_NOUNS | _QUANTITIES or bool(set(stems(noun)) & set(stems(found.via)))

    def _says_class(self, found: Found, noun: str) -> bool:
        """Whether the relation that led here tells what they are: who directs, directs a film."""
        if relations.belongs(found.via, "several kinds"):
            return False  # what a place lies in may be a county or a town
        return any(
            e.kind == "noun" and any(found.via in way for way in e.relations)
            for e in self.lex.find(stems(singular(noun)), "noun")
        )

    def _may_ignore(self, found: Found, noun: str) -> bool:
        """A class nobody in the set has may be another word for it, unless it is well known."""
        known = self.lex.class_of(singular(noun))
        if known is None and not found.things:
            return self._kind_of_value(found, noun)
        if known is not None and known.what in {"place", "work"} and self._sorts(noun):
            return False
        if known is None:
            return not self.lex.is_noun(singular(noun)) and self._is_told(found, noun)
        described = all(isinstance(m, Entity) and m.description for m in found.members)
        told = any(self._is_told(found, label) for label in (noun, *known.labels))
        return (told or not described) and not found.out(*CLASS)

    def _is_told(self, found: Found, noun: str) -> bool:
        """Whether a noun that nobody knows stands in what is said of the members, or led there."""
        said = [found.via, *(f"{m.name} {m.description}" for m in found.members[:SHOWN]
                             if isinstance(m, Entity))]  # fmt: skip
        root = stems(noun)[-1:]
        return any(set(root) & set(stems(text)) for text in said)

    def _of_class(self, found: Found, noun: str, implied: bool = False) -> Iterator[Found]:
        """Members of a kind; of a kind that the graph has all of, none is missing."""
        for members in self._members(found, noun, implied):
            whole = members.missing == "class" and self._whole(noun)
            yield replace(members, missing="") if whole else members

    def _sorts(self, noun: str) -> bool:
        """Whether the graph says of things that they are of a kind: else nothing is told by it."""
        return any(cls.into(*CLASS) for cls in self._classes(singular(noun)))

    def _whole(self, noun: str) -> bool:
        """Whether the graph has all of a kind: countries, so the landlocked countries as well."""
        noun = singular(noun)
        names = {noun, noun.split()[-1]}
        names |= {known.head for n in names if (known := self.lex.class_of(n)) is not None}
        return any(map(whole_class, names))

    def _members(self, found: Found, noun: str, implied: bool) -> Iterator[Found]:
        noun = singular(noun)
        known = self.lex.class_of(noun)
        labels = list(dict.fromkeys((noun, *(known.labels if known else ()))))
        if not found.things:
            meant = self._says_class(found, noun) or self._kind_of_value(found, noun)
            if meant or not found.via:
                yield found  # else its revenue is asked for, not its inception
            return
        instance = found.out(*CLASS)
        person = known is not None and known.what == "person"
        if person or (known is None and found.out("occupation")):
            done = yield from self._people(found, noun, labels, implied)
            if done:
                return
        if instance is None and self.lex.is_noun(noun) and known is None:
            return  # a genre, a type: what leads there is asked for
        if instance is None or all_are(instance, labels):
            named = all(set(stems(noun)) <= set(stems(m.name)) for m in found.members)
            told = instance is not None or named or self._says_class(found, noun)
            if told or (self._is_told(found, noun) if known is None else not self._sorts(noun)):
                yield found.doubted(not told)
            elif self.view.in_part:
                yield found.doubted(True)  # the facts at hand say of nothing there what it is
        else:
            yield from self._sorted_out(found, instance, noun, labels)

    def _people(
        self, found: Found, noun: str, labels: list[str], implied: bool
    ) -> Generator[Found, None, bool]:
        """Members that are people of a kind, and whether that settles it."""
        instance = found.out(*CLASS)
        sex = {**SEXES, "actress": "female"}.get(noun)
        gender = found.out(*SEX)
        if sex and gender:
            thought = f"Only the {plural(noun)} are asked for."
            told = gender.count >= found.size  # of everybody
            yield self._keep(found, gender, "is", sex, thought).doubted(not told)
            return True
        if noun in _PEOPLE or implied or sex:
            human = instance is None or all_are(instance, ["human", "person", *labels])
            yield found.doubted(not (human or implied))
            return True
        for name in ("occupation", "position held", "sport"):
            if use := found.out(name):
                held = [self._offices(found, use, noun)] if name == "position held" else []
                thought = f"Which of them are {plural(noun)}?"
                kept = self._keep(found, use, "is", " | ".join([*labels, *held]), thought)
                if kept.size:
                    yield kept
                    return True
        return found.out("occupation") is not None

    def _sorted_out(
        self, found: Found, instance: RelationUse, noun: str, labels: list[str]
    ) -> Iterator[Found]:
        """Members of a class that the graph gives; all of them where their names say it."""
        thought = f"Which of them are {plural(noun)}?"
        labels = list(dict.fromkeys([*labels, *sorts_of(noun, instance)]))
        kept = self._keep(found, instance, "is", " | ".join(labels), thought)
        if noun in STATES and kept.size > 1 and not self.past:
            kept = self._standing(kept)
        if kept.size < found.size <= SHOWN:
            left = [m for m in found.members if m not in kept.members]
            called = [m for m in left if set(stems(noun)) <= set(stems(m.name))]
            if called and len(called) == len(left):
                yield found  # the University of X is one, whatever its class is called
                return
            kept = kept.doubted(bool(called))
        if kept.size:
            yield kept

    def _so_called(self, found: Found, uses: Sequence[RelationUse], plan: p.Hop) -> Iterator[Found]:
        """Those of the kind, where the relation leads to others too: what orbits Zed, its moons."""
        known = self.lex.class_of(plan.phrase) if plan.form == "role" else None
        # A river is one of the waters a town lies on: the word asks for the kind, not for them all.
        wide = any(relations.belongs(use.relation, "several kinds") for use in uses)
        if known is None or known.what not in ({"thing", "place"} if wide else {"thing"}):
            yield found
            return
        called = [
            use.relation.label if wide else name for use in uses for name in names(use.relation)
        ]
        if set(stems(plan.phrase)) & {root for name in called for root in stems(name)}:
            yield found
            return
        use = found.out(*CLASS)
        partly = use is None or use.count < found.size
        if use is not None:
            kept = list(self._of_class(found, plan.phrase))
        else:
            root = set(stems(plan.phrase))
            texts = [f"{m.name} {m.description}" for m in found.things]
            told = all(root <= set(stems(text)) for text in texts)
            kept = [found] if told or not wide else []
            partly = not (told and wide)
        yield from (replace(one, via=found.via, back=found.back).doubted(partly) for one in kept)

    def _work_or_place(self, source: Found) -> bool:
        """Whether a thing is nobody one would ask "who" about: the film Batman."""
        kinds = map(self.lex.class_of, kinds_of(source))
        return any(k is not None and k.what in {"work", "place"} for k in kinds)

    def _shown_on_screen(self, source: Found) -> bool:
        return any(kind.endswith(("film", "series")) for kind in kinds_of(source))

    def _part_of_name(self, text: str, value: Value) -> bool:
        """Whether all words of a text are in one name of a value; "Oscar" for its full name."""
        if not isinstance(value, Entity):
            return False
        for other in (text, *self.lex.renamed(text)):
            asked = {w for w in stems(other) if w not in LINKING}
            exact = {w for w in fold(other).split() if w in _PICTURES}
            for name in (value.label, *value.aliases):
                if asked and asked <= set(stems(name)) and exact <= set(fold(name).split()):
                    return True
        return False

    def _offices(self, found: Found, use: RelationUse, noun: str) -> str:
        """Offices held that are of a title: President of the United States, for presidents."""
        if not is_office(noun):
            return noun
        offices = self._follow(found, use, f"Which offices of a {noun} are there?").members
        title = re.compile(rf"(?<!vice )(?<!deputy )(?<!assistant )\b{noun}\b(?!-| elect)")
        near = [o for o in offices if title.search(fold(o.name))]
        return ids_of(near) or noun

    def _standing(self, states: Found) -> Found:
        """Asked in the present, countries of the past are not meant."""
        instance = states.out(*CLASS)
        if instance is None:
            return states
        thought = "Only countries of today are meant."
        kept = self._keep(states, instance, "is not", "historical country", thought)
        return kept if kept.size else states

    def _from(self, plan: p.From) -> Iterator[Found]:
        adjective = plan.adjective
        if adjective == "current":
            self.now = True
            yield from self.values(plan.source)
            return
        places = list(self.lex.demonyms.get(adjective, ()))
        if isinstance(plan.source, p.Kind):  # start from the place: the class may be large
            for place in places:
                found = self.view.anchor(place, "")
                if found:
                    hop = p.Where(plan.source, "from", "patient", p.Anchor(place), "from")
                    yield from self.values(hop)
                    return
        for found in self.values(plan.source):
            for name in (*ORIGINS, "original language of film or TV show", "in language"):
                if use := found.out(name):
                    value = " | ".join([*places, adjective])
                    kept = self._keep(
                        found, use, "is", value, f"Which of them are {adjective.title()}?"
                    )
                    if kept.size:
                        yield kept
                        break


def _implied(plan: Plan, noun: str) -> bool:
    """Whether the verb says what they are: players play."""
    if isinstance(plan, p.Join):
        return plan.how == "intersection" and any(
            _implied(x, noun) for x in (plan.left, plan.right)
        )
    return isinstance(plan, p.Hop) and bool(set(stems(noun)) & set(stems(plan.phrase)))


def sorts_of(noun: str, use: RelationUse) -> list[str]:
    """Kinds of a thing by their names: a landlocked country, but no former one."""
    sort = re.compile(rf"(?!{BUT_NONE}|historical )(?:.* )?{re.escape(noun)}(?: (?:of|in) .*)?")
    return [example for example in use.examples if sort.fullmatch(fold(example))]
