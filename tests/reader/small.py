"""Things and facts for graphs of a handful of them."""

from kgqa_core.facts.terms import Entity, Qualifier, Relation, Statement, Value

WD = "http://www.wikidata.org/entity/"


def thing(number: int, label: str, *aliases: str) -> Entity:
    return Entity(f"{WD}Q{number}", label, "", aliases)


def fact(subject: Entity, pid: str, label: str, value: Value, *more: Qualifier) -> Statement:
    return Statement(subject, Relation(WD + pid, label), value, more)
