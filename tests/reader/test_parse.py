"""What the built-in reader makes of a question, before it has seen a graph."""

import pytest

from kgqa_core.reader import plan as p
from kgqa_core.reader.parse import parse
from kgqa_core.reader.rewording import core
from kgqa_core.reader.wording import reading
from kgqa_core.reader.words import tokenise
from kgqa_core.text import singular, stem, stems


def shape(plan: p.Plan) -> str:
    """The plan in one line: `Hop(patient directed, Anchor Jaws)`."""
    match plan:
        case p.Anchor():
            return plan.text
        case p.Kind():
            return f"every {plan.noun}"
        case p.Hop():
            when = f" @{plan.when.test} {plan.when.value}" if plan.when else ""
            beside = f" & {shape(plan.beside)}" if plan.beside else ""
            return f"{plan.phrase}:{plan.form}({shape(plan.source)}{beside}){when}"
        case p.Of():
            return f"{plan.noun}[{shape(plan.source)}]"
        case p.From():
            return f"{plan.adjective}[{shape(plan.source)}]"
        case p.Where():
            return f"{shape(plan.source)} where {plan.phrase} {shape(plan.other)}"
        case p.Limit():
            return f"{shape(plan.source)} with {plan.phrase} {plan.span.test} {plan.span.value}"
        case p.Nth():
            return f"{plan.order} {plan.by} {plan.position} of {shape(plan.source)}"
        case p.Join():
            return f"{shape(plan.left)} {plan.how} {shape(plan.right)}"
        case p.Is():
            return f"{shape(plan.left)} ? {shape(plan.right)}"
        case p.IsA():
            return f"{shape(plan.source)} isa {plan.noun}"
        case p.Compare():
            return f"{shape(plan.left)} {plan.order} {plan.by} {shape(plan.right)}"
        case p.Between():
            return f"{plan.unit} {shape(plan.left)} – {shape(plan.right)}"
        case p.Age():
            return f"age {shape(plan.source)} at {shape(plan.event) if plan.event else 'now'}"
        case p.Lasting():
            return f"lasting {shape(plan.source)} {plan.phrase}"
        case p.Measure():
            return f"how {plan.by} {shape(plan.source)}"
        case _:
            return f"{type(plan).__name__.lower()}({shape(plan.source)})"


