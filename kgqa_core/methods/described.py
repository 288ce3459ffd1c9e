"""Things found by what the graph says of them in words, where no relation leads to them.

“Who was the first person to run a mile in under four minutes?” names nothing that could be looked
up. A graph that describes its things in sentences, as a reference work does, may still know: the
one is meant of whom a sentence says what the question says (`ask/described.py`). No model is
asked, and nothing that is found in this way is certain.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgqa_core.ask import bounds, events
from kgqa_core.ask.described import Sought, sought
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts import verbalise
from kgqa_core.facts.relations import belongs
from kgqa_core.facts.sentences import ended
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods.letter import question_of
from kgqa_core.methods.naming import EXACT
from kgqa_core.text import fold

_WHAT_IS = re.compile(
    r"(?:who|what)(?:['’]s| is| are| was| were) (?:an? |the )?(?P<name>[^?]+?)\s*\??", re.IGNORECASE
)
_APART = 0.05  # of the question: what the next one may not say as well
_SOMEBODY = re.compile(
    r"\b(?:human|person|people|man|woman|character|figure|god|goddess|deity|saint|prophet|king|"
    r"queen|emperor|hero|heroine|angel|giant|nymph)\b",
    re.IGNORECASE,
)


def by_description(question: str, tools: Toolkit, *, whole: bool = False) -> Steps[Answer | None]:
    """The one thing that is described as the question does; None where there is none, or two.

    `whole`: only one of which all is said that the question says.
    """
    wanted = sought(question_of(question))
    glosses = tools.glosses() if wanted else None
    if wanted is None or glosses is None:
        return None
    near = glosses.like(wanted)[: bounds.GLOSSES]
    described = tools.described([thing for thing, _ in near])
    fit = [
        (entity, share)
        for (_, share), entity in zip(near, described, strict=True)
        if entity is not None and not _is_named(entity, wanted)
    ]
    if wanted.person and fit:
        yield events.Step(title="Find who is described like that")
        somebody = []
        for entity, share in fit:
            if (yield from _is_somebody(entity, tools)):
                somebody.append((entity, share))
        fit = somebody
    if not fit or (len(fit) > 1 and fit[1][1] > fit[0][1] - _APART):
        return None
    entity, share = fit[0]
    if whole and share < 1 - _APART:
        return None
    if not wanted.person:
        yield events.Step(title="Find what is described like that")
    facts = yield from tools.expand([entity], relation=glosses.relation, direction="out")
    said = [fact for fact in facts if glosses.says(fact, wanted)][:1]
    return _told(entity, said) if said else None


def what_it_is(question: str, tools: Toolkit) -> Steps[Answer | None]:
    """What a reference work says that something is, where nothing else is asked of it.

    Certain where nothing else is called so.
    """
    asked = _WHAT_IS.fullmatch(question_of(question).strip())
    glosses = tools.glosses() if asked else None
    if asked is None or glosses is None:
        return None
    hits = (yield from tools.link([asked["name"]]))[0]
    called = [hit.entity for hit in hits if hit.score >= EXACT]
    if not called:
        return None
    yield events.Step(title=f"Read what {called[0].name} is said to be")
    said = yield from tools.expand(called[:1], relation=glosses.relation, direction="out")
    if not said:
        return None
    text = ended(f"{called[0].name}: {verbalise.value(said[0].object)}")
    return Answer(
        sentences=(Sentence(text=text, cites=(0,)),),
        values=(said[0].object,),
        citations=(said[0],),
        certain=len(called) == 1,
    )


def followed_by(said: Answer, facts: Answer) -> Answer:
    """What a thing is said to be, then what else is stated of it."""
    others = (s.behind(len(said.citations)) for s in facts.sentences)
    return facts.model_copy(
        update={
            "sentences": (*said.sentences, *others),
            "values": (*said.values, *facts.values),
            "citations": (*said.citations, *facts.citations),
        }
    )


def _is_named(entity: Entity, wanted: Sought) -> bool:
    """Whether the question has its name, and so asks for something else."""
    names = [fold(name) for name in (entity.label, *entity.aliases) if name]
    return any(re.search(rf"\b{re.escape(name)}(?:['’]?s)?\b", wanted.text) for name in names)


def _is_somebody(entity: Entity, tools: Toolkit) -> Steps[bool]:
    uses = [use.relation for use in tools.relations_of([entity])[0] if use.direction == "out"]
    if any(belongs(relation, "person") for relation in uses):
        return True
    for relation in (r for r in uses if belongs(r, "class")):
        facts = yield from tools.expand([entity], relation=relation, direction="out")
        if any(isinstance(f.object, Entity) and _SOMEBODY.search(f.object.label) for f in facts):
            return True
    return False


def _told(entity: Entity, said: Sequence[Statement]) -> Answer:
    return Answer(
        sentences=(Sentence(text=f"{entity.name}.", cites=tuple(range(len(said)))),),
        values=(entity,),
        citations=tuple(said),
        certain=False,
        reading="what is described in the words of the question",
    )
