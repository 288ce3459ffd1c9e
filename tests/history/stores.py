"""What every home of runs does, wherever it is; each kind's tests inherit it."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Cost, Record, Sentence
from kgqa_core.ask.header import Header
from kgqa_core.facts.terms import DATE, Entity, Literal, Qualifier, Relation, Statement
from kgqa_core.history.store import Search, Used

ULM = Entity("http://www.wikidata.org/entity/Q3012", "Ulm", "city", ("Ulm an der Donau",))
FACT = Statement(
    ULM,
    Relation("p:17", "country"),
    Entity("http://www.wikidata.org/entity/Q183", "Germany"),
    (Qualifier(Relation("p:580", "start time"), Literal("1949-05-23", DATE)),),
)


def header(run_id="r1", started_at="2026-01-01T00:00:00"):
    return Header(
        id=run_id,
        question="Where is Ulm?",
        method="react",
        params={"steps": 3},
        graph="starter",
        graph_fingerprint="f",
        model="built-in reader",
        started_at=started_at,
        version="0",
    )


def record(seq, event, step=0):
    return Record(seq=seq, step=step, at_s=seq / 10, cost=Cost(kg_requests=1), event=event)


def full_run():
    answer = Answer(
        sentences=(Sentence(text="Germany.", cites=(0,)),),
        values=(FACT.object, Literal("12", "x")),
        citations=(FACT,),
    )
    return [
        record(0, events.Step(title="Look", thought="hm")),
        record(1, events.Expanded(entities=(ULM,), statements=(FACT,))),
        record(2, events.Answered(answer=answer)),
    ]


def kept(store, *questions):
    for i, question in enumerate(questions):
        this = header(f"r{i}", f"2026-01-0{i + 1}T12:00:00").model_copy(
            update={"question": question}
        )
        store.begin(this)
        store.append(this.id, full_run(), "answered")


def ids(store, **search):
    return [one.id for one in store.find(Search(**search))[0]]


class Verbs:
    """`store` is a fixture of the class that inherits this."""

    def test_a_run_comes_back_as_it_was(self, store):
        store.begin(header())
        run = full_run()
        store.append("r1", run[:2], "running")
        store.append("r1", run[2:], "answered")
        found_header, found = store.load("r1")
        assert found_header == header()
        assert found == run
        assert found[1].event.statements[0].subject.aliases == ("Ulm an der Donau",)
        assert store.recent() == [(header(), "answered")]
        assert not store.problem

    def test_newest_runs_come_first(self, store):
        for i in range(3):
            store.begin(header(f"r{i}", f"2026-01-0{i + 1}"))
        assert [h.id for h, _ in store.recent(2)] == ["r2", "r1"]

    @pytest.mark.parametrize(
        "text", ["'; DROP TABLE runs; --", "\x00", "a\x00b", "x" * 100_000, "%", "\\"]
    )
    def test_whatever_an_address_names_there_is_no_such_run(self, store, text):
        kept(store, "Where is Ulm?")
        assert store.load(text) is None
        assert not store.knows(text)
        assert not store.goes_on(text)
        store.ask_to_stop(text)
        assert store.asked_to_stop(["r0", text]) in ([], [text])
        for search in ({"method": (text,)}, {"tags": (text,)}, {"visitor": text}, {"since": text}):
            ids(store, **search)
        assert store.used("2020", text).runs == 0
        assert not store.problem
        assert ids(store) == ["r0"]
        assert store.load("r0")[1] == full_run()

    def test_a_run_that_has_ended_is_listed_with_what_it_took(self, store):
        kept(store, "Where is Ulm?")
        (found,), count = store.find(Search())
        assert count == 1
        assert (found.status, found.grounding, found.answer) == ("answered", "grounded", "Germany.")
        assert (found.llm_calls, found.tokens, found.seconds) == (0, 0, 0.2)

    def test_every_word_is_looked_for_in_any_case_and_script(self, store):
        kept(store, "Where is Ulm?", "Wo liegt die STRASSE 100%?", "東京はどこ?")
        assert ids(store, text="ulm WHERE") == ["r0"]
        assert ids(store, text="straße") == ["r1"]
        assert ids(store, text="100%") == ["r1"]
        assert ids(store, text="東京") == ["r2"]
        assert ids(store, text="germany") == ["r2", "r1", "r0"]  # the answer
        assert ids(store, text="' OR 1=1 --") == []

    def test_runs_are_filtered_by_each_field(self, store):
        kept(store, "a", "b", "c")
        store.annotate("r1", note="odd", thumb=0, tags=["to do", " to  do ", ""])
        assert ids(store, text="odd") == ["r1"]
        assert ids(store, tags=("to do",)) == ["r1"]
        assert store.choices() == {
            "method": ["react"],
            "graph": ["starter"],
            "model": ["built-in reader"],
            "tags": ["to do"],
        }
        assert ids(store, method=("io", "cot")) == []
        assert ids(store, status=("answered",), grounding=("grounded",)) == ["r2", "r1", "r0"]
        assert ids(store, since="2026-01-02", until="2026-01-02") == ["r1"]
        found, count = store.find(Search(), limit=2)
        assert (len(found), count) == (2, 3)

    @pytest.mark.parametrize(
        ("by", "rising", "first"),
        [
            ("started_at", False, "r2"),
            ("question", True, "r1"),
            ("question", False, "r0"),
            ("answer", True, "r1"),
            ("seconds", False, "r2"),
            ("seconds", True, "r1"),
        ],
    )
    def test_runs_are_sorted_by_any_column_before_they_are_cut(self, store, by, rising, first):
        said = (("c?", "b", 2.0), ("A?", "A", 1.0), ("b?", "c", 10.0))
        for i, (question, words, seconds) in enumerate(said):
            this = header(f"r{i}", f"2026-01-0{i + 1}").model_copy(update={"question": question})
            store.begin(this)
            answer = Answer(sentences=(Sentence(text=words),))
            told = Record(seq=0, step=0, at_s=seconds, event=events.Answered(answer=answer))
            store.append(this.id, [told], "answered")
        (found,), count = store.find(Search(), 1, by, rising)
        assert (found.id, count) == (first, 3)

    def test_of_equal_runs_the_newest_comes_first(self, store):
        kept(store, "same?", "same?", "Same?")
        for rising in (True, False):
            assert [r.id for r in store.find(Search(), 9, "question", rising)[0]] == [
                "r2", "r1", "r0",
            ]  # fmt: skip

    def test_a_deleted_run_is_gone_until_it_is_restored(self, store):
        kept(store, "a", "b")
        store.delete(["r0", "r0", "no such run"])
        store.delete(["r0"])  # in a second tab
        assert ids(store) == ["r1"]
        assert store.load("r0") is None
        store.restore(["r0"])
        assert ids(store) == ["r1", "r0"]
        assert store.load("r0")[1] == full_run()

    def test_word_that_a_run_is_to_stop_is_left_for_whoever_is_at_work_on_it(self, store):
        store.begin(header())
        store.begin(header("r2"))
        for _ in range(2):
            store.ask_to_stop("r1")
        store.ask_to_stop("no such run")
        assert store.asked_to_stop(["r2", "r1"]) == ["r1"]
        assert store.asked_to_stop(["r2"]) == store.asked_to_stop([]) == []
        assert not store.problem

    def test_half_a_character_in_a_label_costs_nothing_but_itself(self, store):
        broken = [record(0, events.Noted(text="a\ud800b")), *full_run()[1:]]
        store.begin(header())
        store.append("r1", broken, "answered")
        assert store.load("r1")[1] == [record(0, events.Noted(text="a?b")), *full_run()[1:]]

    def test_runs_of_a_visitor_and_what_they_used(self, store):
        for n, (visitor, model) in enumerate(
            (("v1", "openai"), ("v1", "offline"), ("v2", "openai"))
        ):
            one = header(f"r{n}").model_copy(update={"visitor": visitor, "model_source": model})
            store.begin(one)
            cost = Cost(llm_calls=1, prompt_tokens=70, completion_tokens=30)
            end = Record(seq=0, step=0, at_s=1.0, cost=cost, event=events.Cancelled())
            store.append(one.id, [end], "cancelled")
        assert store.find(Search(visitor="v1"))[1] == 2
        assert store.find(Search())[1] == 3
        assert store.used("2020", "v1") == Used(2, 100)
        assert store.used("2020") == Used(3, 200)
        assert store.used("2999") == Used(0, 0)
        assert store.choices("v3")["method"] == []

    def test_what_a_file_says_that_it_used_is_nobodys(self, store):
        said = {"visitor": "v1", "model_source": "openai", "origin": "imported"}
        store.begin(header().model_copy(update=said))
        cost = Cost(llm_calls=1, prompt_tokens=10**11)
        end = Record(seq=0, step=0, at_s=1.0, cost=cost, event=events.Cancelled())
        store.append("r1", [end], "cancelled")
        mine = {"visitor": "v1", "question": 'Is it "origin":"imported"?'}
        store.begin(header("r2").model_copy(update=mine))
        assert store.used("2020", "v1") == Used(1, 0)
        assert store.used("2020") == Used(1, 0)