READINGS = [
    # look-ups in many wordings
    ("Who directed Jaws?", "directed:patient(Jaws)"),
    ("who directed Written on the Wind", "directed:patient(Written on the Wind)"),
    ("What is the capital of France?", "capital:role(France)"),
    ("capital of France", "capital:role(France)"),
    ("france capital", "capital:role(france)"),
    ("In which year did the Uprising of Ada end?", "end:agent(Uprising of Ada)"),
    ("On what day was Ada Nobody born?", "born:agent(Ada Nobody)"),
    ("What writing system does Orvish use?", "writing system[writing system:role(Orvish)]"),
    ("What is the ISO 639-1 code of Orvish?", "iso 639-1 code:role(Orvish)"),
    ("What is the IMDb ID of Ada Nobody?", "imdb id:role(Ada Nobody)"),
    ("What sport does Ada Nobody do?", "sport[sport:role(Ada Nobody)]"),
    ("What's the capital of France", "capital:role(France)"),
    ("Please tell me the capital of France.", "capital:role(France)"),
    ("Who is Barack Obama's wife?", "wife:role(Barack Obama)"),
    ("Where was Albert Einstein born?", "born:agent(Albert Einstein)"),
    ("When did Marie Curie die?", "die:agent(Marie Curie)"),
    ("What films has Tom Hanks starred in?", "film[starred in:agent(Tom Hanks)]"),
    ("Which films did Steven Spielberg direct?", "film[direct:agent(Steven Spielberg)]"),
    ("Films with Tom Hanks", "film[with:patient(Tom Hanks)]"),
    ("[Carlton Albright] directed which movies", "film[directed:agent(Carlton Albright)]"),
    ("the film [Psycho] was directed by who", "directed:patient(Psycho)"),
    ("Cairo is the capital of which country?", "country[capital:holder(Cairo)]"),
    ("Which country's capital is Vienna?", "country[capital:holder(Vienna)]"),
    ("What language do people speak in Brazil?", "language[language:role(Brazil)]"),
    ("On which continent is Kenya located?", "continent[located on:agent(Kenya)]"),
    # several hops
    (
        "Who is the spouse of the director of Jaws?",
        "spouse:role(director:role(Jaws))",
    ),
    (
        "What is the capital of the country where Albert Einstein was born?",
        "capital:role(country[born:agent(Albert Einstein)])",
    ),
    (
        "What else did the director of Jaws make?",
        "make:agent(director:role(Jaws)) minus Jaws",
    ),
    (
        "the movies directed by the director of [Jaws] starred who",
        "starred:agent(film[directed:agent(director:role(Jaws))])",
    ),
    (
        "Which films share a director with Jaws?",
        "film[director:holder(director:role(Jaws)) minus Jaws]",
    ),
    # sets
    (
        "Which countries border Germany and use the euro?",
        "country[border:patient(Germany) intersection use:patient(euro)]",
    ),
    (
        "Which countries border both France and Germany?",
        "country[border:patient(France) intersection border:patient(Germany)]",
    ),
    (
        "Which countries bordering Germany do not use the euro?",
        "country[bordering:patient(Germany)] minus use:patient(euro)",
    ),
    # order, number, time
    ("What is the highest mountain in Asia?", "highest highest 1 of every mountain where in Asia"),
    ("What is the second longest river?", "highest longest 2 of every river"),
    (
        "Who is older, Barack Obama or Angela Merkel?",
        "lowest older 1 of Barack Obama union Angela Merkel",
    ),
    ("How many children did Bach have?", "count(child:role(Bach))"),
    ("How tall is Shaquille O'Neal?", "how tall Shaquille O'Neal"),
    (
        "Which companies were founded after 1990?",
        "every company with founded after 1990",
    ),
    (
        "Who was chancellor of Germany in 1975?",
        "chancellor:role(Germany) @during 1975",
    ),
    (
        "Which countries have more than 3 million inhabitants?",
        "every country with inhabitants more than 3 million",
    ),
    # dates
    (
        "How old was Mozart when he died?",
        "age Mozart at died:agent(Mozart)",
    ),
    (
        "How many years are there between the birth of Bach and the birth of Mozart?",
        "years birth:role(Bach) – birth:role(Mozart)",
    ),
    ("How long was Angela Merkel married to Ulrich Merkel?", "lasting Angela Merkel married"),
    (
        "Which films did James Cameron both write and direct?",
        "film[write:agent(James Cameron) intersection direct:agent(James Cameron)]",
    ),
    ("Which country was the last to join NATO?", "highest first 1 of country[join:patient(NATO)]"),
    ("At what age did Gandhi die?", "age Gandhi at die:agent(Gandhi)"),
    # yes or no
    ("Is Paris the capital of France?", "capital:role(France) ? Paris"),
    ("Did Steven Spielberg direct Jaws?", "direct:patient(Jaws) ? Steven Spielberg"),
    ("Is Jaws a film?", "Jaws isa film"),
    ("Is the Nile longer than the Danube?", "Nile highest longer Danube"),
    ("Was Bach born before Mozart?", "Bach lowest first born Mozart"),
    (
        "Do Germany and Austria have the same official language?",
        "official language:role(Germany) ? official language:role(Austria)",
    ),
    (
        "Did Spain join the EU before Sweden did?",
        "join:agent(Spain & EU) lowest first join join:agent(Sweden & EU)",
    ),
    # lists, relative clauses, clauses joined by "and"
    (
        "Which is the longest of the rivers Isar, Seine and Rhine?",
        "highest longest 1 of Isar union Seine union Rhine",
    ),
    ("When did Bill Clinton's presidency end?", "hold:agent(Bill Clinton & president)"),
    (
        "In which country lies the city where Mozart was born?",
        "country[country:role(city[born:agent(Mozart)])]",
    ),
    (
        "Which movies did Tim Burton direct and Danny Elfman score?",
        "film[direct:agent(Tim Burton) intersection score:agent(Danny Elfman)]",
    ),
    (
        "the Tim Burton films with Johnny Depp",
        "film:role(Tim Burton) intersection with:patient(Johnny Depp)",
    ),
    (
        "Which countries have a capital that lies on the Danube?",
        "country[capital:holder(lies on:patient(Danube))]",
    ),
    ("at what age did john mccain die", "age john mccain at die:agent(john mccain)"),
]


