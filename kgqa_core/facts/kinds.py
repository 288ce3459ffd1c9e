"""What a relation leads to: values people ask for, or what a catalogue keeps beside them.

Of the statements of a well-known thing in Wikidata most are identifiers in other catalogues; in
DBpedia most are links between pages. They are put before a reader when the question asks for
such a thing, and otherwise left aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal as OneOf

from kgqa_core.facts.terms import (
    NUMBERS,
    TIMES,
    URL,
    Entity,
    Qualifier,
    Relation,
    Statement,
    Value,
    short_id,
    words_apart,
)
from kgqa_core.text import stems

Kind = OneOf[
    "item", "time", "quantity", "text", "url", "identifier", "media", "category", "upkeep", ""
]
ASIDE: tuple[Kind, ...] = ("identifier", "media", "url", "category", "upkeep")
_BESIDE: tuple[Kind, ...] = ("identifier", "media", "url", "upkeep")  # a category narrows a prize

_DATATYPES: dict[str, Kind] = {  # Wikibase's names, as JSON and RDF write them: see `datatype`
    "item": "item", "property": "upkeep", "lexeme": "item", "form": "item", "sense": "item",
    "entityschema": "upkeep", "time": "time", "quantity": "quantity", "string": "text",
    "monolingualtext": "text", "math": "text", "globecoordinate": "text", "url": "url",
    "externalid": "identifier", "commonsmedia": "media", "geoshape": "media",
    "tabulardata": "media", "musicalnotation": "media", "localmedia": "media",
}  # fmt: skip
_RDF = {
    "item": "WikibaseItem", "property": "WikibaseProperty", "lexeme": "WikibaseLexeme",
    "form": "WikibaseForm", "sense": "WikibaseSense", "entityschema": "EntitySchema",
    "time": "Time", "quantity": "Quantity", "string": "String", "monolingualtext":
    "Monolingualtext", "math": "Math", "globecoordinate": "GlobeCoordinate", "url": "Url",
    "externalid": "ExternalId", "commonsmedia": "CommonsMedia", "geoshape": "GeoShape",
    "tabulardata": "TabularData", "musicalnotation": "MusicalNotation",
}  # fmt: skip

# by name, where the datatype says no more than item or text
_CATEGORY = re.compile(
    r"\bcategor(?:y|ies)\b|^Commons\b|\bWikimedia\b|\bmain portal\b|^(?:page|Wikipedia) link$"
    r"|\bhas list\b|^list\b|^wiki ?page (?:wiki|inter language) ?link|^(?:dc)?terms subject$",
    re.IGNORECASE,
)
_UPKEEP = re.compile(
    r"\btemplate\b|\bWikiProject\b|\bfocus list\b|\bWikidata\b|\bsandbox\b|\(DEPRECATED\)"
    r"|\bformatter URL\b|\bdescribed by source\b|\bmaintained by\b|\bmodule\b.*\bWiki"
    r"|^permanent duplicated item$|^sitelink|^wiki ?page (?!wiki ?link)|\bpartially coincident with"
    r"|^wikibase:|^related property$|\bproperty for this type\b|^properties for this type$"
    r"|^(?:same ?as|was derived from|is primary topic of)$|^archives at$|^copyright status as"
    r"|^described as$"  # a sentence of a reference work: read by `methods/described.py`
    r"|^history of topic$|^unmarked|^unicode (?:range|hex)",
    re.IGNORECASE,
)
_OF_A_STATEMENT = re.compile(  # of any datatype: where a statement is from, and how it is put there
    r"^(?:statement is subject of|(?:subject|object) (?:named|stated) as|retrieved|stated in"
    r"|reason for (?:deprecated|preferred) rank|statement supported by|media legend|quotation)$",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\b(?:IDs?|identifier)\b(?! (?:of|for) )|(?<=[a-z])ID$")
_CODED = (
    re.compile(  # of texts: what a catalogue, a parser or a typist makes of a name or a subject
        r"\b(?:romani[sz]ation|transliteration|transcription|phonetics?|Caverphone|Soundex|Braille"
        r"|romaji|Pinyin|Hepburn|formatter|regex|regular expression|pattern|checksum|fingerprint"
        r"|Classification|SMILES|SMARTS|SMIRKS|notification|Particle Number|Pokémon index"
        r"|Taxonomy of Exempt Entities|N(?:ACE|AF|AICS) code|Harmonized System)\b",
        re.IGNORECASE,
    )
)
_MEDIA = re.compile(r"^(?:thumbnail|depiction|image(?: caption)?|photo|picture|logo)$", re.I)
_FILE = re.compile(
    r"\.(?:jpe?g|png|svg|gif|tiff?|webp|ogg|oga|ogv|webm|mp[34]|wav|flac|mid|stl|pdf|djvu|map|tab)"
    r"(?:\?\S*)?$",
    re.IGNORECASE,
)
_CODE = re.compile(  # letters with digits, or many digits: no year, no date, no rating
    r"(?!\d{4}-\d\d)(?=\S*\d)(?=\S*[^\W\d]|\S*\d{6})(?!\d+[.,]\d+$)[\w./:@#=&%+~-]{4,}$"
)
_GENERIC = frozenset(
    "id ids identifier code number of the a an in on for and or to by with from is at name person "
    "people work page official media".split()
)
_ASKING = frozenset("who what which where when how why".split())  # of these no name consists
_ALL_OF: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"\bidentifiers?\b|\bIDs\b"), "identifier"),
    (re.compile(r"\b(?:images?|pictures?|photos?|photographs?|videos?)\b", re.I), "media"),
    (re.compile(r"\b(?:web ?sites?|home ?pages?|URLs?|web pages?)\b", re.I), "url"),
    (re.compile(r"\bcategor(?:y|ies)\b", re.I), "category"),
)


def datatype(name: str) -> str:
    """Wikibase's datatype in one spelling: `externalid` of `external-id`, `ExternalId`, an IRI."""
    plain = short_id(name).replace("-", "").casefold()
    return plain.removeprefix("wikibase") if plain != "wikibase" else ""


