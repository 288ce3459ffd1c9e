"""What is known of kinds of SPARQL endpoints before the first request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from urllib.parse import urlsplit

from kgqa_core.kg import layout

Layout = OneOf["statements", "plain"]


@dataclass(frozen=True)
class Profile:
    """What is known of a kind of endpoint before the first request.

    `form` None: find out. `names`: whether a small graph's names are fetched at once, and
    whether all labels of a larger one may be looked through. `labels` stand for rdfs:label.
    """

    name: str
    form: Layout | None = None
    labels: tuple[str, ...] = (layout.LABEL,)
    aliases: tuple[str, ...] = (layout.ALIAS,)
    descriptions: tuple[str, ...] = (layout.DESCRIPTION,)
    languages: tuple[str, ...] = ("en", "mul")
    names: OneOf["all", "scan", "exact"] = "all"
    counted: bool = True  # whether asking for the number of facts is any use
    also_plain: bool = True  # edges without statement nodes beside those that have one
    parallel: int = 4
    prefixes: tuple[tuple[str, str], ...] = ()  # beside Wikidata's and the usual ones
    hosts: tuple[str, ...] = ()


_SKOS, _FOAF = "http://www.w3.org/2004/02/skos/core#", "http://xmlns.com/foaf/0.1/"
_DBO, _RDFS = "http://dbpedia.org/ontology/", "http://www.w3.org/2000/01/rdf-schema#"
_DBPEDIA = (
    ("dbo", _DBO),
    ("dbr", "http://dbpedia.org/resource/"),
    ("dbp", "http://dbpedia.org/property/"),
    ("dct", "http://purl.org/dc/terms/"),
    ("foaf", _FOAF),
    ("owl", "http://www.w3.org/2002/07/owl#"),
)
PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "wikidata",
            "statements",
            names="exact",
            counted=False,
            also_plain=False,
            parallel=1,
            hosts=("query.wikidata.org", "query-main.wikidata.org"),
        ),
        Profile(
            "qlever",
            "statements",
            names="exact",
            counted=False,
            also_plain=False,
            parallel=2,
            hosts=("qlever.dev", "qlever.cs.uni-freiburg.de"),
        ),
        Profile(
            "dbpedia",
            "plain",
            aliases=(layout.ALIAS, _FOAF + "name"),
            descriptions=(layout.DESCRIPTION, _RDFS + "comment"),
            names="exact",
            counted=False,
            parallel=2,
            prefixes=_DBPEDIA,
            hosts=("dbpedia.org",),
        ),
        Profile("virtuoso"),
        Profile("fuseki"),
        Profile("generic"),
    )
}


def profile_for(url: str) -> Profile:
    """The profile named after # in an address, else the one its host is known for."""
    parts = urlsplit(url)
    if parts.fragment in PROFILES:
        return PROFILES[parts.fragment]
    host = (parts.hostname or "").lower()
    for profile in PROFILES.values():
        if any(host == known or host.endswith("." + known) for known in profile.hosts):
            return profile
    return PROFILES["generic"]
