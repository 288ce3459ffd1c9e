"""How fully graphs state a relation: whether what is missing there is a "no".

A graph records what somebody entered. It gives a country all the capitals it has, but of a
person's occupations, awards or dwellings only some, so that poet alone does not make anybody no
novelist (the open-world assumption). Wikidata's own notion of it is the completeness of a
property's values for a subject; here it is one judgement for each relation, and one for what a
relation leads to: a list, a count or a superlative over what is given in part is not certain.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal as OneOf

from kgqa_core.facts.premises import is_relation
from kgqa_core.facts.terms import Direction, Relation

# full     all values are given where any is: another one is a "no"
# listed   mostly all: another one is a likely "no"
# partial  a selection: of another one it says nothing
Completeness = OneOf["full", "listed", "partial"]

# what may be missing from a set that a relation led to
# ""      nothing
# several of one there may be more after all, which matters where they are counted
# class   things of a kind that the graph does not have; a kind it has all of is all there
# set     anything
# now     it was so at some time, and may be so no more
# source  what it is asked of has it in part only: the birthplace of one of two composers
Missing = OneOf["", "several", "class", "set", "now", "source"]

_PARTIAL = (
    "occupation P106|award received P166|winner P1346|nominated for P1411|notable work P800|"
    "instrument P1303|residence P551|influenced by P737|field of work P101|employer P108|"
    "educated at P69|student of P1066|student P802|doctoral student P185|conflict P607|"
    "languages spoken, written or signed P1412|participant P710|participant in P1344|"
    "unmarried partner P451|relative P1038|movement P135|genre P136|has genre|has tags|"
    "main subject P921|owner of P1830|owned by P127|has effect P1542|has cause P828|"
    "product or material produced or service provided P1056|significant event P793|"
    "record label P264|performer P175|convicted of P1399|member of sports team P54|uses P2283|"
    "military branch P241|practiced by P3095|drug or therapy used for treatment P2176|"
    "shares border with P47|basin country P205"
)
_LISTED = (
    "member of P463|position held P39|child P40|sibling P3373|spouse P26|"
    "member of political party P102|cast member P161|starred actors|country of citizenship P27|"
    "country P17|country of origin P495|official language P37|native language P103|"
    "has part(s) P527|part of P361|contains the administrative territorial entity P150|"
    "has subsidiary P355|parent organization P749|founded by P112|creator P170|author P50|"
    "screenwriter P58|written by|producer P162|composer P86|production company P272|"
    "discoverer or inventor P61|instance of P31|subclass of P279|religion or worldview P140|"
    "official religion P3075|named after P138|location P276|doctoral advisor P184|"
    "located in the administrative territorial entity P131|"
    "located in or next to body of water P206|headquarters location P159|"
    "location of formation P740|head coach P286|stock exchange P414|tributary P974|"
    "voice actor P725|in language|"
    "original language of film or TV show P364|language of work or name P407|"
    "basic form of government P122|position played on team / speciality P413|sport P641"
)


def stated(relation: Relation | str) -> Completeness:
    """How fully graphs state a relation, given as such or by its label."""
    if isinstance(relation, str):
        relation = Relation("", relation)
    if is_relation(relation, _PARTIAL):
        return "partial"
    return "listed" if is_relation(relation, _LISTED) else "full"


# of these there are several as a rule, and graphs name some of them
_SEVERAL = (
    "child P40|sibling P3373|cast member P161|starred actors|member of P463|position held P39|"
    "has subsidiary P355|tributary P974|voice actor P725|diplomatic relation P530|characters P674|"
    "has part(s) P527|spouse P26|head of state P35|head of government P6|officeholder P1308|"
    "head coach P286|chief executive officer P169|chairperson P488"
)
# of these there is mostly one; where there are more, they need not be all
_FEW = (
    "winner P1346|performer P175|owned by P127|unmarried partner P451|main subject P921|"
    "student of P1066|military branch P241|has cause P828|genre P136|has genre|spouse P26|"
    "head of state P35|head of government P6|officeholder P1308|head coach P286|"
    "chief executive officer P169|chairperson P488"
)
# a place has one, but what lies in several, such as a river, need not have all
_SPREAD = "country P17|located in the administrative territorial entity P131"
_SYMMETRIC = "spouse P26"
# each value has one subject, or the graph states both directions
_MUTUAL = (
    "capital P36|capital of P1376|borders|"
    "follows P155|followed by P156|replaces P1365|"
    "replaced by P1366|sequel|prequel|mouth of the watercourse P403|"
    "highest point P610|home venue P115"
)
# given to everything that lies somewhere, or is something
_THROUGHOUT = (
    "continent P30|country P17|located in the administrative territorial entity P131|"
    "instance of P31|type|subclass of P279"
)
_CONTENTS = "contains the administrative territorial entity P150"
_WHOLE = frozenset(
    "country|sovereign state|continent|ocean|u.s. state|us state|state of the united states|"
    "federated state of germany|planet of the solar system|great lakes".split("|")
)


@lru_cache(maxsize=2_000)
def missing(relation: Relation, direction: Direction, *, several: bool = True) -> Missing:
    """What may be missing from the values of a relation, or from all that have a value of it.

    `several`: whether the graph gives more than one.
    """
    if is_relation(relation, _MUTUAL):
        return ""
    if is_relation(relation, _THROUGHOUT if direction == "in" else _CONTENTS):
        return "class"
    if not several and is_relation(relation, _FEW):
        return "several" if direction == "out" or is_relation(relation, _SYMMETRIC) else "set"
    if several and is_relation(relation, _SPREAD):
        return "set"
    if direction == "in" or is_relation(relation, _SEVERAL) or stated(relation) == "partial":
        return "set"
    return ""


def whole_class(label: str) -> bool:
    """Whether graphs have all things of a class: there are few, and everybody knows them."""
    return label.casefold() in _WHOLE
