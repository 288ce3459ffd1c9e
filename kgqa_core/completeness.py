"""How fully graphs state a relation: whether what is missing there is a "no".

A graph records what somebody entered. It gives a country all the capitals it has, but of a
person's occupations, awards or dwellings only some, so that poet alone does not make anybody no
novelist (the open-world assumption). Wikidata's own notion of it is the completeness of a
property's values for a subject; here it is one judgement for each relation.
"""

from __future__ import annotations

from typing import Literal as OneOf

from kgqa_core.premises import is_relation
from kgqa_core.terms import Relation

# full     all values are given where any is: another one is a "no"
# listed   mostly all: another one is a likely "no"
# partial  a selection: of another one it says nothing
Completeness = OneOf["full", "listed", "partial"]

_PARTIAL = (
    "occupation P106|award received P166|winner P1346|nominated for P1411|notable work P800|"
    "instrument P1303|residence P551|influenced by P737|field of work P101|employer P108|"
    "educated at P69|student of P1066|student P802|doctoral student P185|conflict P607|"
    "languages spoken, written or signed P1412|participant P710|participant in P1344|"
    "unmarried partner P451|relative P1038|movement P135|genre P136|has genre|has tags|"
    "main subject P921|owner of P1830|owned by P127|has effect P1542|has cause P828|"
    "product or material produced or service provided P1056|significant event P793|"
    "record label P264|performer P175|convicted of P1399|member of sports team P54|uses P2283|"
    "military branch P241|practiced by P3095|drug or therapy used for treatment P2176"
)
_LISTED = (
    "member of P463|position held P39|child P40|sibling P3373|spouse P26|shares border with P47|"
    "member of political party P102|cast member P161|starred actors|country of citizenship P27|"
    "country P17|country of origin P495|official language P37|native language P103|"
    "has part(s) P527|part of P361|contains the administrative territorial entity P150|"
    "has subsidiary P355|parent organization P749|founded by P112|creator P170|author P50|"
    "screenwriter P58|written by|producer P162|composer P86|production company P272|"
    "discoverer or inventor P61|instance of P31|subclass of P279|religion or worldview P140|"
    "official religion P3075|named after P138|location P276|doctoral advisor P184|"
    "located in the administrative territorial entity P131|basin country P205|"
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
