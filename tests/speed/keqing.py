"""Keqing on MetaQA without a model: learned on one half of the development part, asked the other.

    python -m tests.speed.keqing [--questions 400] [--plan chain] [--top-k 3]

Prints Hits@1 (strict), F1 and questions per second for 1, 2 and 3 hops, what a system that knows
only titles can expect at one hop, and how the scores stand up to lower case, typing errors in
names, wordings that were not learned, and paraphrases written for this.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.evaluation import learning, metrics
from kgqa_core.evaluation.datasets import Example, load
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load as load_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.keqing import algorithm as keqing
from kgqa_core.methods.keqing import templates
from tests.places import DATA

_DATA = DATA / "metaqa"

PARAPHRASES = {
    "_to_".join(path.split()): text
    for path, _, text in (
        line.partition(": ")
        for line in """
movie director: I wonder who sat in the director's chair for [mask]?
movie writer: Do you know the name of the person that wrote the script of [mask]?
movie actor: Which performers can be seen in [mask]?
movie year: In which year did [mask] come to the cinemas?
movie genre: To what genre does [mask] belong?
movie language: Which language do people speak in [mask]?
actor movie: Give me all movies featuring [mask].
director movie: Which pictures were directed by [mask]?
writer movie: List the movies whose screenplay was written by [mask].
actor movie director: Which directors have worked with the actor [mask]?
actor movie year: In what years did movies starring [mask] come out?
actor movie genre: What sort of genres did [mask] play in as an actor?
actor movie actor: Who has appeared in a movie alongside [mask]?
director movie actor: Which actors worked for the director [mask]?
writer movie director: Who directed movies that were written by [mask]?
movie director movie: What other movies were made by the director of [mask]?
movie actor movie: In which other movies did the cast of [mask] appear?
movie writer movie: What else did the writer of [mask] write?
movie director movie actor: Which actors are in other films of the director of [mask]?
movie director movie year: When did other movies by the director of [mask] come out?
movie actor movie genre: What genres do other films with the actors of [mask] have?
movie actor movie director: Who directed the other films with the actors of [mask]?
movie writer movie language: In what languages are other films of the writer of [mask]?
movie writer movie director: Who directed the films that the writer of [mask] wrote?
""".strip().splitlines()
    )
}


def topic(example: Example) -> str:
    return next(iter(example.topic))


def lower(example: Example) -> str:
    return example.question.lower()


def bracketed(example: Example) -> str:
    return example.question.replace(topic(example), f"[{topic(example)}]", 1)


def mistyped(example: Example) -> str:
    """One letter of the name is lost, doubled or swapped; names of four letters stay."""
    name, chance = topic(example), random.Random(example.question)
    if len(name) < 5:
        return example.question
    i = chance.randrange(1, len(name) - 2)
    wrong = chance.choice(
        (
            name[:i] + name[i + 1 :],
            name[:i] + name[i] + name[i:],
            name[:i] + name[i + 1] + name[i] + name[i + 2 :],
        )
    )
    return example.question.replace(name, wrong, 1)


def paraphrased(example: Example) -> str:
    text = PARAPHRASES.get(example.classes[-1], "")
    return text.replace("[mask]", topic(example))


def wording(example: Example) -> str:
    return templates.plain(templates.masked(example.question, topic(example))[0])


def ask(
    examples: Sequence[Example],
    kg: KnowledgeGraph,
    params: keqing.Params,
    say: Callable[[Example], str] = lambda example: example.question,
) -> str:
    hits, f1, seconds, llm = 0.0, 0.0, 0.0, Offline()
    asked = [e for e in examples if say(e)]
    for example in asked:
        start = time.perf_counter()
        records = list(run(say(example), keqing.solve, Toolkit(kg, llm), params))
        seconds += time.perf_counter() - start
        scores = metrics.score(example, answer_of(records)).values()
        hits, f1 = hits + scores["hits_at_1"], f1 + scores["f1"]
    n = max(1, len(asked))
    return f"{len(asked):>6,}  Hits@1 {hits / n:.2%}  F1 {f1 / n:.4f}  {n / seconds:>4.0f}/s"


def expected(examples: Sequence[Example], kg: KnowledgeGraph, library: templates.Library) -> float:
    """Hits@1 of an answer drawn from what the right chain returns: titles alone tell no more."""
    walker, total = learning.Walker(kg), 0.0
    for example in examples:
        template = library.exact(wording(example))
        gold = {g.name for gs in example.gold.values() for g in gs}
        start = kg.search([topic(example)], 1)[0][0].entity
        assert template is not None
        ends = [v.name for v in walker.follow([start], template.chains[0].hops)[0]]
        total += sum(end in gold for end in ends) / max(1, len(ends))
    return total / max(1, len(examples))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=400, help="of each set; 0: all")
    parser.add_argument("--plan", default="sub-questions")
    parser.add_argument("--top-k", type=int, default=3)
    args = parser.parse_args()
    sets = {h: load(_DATA / f"{h}-hop" / "qa_dev.txt.gz", "metaqa").examples for h in (1, 2, 3)}

    def some(examples: Sequence[Example]) -> Sequence[Example]:
        step = max(1, len(examples) // args.questions) if args.questions else 1
        return examples[::step][: args.questions or None]

    with tempfile.TemporaryDirectory() as here:
        load_graph([_DATA / "kb.txt.gz"], Path(here) / "g", name="MetaQA")
        kg = open_folder(Path(here) / "g")

        def learned(name: str, examples: Sequence[Example]) -> keqing.Params:
            start = time.perf_counter()
            library = learning.learn(examples, kg).collection
            templates.save(library, path := Path(here) / name)
            seconds = time.perf_counter() - start
            print(f"{len(library.templates)} templates learned in {seconds:.0f} s")
            return keqing.Params(templates=str(path), plan=args.plan, top_k=args.top_k)

        params = learned("half.txt", [e for found in sets.values() for e in found[::2]])
        ask(sets[1][1:20:2], kg, params, paraphrased)  # loads the encoder
        library = templates.load(Path(params.templates))
        for hops, examples in sets.items():
            print(f"{hops} hops, the other half     {ask(some(examples[1::2]), kg, params)}")
        one = [e for e in sets[1][1::2] if library.exact(wording(e))]
        print(f"1 hop, what titles allow   {expected(one, kg, library):.2%}")
        for say in (bracketed, lower, mistyped, paraphrased):
            for hops, examples in sets.items():
                print(
                    f"{hops} hops, {say.__name__:<18} {ask(some(examples[1::2]), kg, params, say)}"
                )

        def side(example: Example) -> int:
            return zlib.crc32(wording(example).encode()) % 2

        fewer = [e for found in sets.values() for e in found[::2] if side(e) == 0]
        params = learned("fewer.txt", fewer)
        for hops, examples in sets.items():
            unseen = [e for e in examples[1::2] if side(e) == 1]
            print(f"{hops} hops, wordings not learned {ask(some(unseen), kg, params)}")


if __name__ == "__main__":
    main()
