"""Plans in a line each, for tests of how questions are read."""

from kgqa_core.reader import plan as p
from kgqa_core.reader.parse import parse


def likeliest(question: str) -> list[str]:
    """The two cheapest readings, in a line each."""
    return [shape(r.plan) for r in parse(question)[:2]]


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
        case p.Now():
            return "now"
        case p.Lasting():
            return f"lasting {shape(plan.source)} {plan.phrase}"
        case p.Measure():
            return f"how {plan.by} {shape(plan.source)}"
        case _:
            return f"{type(plan).__name__.lower()}({shape(plan.source)})"
