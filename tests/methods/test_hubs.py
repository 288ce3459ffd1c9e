"""Sets too large to be read: counted, filtered and ranked by the graph, whichever it is."""

import pyoxigraph as ox
import pytest

from kgqa_core.ask import bounds, skills
from kgqa_core.ask.events import Expanded, Queried
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import DATE, DECIMAL, Entity, Literal, Relation, RelationUse, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.methods import react, walk
from kgqa_core.methods.react import NEXT_ACTION
from kgqa_core.methods.walk import Action, ActionError, NodeSet
from tests.fakes import ScriptedLLM
from tests.servers.sparql import SparqlServer

MANY = bounds.TESTED + 100
METRE = Entity("http://www.wikidata.org/entity/Q11573", "metre")
PLAIN = "http://example.org/"
WD = "http://www.wikidata.org/entity/"


def facts_of(base):
    """A country with many people: what they do, when they were born, how tall some are."""
    e = {n: Entity(f"{base}Q{n}", name) for n, name in {
        1: "Land", 2: "poet", 3: "writer", 4: "smith", 5: "Town"
    }.items()}  # fmt: skip
    r = {
        key: Relation(f"{base}{pid}", name)
        for key, pid, name in [
            ("of", "P27", "citizenship"), ("does", "P106", "occupation"), ("born", "P569", "born"),
            ("tall", "P2048", "height"), ("kind", "P31", "instance of"),
            ("sub", "P279", "subclass of"), ("child", "P40", "child"),
        ]
    }  # fmt: skip
    people = [Entity(f"{base}Q{1000 + n}", f"person {n}") for n in range(MANY)]
    statements = [Statement(one, r["of"], e[1]) for one in people]
    statements += [Statement(one, r["does"], e[2 if n < 3 else 4]) for n, one in enumerate(people)]
    statements += [
        Statement(one, r["born"], Literal(f"{1000 + n // 12}-{n % 12 + 1:02d}-01", DATE))
        for n, one in enumerate(people)
    ]
    statements += [
        Statement(people[n], r["tall"], Literal(f"1.{n}", DECIMAL, METRE)) for n in range(5, 9)
    ]
    statements += [Statement(people[7], r["child"], people[n]) for n in (20, 21, 22)]
    statements += [Statement(people[8], r["child"], people[30])]
    statements += [Statement(e[1], r["kind"], e[5]), Statement(e[2], r["sub"], e[3])]
    return e, r, people, statements


class World:
    """A graph, and the set of everybody of the land in it."""

    def __init__(self, kg, base):
        self.entities, self.relations, self.people, _ = facts_of(base)
        self.tools = Toolkit(kg, ScriptedLLM())
        self.seen = []
        land, of = self.entities[1], kg.relation(self.relations["of"].id)
        start = NodeSet({land: ()}, uses=(RelationUse(of, "in", MANY),))
        self.everybody = self.act(walk.follow, start, "follow", "of", direction="in")

    def act(self, operation, source, tool, relation="", **more):
        of = self.relations[relation].id if relation else ""
        action = Action(thought="", tool=tool, of="S1", relation=of, **more)
        found, seen = drain(operation(action, source, self.tools, 300))
        self.seen += seen
        return found

    def compute(self, source, other=None, **more):
        action = Action(thought="", tool="compute", of="S1", **more)
        return drain(walk.compute_sets(action, source, other, self.tools, 300))[0]


@pytest.fixture(scope="module", params=["embedded", "endpoint", "plain"])
def world(request):
    base = PLAIN if request.param == "plain" else WD
    entities, relations, people, statements = facts_of(base)
    everything = [*entities.values(), *people, METRE]
    kg = EmbeddedGraph.build("land", everything, relations.values(), statements)
    if request.param == "embedded":
        yield World(kg, base)
        return
    with SparqlServer(kg._store) as server:
        yield World(SparqlGraph(server.url), base)


def test_a_hub_is_not_read_but_sampled(world):
    assert world.everybody.size == MANY
    assert 0 < len(world.everybody.members) <= 50
    support = next(iter(world.everybody.members.values()))
    assert support[0].object == world.entities[1]


def test_its_members_are_counted_by_one_query(world):
    found = world.compute(world.everybody, operation="count")
    assert [v.value for v in found.members] == [str(MANY)]
    assert found.because


def test_it_is_compared_with_a_number(world):
    more = world.compute(world.everybody, operation="more", value="2000")
    fewer = world.compute(world.everybody, operation="fewer", value="2000")
    assert [v.value for one in (more, fewer) for v in one.members] == ["true", "false"]


@pytest.mark.parametrize("value", ["poet", "Q2 | Q5", "http://www.wikidata.org/entity/Q2"])
def test_kept_are_those_that_pass_with_the_facts_they_rest_on(world, value):
    if "Q2" in value:
        value = world.entities[2].id
    found = world.act(walk.keep, world.everybody, "keep", "does", value=value)
    assert set(found.members) == set(world.people[:3])
    assert not found.doubtful
    support = found.members[world.people[0]]
    assert [s.relation for s in support] == [world.relations["of"], world.relations["does"]]
    assert any(isinstance(e, Queried) for e in world.seen)