@pytest.mark.parametrize(("question", "expected"), READINGS)
def test_the_cheapest_readings_have_the_expected_shape(question: str, expected: str) -> None:
    assert expected in [shape(r.plan) for r in parse(question)[:2]]


def test_a_name_of_common_words_stays_among_the_readings() -> None:
    shapes = [shape(r.plan) for r in parse("who directed written on the wind")]
    assert "directed:patient(written on the wind)" in shapes


def test_nothing_is_read_where_there_is_nothing() -> None:
    assert parse("of the") == []


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("Hi, could you please tell me who directed Jaws?", "who directed Jaws"),
        ("I would like to know the capital of Spain.", "the capital of Spain"),
        ("I'd like to know who directed Jaws, please.", "who directed Jaws"),
        ("List all films by Sirk", "all films by Sirk"),
    ],
)
def test_politeness_is_taken_off(asked: str, plain: str) -> None:
    assert core(asked) == plain


@pytest.mark.parametrize(
    ("text", "test", "value", "until"),
    [
        ("in 1990", "during", "1990", ""),
        ("on 15 April 1912", "during", "1912-04-15", ""),
        ("in April 1912", "during", "1912-04", ""),
        ("before 1900", "before", "1900", ""),
        ("in the 1990s", "during", "1990", "1999"),
        ("in the 19th century", "during", "1801", "1900"),
        ("between 1980 and 1990", "during", "1980", "1990"),
        ("currently", "during", "now", ""),
    ],
)
def test_times_become_one_token(text: str, test: str, value: str, until: str) -> None:
    span = tokenise(f"films made {text}")[-1].span
    assert span is not None
    assert (span.test, span.value, span.until) == (test, value, until)


def test_words_of_one_family_share_a_stem() -> None:
    assert len({stem(w) for w in ("direct", "directs", "directed", "director", "directing")}) == 1
    assert len({stem(w) for w in ("write", "wrote", "written", "writer", "writers")}) == 1
    assert stems("founded by") == stems("founder by")
    assert singular("mountain ranges") == "mountain range"
    assert singular("countries") == "country"


def test_a_reading_can_be_put_into_words() -> None:
    best = parse("What else did the director of Jaws make?")[0]
    assert reading(best.plan) == "what the director of Jaws makes other than Jaws"


def test_a_name_does_not_run_over_a_word_that_begins_a_clause() -> None:
    found = parse("who was mayor of ulm when the long war ended in bonn")
    assert "ulm" in {a.text for r in found[:2] for a in p.anchors(r.plan)}
    assert not any(" when " in a.text for r in found[:2] for a in p.anchors(r.plan))


def test_of_alone_links_no_two_things_where_a_relation_is_named() -> None:
    best, *others = parse("Is Ulm capital of Chad")
    assert isinstance(best.plan, p.Is)
    assert isinstance(best.plan.left, p.Hop)
    assert best.plan.left.phrase == "capital"
    linked = [r for r in others if "phrase='of'" in str(r.plan)]
    assert linked
    assert all(r.cost > best.cost + 1.5 for r in linked)
