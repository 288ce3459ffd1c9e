"""A walk by hand, for the graph's tests: what else did the director of a film make?"""

from __future__ import annotations

from collections.abc import Sequence

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Event, Record, Sentence
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    YEAR,
    Entity,
    Hit,
    Literal,
    Qualifier,
    Relation,
    Statement,
    Value,
)

WD = "http://www.wikidata.org/entity/"
FILM = Entity(WD + "Q1213683", "Written on the Wind", "1956 American film by Douglas Sirk")
NOVEL = Entity(WD + "Q8038872", "Written on the Wind", "1946 novel by Robert Wilder")
SONG = Entity(WD + "Q19999001", "Written on the Wind", "song by Roger Daltrey")
SIRK = Entity(WD + "Q55208", "Douglas Sirk", "German film director (1897–1987)")
ARTS = Entity(WD + "Q1065003", "Academy Award for Best Supporting Actress", "film award")


def entity(number: int, label: str, description: str = "") -> Entity:
    return Entity(f"{WD}Q{number}", label, description)


def relation(label: str) -> Relation:
    return Relation(f"{WD}P{sum(map(ord, label))}", label)


def fact(s: Entity, r: str, o: Value, **qualifiers: Value) -> Statement:
    narrowed = [Qualifier(relation(k.replace("_", " ")), v) for k, v in qualifiers.items()]
    return Statement(s, relation(r), o, tuple(narrowed), source="starter")


def recorded(story: Sequence[Event]) -> list[Record]:
    records, step = [], 0
    for seq, event in enumerate(story):
        step += isinstance(event, events.Step)
        records.append(Record(seq=seq, step=step, at_s=seq / 10, event=event))
    return records


_CAST = "Rock Hudson|Lauren Bacall|Robert Stack|Dorothy Malone|Robert Keith|Grant Williams".split(
    "|"
)
_CAST += "Robert J. Wilke|Edward Platt|Harry Shannon|John Larch|Joseph Granby|Roy Glenn".split("|")
ABOUT_FILM = [
    fact(FILM, "director", SIRK),
    *(fact(FILM, "cast member", entity(5000 + i, name, "actor")) for i, name in enumerate(_CAST)),
    fact(FILM, "screenwriter", entity(5100, "George Zuckerman", "American screenwriter")),
    fact(FILM, "producer", entity(5101, "Albert Zugsmith", "American film producer")),
    fact(FILM, "composer", entity(5102, "Frank Skinner", "American composer")),
    fact(FILM, "director of photography", entity(5103, "Russell Metty", "cinematographer")),
    fact(FILM, "country of origin", entity(30, "United States", "country in North America")),
    fact(FILM, "original language", entity(1860, "English", "West Germanic language")),
    fact(FILM, "genre", entity(959790, "melodrama", "film genre")),
    fact(FILM, "genre", entity(130232, "drama film", "film genre")),
    fact(FILM, "publication date", Literal("1956-12-25", DATE)),
    fact(FILM, "duration", Literal("99", DECIMAL, unit=entity(7727, "minute"))),
    fact(FILM, "based on", NOVEL),
    fact(FILM, "distributed by", entity(168383, "Universal Pictures", "American film studio")),
    fact(FILM, "award received", ARTS, winner=entity(5003, "Dorothy Malone")),
]
_FILMS = (
    "Imitation of Life (1959)|All That Heaven Allows (1955)|Magnificent Obsession (1954)|"
    "There's Always Tomorrow (1956)|The Tarnished Angels (1957)|Written on the Wind|"
    "A Time to Love and a Time to Die (1958)|Battle Hymn (1957)|Captain Lightfoot (1955)|"
    "Taza, Son of Cochise (1954)|Sign of the Pagan (1954)|Lured (1947)|Sleep, My Love (1948)|"
    "Hitler's Madman (1943)|Summer Storm (1944)|A Scandal in Paris (1946)|Shockproof (1949)|"
    "Thunder on the Hill (1951)|The Lady Pays Off (1951)|Has Anybody Seen My Gal? (1952)|"
    "No Room for the Groom (1952)|Meet Me at the Fair (1953)|All I Desire (1953)|"
    "Take Me to Town (1953)|Zu neuen Ufern (1937)|La Habanera (1937)|Schlußakkord (1936)|"
    "Stützen der Gesellschaft (1935)|Das Mädchen vom Moorhof (1935)|April, April! (1935)"
).split("|")
FILMS = [FILM if t == FILM.label else entity(6000 + i, t, "film") for i, t in enumerate(_FILMS)]
DIRECTED = [fact(f, "director", SIRK) for f in FILMS]
KEPT = [s for s in DIRECTED if s.subject.label in _FILMS[:7] and s.subject != FILM]
ABOUT_SIRK = [
    fact(SIRK, "place of birth", entity(1055, "Hamburg", "city in Germany")),
    fact(SIRK, "place of death", entity(1383, "Lugano", "city in Switzerland")),
    fact(SIRK, "date of birth", Literal("1897-04-26", DATE)),
    fact(
        SIRK,
        "spouse",
        entity(7001, "Hilde Jary", "German actress"),
        start_time=Literal("1934", YEAR),
        end_time=Literal("1987", YEAR),
    ),
    fact(SIRK, "spouse", entity(7002, "Lydia Brincken"), end_time=Literal("1928", YEAR)),
    fact(SIRK, "occupation", entity(2526255, "film director", "profession")),
    fact(SIRK, "educated at", entity(156725, "University of Hamburg", "university")),
    *DIRECTED,
]
DATES = [fact(s.subject, "publication date", Literal(str(1954 + i), YEAR))
         for i, s in enumerate(KEPT)]  # fmt: skip


