"""Step by step: which relations to follow, whether it is enough, what to keep."""

from kgqa_core.ask import skills
from kgqa_core.ask.skills import ToFollow
from kgqa_core.facts.terms import Entity, Relation, RelationUse
from kgqa_core.llm.offline import Offline
from kgqa_core.reader.explore import choose_relations


def test_of_things_of_one_name_the_reader_takes_the_first_that_was_given():
    """In whatever order a process keeps its sets."""
    namesakes = [Entity(f"urn:{n}", "Ada Berg") for n in range(12)]
    born = RelationUse(Relation("http://www.wikidata.org/entity/P19", "place of birth"), "out", 1)
    given = ToFollow(
        question="Where was Ada Berg born?",
        entities=namesakes,
        relations=[born] * len(namesakes),
        whose=[[one] for one in namesakes],
        most=1,
    )
    assert [pick.index for pick in choose_relations(given).picked] == [0]


def test_the_reader_has_the_skills_of_exploring():
    shared = (skills.CHOOSE_RELATIONS, skills.ANSWER_IF_ENOUGH, skills.ANSWER_OR_GO_ON)
    assert all(Offline().can(s.name) for s in shared)
