"""Compass in one picture: the plan as it fills in, beliefs and verdicts, rules and premises.

`render/plan.py` says what the picture shows. Below it each step can be changed: its relation, its
belief and what became of it, a rule and its premises; the run goes on from there. A choice between
options is R3's tree of axioms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.header import Edits
from kgqa_core.history.runs import Run
from kgqa_core.methods.compass import learning
from kgqa_core.methods.keqing.templates import in_words
from kgqa_core.render.plan import (
    MOST,
    CourseView,
    RuleView,
    StepView,
    called,
    course_of,
    picture,
    reply_of,
    without_plan,
)
from kgqa_core.render.steps import escape
from kgqa_core.screens import fork, session
from kgqa_core.screens.panels import axioms, corrections, kept
from kgqa_core.screens.plan_component import plan_view
from kgqa_core.text import counted


def draw(run: Run, shown: Sequence[Record]) -> None:
    view = course_of(shown)
    if not view.told and not view.rules:
        if any(isinstance(r.event, events.Proposed) for r in shown):
            st.caption(
                "This asks for more than one fact. What an answer needs was drafted, and the graph "
                "corrected the draft (PG&AKV’s way)."
            )
            corrections.draw(run, shown)
            return
        if not (shown and shown[-1].event.terminal):
            st.caption("The plan appears here as it is made.")
        else:
            st.caption(escape(without_plan(shown)))
        return
    if view.choice:
        axioms.draw(run, shown)
        return
    if view.template:
        st.markdown(
            f":green-badge[:material/history: Solved before] {escape(in_words(view.template))}"
        )
    plan_view(picture(view), key=f"plan:{run.header.id}")
    hidden = len(view.told) - len(view.behind() & set(view.told))
    if hidden > 0 and len(view.told) > MOST:
        st.caption(f"{counted(hidden, 'further step')} led nowhere.")
    _learn(run, shown, view)
    if run.status != "running":
        _otherwise(run, view)


def _learn(run: Run, shown: Sequence[Record], view: CourseView) -> None:
    """Keeps the way to the answer as a template of the graph, or takes one back that was kept."""
    settings, graph = session.settings(), run.header.graph
    template = learning.learned_from(run.header.question, [r.event for r in shown])
    known = template.text if template is not None else view.template
    if not known or settings.hosted:  # what one visitor keeps would answer all others
        return
    key = f"compass:{run.header.id}:learn"
    if learning.kept_for(graph, settings).exact(known) is not None:
        st.button(
            "Forget this way",
            key=key,
            icon=":material/undo:",
            type="tertiary",
            on_click=learning.forget,
            args=(known, graph, settings),
        )
        kept.link(learning.own_templates(graph, settings), known)
    elif template is not None:
        st.button(
            "Remember this way",
            key=key,
            icon=":material/bookmark_add:",
            help=f"“{escape(in_words(known))}”: the next such question asks no model",
            type="tertiary",
            on_click=learning.keep,
            args=(template, graph, settings),
        )


def _otherwise(run: Run, view: CourseView) -> None:
    """What can be changed of each step and rule; the run goes on from there."""
    run_id = run.header.id
    changeable = {name: step for name, step in view.told.items() if step.filled is not None}
    if changeable:
        with st.container(horizontal=True, gap="small", key=f"compass:{run_id}:change"):
            for name, step in changeable.items():
                _change(run, name, step, view)
    for rule in view.rules.values():
        _rule(run, rule)


def _change(run: Run, name: str, step: StepView, view: CourseView) -> None:
    """Another relation or belief for a step, or another verdict on the belief."""
    key = f"compass:{run.header.id}:{name}"
    with st.popover(
        f"Change step {view.numbers[name]}",
        type="tertiary",
        icon=":material/alt_route:",
        key=f"{key}:open",
    ):
        st.markdown(f"**{view.numbers[name]}.** {escape(view.in_words(called(step)))}")
        if step.bound is not None and step.bound.how != "id":
            st.caption(escape(view.in_words(step.bound.line)))
        relation = st.selectbox(
            "Relation", step.relations, index=None, key=f"{key}:relation", accept_new_options=True
        )
        belief = st.text_input("Belief", key=f"{key}:belief", help="several: separated by |")
        params: dict[str, Any] = {}
        if relation:
            params["bound"] = {**run.header.params.get("bound", {}), name: relation}
        if belief.strip():
            params["beliefs"] = {**run.header.params.get("beliefs", {}), name: belief.strip()}
        st.button(
            "Go on from here",
            key=f"{key}:go",
            icon=":material/fork_right:",
            disabled=not params,
            on_click=fork.fork,
            args=(run, Edits(at=step.at, params=params)),
        )
        if step.beliefs:
            _verdict(run, name, step)


def _verdict(run: Run, name: str, step: StepView) -> None:
    """What somebody else makes of a belief: it is no longer held, or goes before the graph."""
    key, told = f"compass:{run.header.id}:{name}", run.header.params
    believed = "|".join(belief.text for belief in step.beliefs)
    st.button(
        "Go on without the belief",
        key=f"{key}:doubt",
        icon=":material/fork_right:",
        on_click=fork.fork,
        args=(
            run,
            Edits(
                at=step.at,
                params={
                    "beliefs": {**told.get("beliefs", {}), name: ""},
                    "taken": {k: v for k, v in told.get("taken", {}).items() if k != name},
                },
            ),
        ),
    )
    if any(belief.outcome in ("replaced", "dropped") for belief in step.beliefs):
        st.button(
            "Go on as if it were right",
            key=f"{key}:trust",
            icon=":material/fork_right:",
            help="The next steps go on from what was believed; no answer to that is certain",
            on_click=fork.fork,
            args=(
                run,
                Edits(at=step.at, params={"taken": {**told.get("taken", {}), name: believed}}),
            ),
        )


def _rule(run: Run, rule: RuleView) -> None:
    run_id, axiom = run.header.id, rule.axiom
    rejected = "|".join(filter(None, (run.header.params.get("rejected", ""), axiom.text)))
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Go on without this rule",
            key=f"compass:{run_id}:reject:{axiom.branch}",
            icon=":material/fork_right:",
            type="tertiary",
            help=escape(axiom.text),
            on_click=fork.fork,
            args=(run, Edits(at=rule.at, params={"rejected": rejected})),
        )
        if rule.asked is not None:
            reply = reply_of(rule.asked)
            axioms.rewrite(
                run, axiom, rule.asked, lambda said: _restated(reply, axiom, said), "Rule"
            )


def _restated(reply: dict[str, Any], axiom: events.Axiom, said: dict[str, Any]) -> dict[str, Any]:
    """A reply with other words and premises for one of its rules."""
    if reply.get("rule") == axiom.text:
        return {**reply, **said}
    rules = [{**one, **said} if one["rule"] == axiom.text else one for one in reply["axioms"]]
    return {**reply, "axioms": rules}