def rdf_datatype(name: str) -> str:
    """The local name that RDF has for it; empty for one that Wikibase does not know."""
    return _RDF.get(name, "")


@lru_cache(maxsize=50_000)
def _kind(relation_id: str, label: str, of: str) -> Kind:
    name = label or words_apart(relation_id) or short_id(relation_id)
    if _OF_A_STATEMENT.search(name):
        return "upkeep"
    known = _DATATYPES.get(of, "")
    if known in ("identifier", "media", "url", "time", "quantity"):
        return known
    if _CATEGORY.search(name):
        return "category"
    if _UPKEEP.search(name):
        return "upkeep"
    if known != "item" and _IDENTIFIER.search(name):
        return "identifier"
    if known == "text" and _CODED.search(name):
        return "identifier"
    if not known and _MEDIA.search(name):
        return "media"
    return known


def kind(relation: Relation) -> Kind:
    """What a relation leads to, by its datatype and, where that says too little, by its name."""
    return _kind(relation.id, relation.label, relation.datatype)


def is_aside(relation: Relation) -> bool:
    """Whether a relation leads to what nobody wants who does not ask for it."""
    return kind(relation) in ASIDE


def narrowing(s: Statement, question: str = "") -> list[Qualifier]:
    """The qualifiers that narrow a statement, without what a catalogue keeps beside it.

    Of a statement that is itself such a thing all are told, and those that the question names.
    """
    if is_aside(s.relation):
        return list(s.qualifiers)
    return [
        q
        for q in s.qualifiers
        if kind(q.relation) not in _BESIDE or (question and asked_for(q.relation, question))
    ]


def guessed(values: Iterable[Value]) -> str:
    """The datatype that some values of a relation suggest; empty for values of several kinds."""
    seen = {_datatype_of(value) for value in values}
    return seen.pop() if len(seen) == 1 else ""


def _datatype_of(value: Value) -> str:
    if isinstance(value, Entity):
        return "commonsmedia" if _FILE.search(value.id) else "item"
    if value.datatype in TIMES:
        return "time"
    if value.datatype in NUMBERS:
        return "quantity"
    if _FILE.search(value.value):
        return "commonsmedia"
    if value.datatype == URL or re.match(r"https?://\S+$", value.value):
        return "url"
    if _CODE.match(value.value) and not value.language:
        return "externalid"
    return "string"


def asked_for(relation: Relation, question: str) -> bool:
    """Whether a question names a relation, or asks for all of its kind.

    All words of its label or of an alias have to be there, but for “ID” and the like.
    """
    if any(word.search(question) and kind(relation) == of for word, of in _ALL_OF):
        return True
    said = _said(question)
    return any(names <= said and not names <= _ASKING for names in _names(relation))


@lru_cache(maxsize=2_000)
def _said(question: str) -> frozenset[str]:
    return frozenset(stems(question))


@lru_cache(maxsize=50_000)
def _named(*texts: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(stems(text)) - _GENERIC for text in texts)


def _names(relation: Relation) -> tuple[frozenset[str], ...]:
    """The telling words of each name; of a name that has none, nothing."""
    short = tuple(a for a in relation.aliases if len(a) > 2)
    bare = re.sub(r" (?:image|username|ID)$", "", relation.name)  # a flag is asked for as such
    return _named(*dict.fromkeys((relation.name, bare, *short)))


def in_words(kind: Kind, count: int) -> str:
    """`254 identifiers`, for a person."""
    one = {"identifier": "identifier", "media": "picture or sound", "url": "address",
           "category": "category or list", "upkeep": "note of upkeep"}[kind]  # fmt: skip
    many = {"identifier": "identifiers", "media": "pictures and sounds", "url": "addresses",
            "category": "categories and lists", "upkeep": "notes of upkeep"}[kind]  # fmt: skip
    return f"{count:,} {one if count == 1 else many}"