def test_what_is_left_of_a_hub_may_be_one_and_is_narrowed_further(world):
    smiths = world.act(walk.keep, world.everybody, "keep", "does", value="smith")
    assert smiths.size == MANY - 3
    assert smiths.hub is not None
    tall = world.act(walk.keep, smiths, "keep", "tall", test="more than", value="1.65 m")
    assert set(tall.members) == set(world.people[7:9])
    relations = {s.relation for s in tall.members[world.people[7]]}
    assert relations == {world.relations[key] for key in ("of", "does", "tall")}


def test_a_test_that_no_query_can_make_of_so_many_says_what_to_do(world):
    with pytest.raises(ActionError, match="too many members to test each"):
        world.act(walk.keep, world.everybody, "keep", "born", test="is", value="1000-01-01")


@pytest.mark.parametrize(("end", "n"), [("highest", 8), ("lowest", 5)])
def test_the_graph_ranks_by_a_value(world, end, n):
    found = world.act(walk.rank, world.everybody, "rank", "tall", order=end)
    assert list(found.members) == [world.people[n]]


@pytest.mark.parametrize(("position", "n"), [(1, 7), (2, 8)])
def test_the_graph_ranks_by_the_number_of_values(world, position, n):
    found = world.act(walk.rank, world.everybody, "rank", "child", order="most", position=position)
    assert list(found.members) == [world.people[n]]


def test_a_walk_through_a_hub_fetches_a_few_of_its_members(world):
    relations = world.relations
    moves = [
        {"tool": "follow", "of": "S1", "relation": relations["of"].id, "direction": "in"},
        {"tool": "keep", "of": "S2", "relation": relations["does"].id, "value": "poet"},
        {"tool": "answer", "of": "S3", "say": "They are {S3}."},
    ]
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=["Land"]),
        *(NEXT_ACTION.reply(thought="", **move) for move in moves),
    )
    kit = Toolkit(world.tools._kg, llm)
    answer, seen = drain(react.solve("Which poets are of Land?", kit, react.Params(glimpse=0)))
    assert set(answer.values) == set(world.people[:3])
    assert {s.relation for s in answer.citations} == {relations["of"], relations["does"]}
    assert sum(len(e.statements) for e in seen if isinstance(e, Expanded)) < MANY / 10
    assert sum(isinstance(e, Queried) for e in seen) >= 2


def test_an_endpoint_sends_few_of_a_hub():
    """What went over the line, row by row: each query as it was asked, answered once more."""
    entities, relations, people, statements = facts_of(WD)
    everything = [*entities.values(), *people, METRE]
    store = EmbeddedGraph.build("land", everything, relations.values(), statements)._store
    with SparqlServer(store) as server:
        land = World(SparqlGraph(server.url), WD)
        sampled = len(server.requests)
        poets = land.act(walk.keep, land.everybody, "keep", "does", value="poet")
        assert set(poets.members) == set(people[:3])
        tallest = land.act(walk.rank, land.everybody, "rank", "tall", order="highest")
        assert list(tallest.members) == [people[8]]
        land.compute(land.everybody, operation="count")
        sent = [len(list(_again(store, request))) for request in server.requests]
    assert 0 < sum(sent[sampled:]) < MANY / 20
    assert sum(sent) < MANY / 5


def _again(store, request):
    found = store.query(request.query)
    return [found] if isinstance(found, ox.QueryBoolean) else found


def test_what_a_small_set_shares_with_a_hub(world):
    some = NodeSet({world.people[5]: (), world.entities[5]: ()})
    found = world.compute(world.everybody, some, operation="intersection")
    assert list(found.members) == [world.people[5]]
    with pytest.raises(ActionError, match="keep some of them first"):
        world.compute(world.everybody, some, operation="union")


def test_too_many_to_group_or_to_take_the_nearest(world):
    for operation, tool, more in [
        (walk.group, "group", {}), (walk.rank, "rank", {"order": "nearest", "value": "1200"})
    ]:  # fmt: skip
        with pytest.raises(ActionError, match="keep some of them first"):
            world.act(operation, world.everybody, tool, "born", **more)


@pytest.fixture(scope="module")
def local():
    entities, relations, people, statements = facts_of(WD)
    everything = [*entities.values(), *people, METRE]
    return World(EmbeddedGraph.build("land", everything, relations.values(), statements), WD)


def test_nothing_that_passes_is_an_empty_set(local):
    found = local.act(walk.keep, local.everybody, "keep", "does", value="nobody does this")
    assert found.members == {}
    assert found.hub is None


def test_dates_are_compared_by_the_graph(local):
    for test, value, count in [("before", "1001", 12), ("during", "1003-05", 1)]:
        found = local.act(walk.keep, local.everybody, "keep", "born", test=test, value=value)
        assert len(found.members) == count
    later = local.act(walk.keep, local.everybody, "keep", "born", test="after", value="1001")
    assert later.size == MANY - 24
    assert later.hub is not None


def test_an_answer_with_a_hub_is_not_certain(local):
    land = local.entities[1].name
    llm = ScriptedLLM(
        skills.EXTRACT.reply(mentions=[land]),
        NEXT_ACTION.reply(
            thought="", tool="follow", of="S1", relation=local.relations["of"].id, direction="in"
        ),
        NEXT_ACTION.reply(thought="", tool="answer", of="S2"),
        skills.ANSWER.reply(sentences=[{"text": "Many.", "facts": [0]}], values=["person 1"]),
    )
    kit = Toolkit(local.tools._kg, llm)
    answer, _ = drain(react.solve("Who is of Land?", kit, react.Params(glimpse=0)))
    assert answer.sentences
    assert not answer.certain
