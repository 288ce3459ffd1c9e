"""The audit in the answer card: how many claims hold, and each with its mark and its triple."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kgqa_core.ask.events import Audited, CheckedClaim, Record
from kgqa_core.ask.outcome import audit_of
from kgqa_core.facts import verbalise
from kgqa_core.render.steps import escape
from kgqa_core.text import counted, shortened

_MARKS = {
    "supported": (":green[:material/check_circle:]", "supported"),
    "contradicted": (":red[:material/cancel:]", "contradicted"),
    "unsupported": (":orange[:material/help:]", "unsupported"),
}
_MOST = 3  # facts shown under a claim


def audit_line(run_id: str, shown: Sequence[Record]) -> None:
    """One line that opens the list of claims; nothing for a run that was not audited."""
    found = audit_of(shown)
    if found is None or not found.claims:
        return
    with st.popover(
        found.summary,
        type="tertiary",
        icon=_icon(found),
        key=f"audit:{run_id}",
        help="Each claim of the answer, checked by the facts of the graph",
    ):
        st.caption(f"Checked by the {escape(found.by)}, claim by claim")
        for claim in found.claims:
            _claim(claim)


def _icon(found: Audited) -> str:
    marks = {c.mark for c in found.claims}
    if "contradicted" in marks:
        return ":material/cancel:"
    return ":material/help:" if "unsupported" in marks else ":material/fact_check:"


def _claim(claim: CheckedClaim) -> None:
    icon, word = _MARKS[claim.mark]
    kind = " :small[:gray[reasoning]]" if claim.reasoning else ""
    why = f" :small[{escape(claim.why)}]" if claim.why else ""
    lines = [f"{icon} {escape(claim.text)}{kind} :small[{word}]{why}"]
    if claim.axiom:
        lines.append(f":small[Axiom: {escape(claim.axiom)}]")
    lines += [
        f":small[:gray[{escape(shortened(verbalise.support(fact), 250))}]]"
        for fact in claim.facts[:_MOST]
    ]
    if len(claim.facts) > _MOST:
        lines.append(f":small[:gray[and {counted(len(claim.facts) - _MOST, 'more fact')}]]")
    st.markdown("  \n".join(lines))
