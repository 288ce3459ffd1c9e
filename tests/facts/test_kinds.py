"""What a relation leads to, by datatype, by name, by its values; and what a question asks for."""

import pytest

from kgqa_core.facts import kinds
from kgqa_core.facts.terms import DATE, STRING, Entity, Literal, Relation


def relation(label: str, datatype: str = "", *aliases: str, iri: str = "urn:r") -> Relation:
    return Relation(iri, label, "", aliases, kinds.datatype(datatype))


@pytest.mark.parametrize(
    ("label", "datatype", "kind"),
    [
        ("IMDb ID", "external-id", "identifier"),
        ("IMDb ID", "http://wikiba.se/ontology#ExternalId", "identifier"),
        ("ISNI identifier", "", "identifier"),
        ("image", "commonsMedia", "media"),
        ("official website", "url", "url"),
        ("date of birth", "time", "time"),
        ("child", "wikibase-item", "item"),
        ("child", "http://wikiba.se/ontology#WikibaseItem", "item"),
        ("topic's main category", "wikibase-item", "category"),
        ("Commons gallery", "string", "category"),
        ("has list", "wikibase-item", "category"),
        ("Caverphone", "string", "identifier"),
        ("National Taxonomy of Exempt Entities code", "string", "identifier"),
        ("Hepburn romanization", "string", "identifier"),
        ("postal code", "string", "text"),
        ("chemical formula", "string", "text"),
        ("topic's main template", "wikibase-item", "upkeep"),
        ("on focus list of Wikimedia project", "wikibase-item", "category"),
        ("diplomatic relation", "wikibase-item", "item"),
        ("video game platform", "wikibase-item", "item"),
        ("height", "", ""),
        ("retrieved", "time", "upkeep"),
        ("statement is subject of", "wikibase-item", "upkeep"),
        ("reason for preferred rank", "wikibase-item", "upkeep"),
        ("statement disputed by", "wikibase-item", "item"),
    ],
)
def test_kind_by_datatype_and_name(label, datatype, kind):
    assert kinds.kind(relation(label, datatype)) == kind


@pytest.mark.parametrize(
    ("iri", "kind"),
    [
        ("http://dbpedia.org/ontology/wikiPageWikiLink", "category"),
        ("http://dbpedia.org/ontology/wikiPageRevisionID", "identifier"),
        ("http://dbpedia.org/ontology/wikiPageLength", "upkeep"),
        ("http://dbpedia.org/ontology/thumbnail", "media"),
        ("http://www.w3.org/2002/07/owl#sameAs", "upkeep"),
        ("http://dbpedia.org/ontology/birthPlace", ""),
    ],
)
def test_links_between_pages_are_known_by_their_iri(iri, kind):
    found = kinds.kind(Relation(iri))
    assert found == kind or (kind in kinds.ASIDE and found in kinds.ASIDE)


@pytest.mark.parametrize(
    ("values", "datatype"),
    [
        ([Literal("Q5 12.jpg", STRING), Literal("a.svg", STRING)], "commonsmedia"),
        ([Literal("nm0010930"), Literal("b12345")], "externalid"),
        ([Literal("https://example.org/")], "url"),
        ([Literal("1998")], "string"),
        ([Literal("1998-05-01")], "string"),
        ([Literal("7.5")], "string"),
        ([Literal("113230702")], "externalid"),
        ([Literal("1952-03-11", DATE)], "time"),
        ([Entity("urn:a"), Entity("urn:b")], "item"),
        ([Literal("a sentence of words")], "string"),
        ([Literal("nm0010930"), Literal("a sentence of words")], ""),
        ([], ""),
    ],
)
def test_values_suggest_a_datatype(values, datatype):
    assert kinds.guessed(values) == datatype


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the IMDb ID of Douglas Adams?", {"IMDb ID"}),
        ("What is the website of Microsoft?", {"official website"}),
        ("Show the logo of Microsoft.", {"logo image"}),
        (
            "Which identifiers does Douglas Adams have?",
            {"IMDb ID", "Munzinger person ID", "Who's Who UK ID"},
        ),
        ("When was Douglas Adams born?", set()),
        ("Who is this person?", set()),
        ("Who came after him, and when?", set()),
        ("What is the Who's Who UK ID of Douglas Adams?", {"Who's Who UK ID"}),
    ],
)
def test_what_is_aside_is_there_when_it_is_asked_for(question, wanted):
    relations = [
        relation("IMDb ID", "external-id"),
        relation("Munzinger person ID", "external-id"),
        relation("official website", "url", "website", "homepage"),
        relation("logo image", "commonsMedia"),
        relation("Who's Who UK ID", "external-id", "Who's Who", "Who's Who ID"),
    ]
    assert {r.label for r in relations if kinds.asked_for(r, question)} == wanted