def story() -> list[Event]:
    left = [s for s in ABOUT_FILM if s.relation.label != "director"]
    pruned = [s for s in ABOUT_SIRK if s not in KEPT and s.subject != FILM]
    hits = (Hit(FILM, 1.0, FILM.label), Hit(NOVEL, 0.97, FILM.label), Hit(SONG, 0.9, FILM.label))
    why = "the question speaks of a director"
    return [
        events.Linked(mentions=("Written on the Wind",), candidates=(hits,)),
        events.Anchored(mention="Written on the Wind", entity=FILM, why=why),
        events.Pruned(entities=(NOVEL, SONG), why="not what is meant here"),
        events.Step(title="Look around Written on the Wind"),
        events.Expanded(entities=(FILM,), statements=tuple(ABOUT_FILM)),
        events.Chosen(statements=(ABOUT_FILM[0],), entities=(SIRK,), why=why),
        events.Pruned(statements=tuple(left)),
        events.Step(title="Look around Douglas Sirk"),
        events.Expanded(entities=(SIRK,), statements=tuple(ABOUT_SIRK)),
        events.Chosen(statements=tuple(KEPT), entities=tuple(s.subject for s in KEPT)),
        events.Pruned(statements=tuple(pruned)),
        events.Step(title="When did they appear?"),
        events.Expanded(entities=tuple(s.subject for s in KEPT), statements=tuple(DATES)),
        events.DeadEnd(entities=(KEPT[-1].subject,), why="no date after 1960"),
        events.Computed(
            operation="count",
            arguments=("6 films",),
            result=(Literal(str(len(KEPT)), DECIMAL),),
            because=tuple(KEPT),
        ),
        events.Answered(
            answer=Answer(
                sentences=(
                    Sentence(text="Douglas Sirk also made Imitation of Life.", cites=(0, 1)),
                    Sentence(text="He also made All That Heaven Allows.", cites=(2,)),
                ),
                values=(KEPT[0].subject, KEPT[1].subject),
                citations=(ABOUT_FILM[0], KEPT[0], KEPT[1]),
            )
        ),
    ]


def hostile(long: str = "long " * 400) -> list[Event]:
    """Labels that must stay text: markup, `href`, emoji, right-to-left, very long."""
    bad = '<img src=x onerror="window.pwned=1"><a href="javascript:window.pwned=2">x</a>'
    start = entity(1, bad, "</script><script>window.pwned=3</script>")
    ends = [
        entity(2, "🧨 emoji 👩‍👩‍👧 label"),
        entity(3, "وُلِدَ في القاهرة"),
        entity(4, long),
        entity(5, '" onmouseover="window.pwned=4'),
        Literal("</title><svg onload=window.pwned=5> href"),
    ]
    facts = tuple(fact(start, '<b onclick="window.pwned=6">href</b>', end) for end in ends)
    return [
        events.Anchored(mention=bad, entity=start),
        events.Expanded(entities=(start,), statements=facts),
        events.Answered(
            answer=Answer(
                sentences=(Sentence(text=bad, cites=(0,)),), values=(start,), citations=facts[:1]
            )
        ),
    ]


def pseudo_graph() -> list[Event]:
    """Proposed, corrected and dropped statements, and an axiom."""
    hilde = entity(7001, "Hilde Jary", "German actress")
    guess = fact(SIRK, "place of birth", entity(64, "Berlin", "capital of Germany"))
    dropped = fact(SIRK, "award received", Entity("proposed:oscar", "Academy Award"))
    kept = fact(SIRK, "spouse", hilde)
    return [
        events.Anchored(mention="Sirk", entity=SIRK),
        events.Proposed(statements=(guess, dropped, kept)),
        events.Corrected(claimed=guess, found=ABOUT_SIRK[0], similarity=0.8),
        events.Corrected(claimed=dropped, found=None),
        events.Corrected(claimed=kept, found=kept),
        events.Axiom(text="A person has one place of birth.", entities=(SIRK,)),
    ]


def crowd(hubs: int = 40) -> list[Event]:
    """More than can be drawn: many nodes, each with hundreds of facts."""
    told: list[Event] = [events.Anchored(mention="film", entity=FILM)]
    ends = [entity(100 + i, f"Hub number {i}") for i in range(hubs)]
    told.append(events.Chosen(statements=tuple(fact(FILM, "part", hub) for hub in ends)))
    for i, hub in enumerate(ends):
        far = (entity(10_000 * (i + 1) + j, f"Neighbour {j} of {i}") for j in range(200))
        facts = tuple(fact(hub, f"relation {j % 7}", end) for j, end in enumerate(far))
        told += [
            events.Expanded(entities=(hub,), statements=facts),
            events.Chosen(statements=facts[: i % 5]),
        ]
    return told
