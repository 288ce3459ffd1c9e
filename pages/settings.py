"""Settings: connect a model, choose budgets, see where things are kept."""

import streamlit as st
from pydantic import SecretStr

from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.llm.openai_chat import OpenAIChat, list_models, probe, refuses_key
from kgqa_core.methods import METHODS
from kgqa_core.methods.others import is_file
from kgqa_core.methods.pgakv.cypher.bolt import Scratch
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, visitor
from kgqa_core.settings import OPENAI, Settings, from_environment, same_place

session.guard()
now = session.settings()
changed: dict[str, object] = st.session_state.setdefault("settings", {})


def origin(field: str) -> str:
    """Where a value comes from, for the help text beside its widget."""
    if field in changed:
        return "Set on this page, for this session."
    return "From the environment or .env." if from_environment(field) else "Default."


def secret_box(label: str, field: str, absent: str = "") -> None:
    """A box that never shows the secret that is kept; left empty, it stays."""
    typed = st.session_state.get(f"typed:{field}")  # with the form that is being sent
    kept = "kept for this address"
    if field in st.session_state.get("refused", ()) and not typed:
        kept = "refused by this address: type another one"
    st.text_input(
        label,
        "",
        type="password",
        key=f"secret:{field}",
        autocomplete="off",
        placeholder=kept if getattr(now, field) or typed else absent,
        help=origin(field),
    )


def take_secret(field: str) -> None:
    """Empties the box as soon as it is sent, so that it is not sent again with another address."""
    st.session_state[f"typed:{field}"] = st.session_state[f"secret:{field}"]
    st.session_state[f"secret:{field}"] = ""


def boxes(given: Settings) -> dict[str, object]:
    """What stands in the boxes of the model, by their keys."""
    return {
        "model_endpoint": given.openai_base_url or "",
        "model_name": given.model,
        "model_temperature": given.temperature,
        "model_timeout": given.llm_timeout_s,
    }


def forget() -> None:
    """The model of the environment again, and its values in the boxes."""
    st.session_state.pop("refused", None)
    for field in ("openai_base_url", "openai_api_key", "model", "temperature", "llm_timeout_s"):
        changed.pop(field, None)
    st.session_state.pop("listed_models", None)
    st.session_state["secret:openai_api_key"] = ""
    st.session_state.update(boxes(session.settings()))


def keep_secret(place: str, field: str, address: str | None) -> str:
    """A typed secret belongs to the address it is typed for; none typed, to the one it had.

    Returns what is to be said of that, if anything.
    """
    changed[place] = address
    typed: str = st.session_state.pop(f"typed:{field}", "")
    if typed.strip():
        changed[field] = SecretStr(typed)
    elif not same_place(address, getattr(now, place)):
        changed.pop(field, None)
        if getattr(now, field) is not None and getattr(session.settings(), field) is None:
            return (
                "The key or password of the former address is not sent to this one: type its own "
                "if it asks for one."
            )
    return ""


st.markdown("#### Model")
st.caption(
    "Without a model, the built-in reader reads the questions. Any OpenAI-compatible endpoint "
    "works: OpenAI, vLLM, Ollama, llama.cpp. The key stays in this browser session: it is not "
    "saved, logged or exported."
)
for key, value in boxes(now).items():
    st.session_state.setdefault(key, value)
with st.form("model"):
    where, who = st.columns(2)
    base_url = where.text_input(
        "Endpoint",
        placeholder=OPENAI,
        key="model_endpoint",
        help=f"Ends in /v1; empty means OpenAI. {origin('openai_base_url')}",
    )
    with who:
        secret_box("Key", "openai_api_key", "none: many local servers need none")
    which, how, long = st.columns(3)
    listed: list[str] = st.session_state.get("listed_models", [])
    options = list(dict.fromkeys([now.model, *listed]))
    model = which.selectbox(
        "Model name",
        options,
        key="model_name",
        accept_new_options=True,
        help=f"Choose a listed one or type a name. {origin('model')}",
    )
    temperature = how.slider(
        "Temperature",
        0.0,
        2.0,
        step=0.1,
        key="model_temperature",
        help=f"Randomness of reasoning steps; 0: none. {origin('temperature')}",
    )
    timeout_s = long.number_input(
        "Time-out of one call, in seconds",
        1.0,
        3600.0,
        step=5.0,
        format="%g",
        key="model_timeout",
    )
    with st.container(horizontal=True):
        connect = st.form_submit_button(
            "Connect and test",
            type="primary",
            key="connect",
            on_click=take_secret,
            args=["openai_api_key"],
        )
        list_them = st.form_submit_button(
            "List models", key="list_models", on_click=take_secret, args=["openai_api_key"]
        )
        forgotten = st.form_submit_button(
            "Forget", key="forget", help="Goes back to what the environment says", on_click=forget
        )

if forgotten:
    session.redraw()


def tell(kind: str, text: str, note: str, *, host: str = "") -> None:
    """Says below the form how it went, with the form drawn anew: a key may have been refused."""
    refused = {"openai_api_key"} if refuses_key(text, host) else set()
    told = [("info", note)] if note else []
    st.session_state["refused"], st.session_state["model_said"] = refused, [*told, (kind, text)]
    session.redraw()


if connect or list_them:
    note = keep_secret("openai_base_url", "openai_api_key", base_url.strip() or None)
    changed["model"] = model or now.model
    changed["temperature"] = temperature
    changed["llm_timeout_s"] = timeout_s
    now = session.settings()
    host = ""
    try:
        client = OpenAIChat.from_settings(now)
        host = client.host
        if list_them:
            st.session_state["listed_models"] = list_models(client, 15.0)
            st.session_state.pop("refused", None)
            session.redraw()
        if now.openai_api_key is None and now.openai_base_url is None:
            tell(
                "warning",
                "Enter an endpoint or a key; without either, the built-in reader is used.",
                note,
            )
        with st.spinner("Asking the model something small …"):
            result = probe(client)
        if result.problem:
            tell("error", result.problem, note, host=host)
        tell(
            "success",
            f"{result.model} answered in {result.latency_s:.2f} s, structured replies by "
            f"{result.rung}. Choose it on the Ask page.",
            note,
        )
    except KGQAError as error:
        tell("error", str(error), note, host=host)
boxes_of = {"info": st.info, "error": st.error, "warning": st.warning, "success": st.success}
for kind, text in st.session_state.pop("model_said", ()):
    boxes_of[kind](escape(text))

st.markdown("#### Budgets of a run")
with st.form("budgets"):
    one, two, three = st.columns(3)
    calls = one.number_input(
        "Model calls", 1, 10_000, now.max_llm_calls, help=origin("max_llm_calls")
    )
    tokens = two.number_input(
        "Tokens", 1, 100_000_000, now.max_tokens, 10_000, help=origin("max_tokens")
    )
    seconds = three.number_input(
        "Seconds", 1.0, 86_400.0, now.max_seconds, 10.0, format="%g", help=origin("max_seconds")
    )
    into, out, _ = st.columns(3)
    price_prompt = into.number_input(
        "Price of a million prompt tokens, in $",
        0.0,
        None,
        now.price_prompt,
        help=f"Shows what runs cost; {origin('price_prompt')}",
    )
    price_completion = out.number_input(
        "Price of a million completion tokens, in $",
        0.0,
        None,
        now.price_completion,
        help=origin("price_completion"),
    )
    if st.form_submit_button("Save budgets", key="save_budgets"):
        changed.update(max_llm_calls=calls, max_tokens=tokens, max_seconds=seconds)
        changed.update(price_prompt=price_prompt, price_completion=price_completion)
        st.success("Saved for this session.")

st.markdown("#### Database for scripts")
st.caption(
    "PG&AKV's Cypher scripts are interpreted here. A graph database that speaks Bolt (Neo4j or "
    "ArcadeDB) can carry them out instead: only CREATE, MERGE and SET, in a transaction "
    "that is rolled back. Name a throw-away database; it has to be empty."
)
if session.environment().hosted:
    st.caption("On a hosted app, only its environment can name one.")
else:
    with st.form("bolt"):
        one, two = st.columns(2)
        bolt_url = one.text_input(
            "Address",
            now.bolt_url or "",
            placeholder="bolt://localhost:7687",
            key="bolt_address",
            help=f"Empty: scripts are interpreted here. {origin('bolt_url')}",
        )
        bolt_database = two.text_input(
            "Throw-away database", now.bolt_database, help=origin("bolt_database")
        )
        three, four, five = st.columns(3)
        bolt_user = three.text_input("User", now.bolt_user, help=origin("bolt_user"))
        with four:
            secret_box("Password", "bolt_password")
        bolt_timeout_s = five.number_input(
            "Seconds for one script",
            1.0,
            600.0,
            now.bolt_timeout_s,
            format="%g",
            help=origin("bolt_timeout_s"),
        )
        tried = st.form_submit_button(
            "Save and test", key="try_bolt", on_click=take_secret, args=["bolt_password"]
        )
    if tried:
        if note := keep_secret("bolt_url", "bolt_password", bolt_url.strip() or None):
            st.info(note)
        changed.update(
            bolt_database=bolt_database.strip(),
            bolt_user=bolt_user.strip(),
            bolt_timeout_s=bolt_timeout_s,
        )
        database = Scratch.from_settings(session.settings())
        try:
            if database is None:
                st.success("Scripts are interpreted here.")
            else:
                with st.spinner("Sending a small script …"):
                    said = database.probe()
                st.success(escape(said))
        except KGQAError as error:
            st.error(escape(str(error)))

if session.environment().hosted:
    st.markdown("#### Whose runs you see")
    st.caption(visitor.who_sees(session.environment()))
    if session.environment().operator_password and not visitor.is_operator(session.environment()):
        with st.form("operator_form", border=False):
            password = st.text_input("Operator's password", type="password", key="operator_word")
            if st.form_submit_button("See all runs", key="operator_enter"):
                if visitor.become_operator(password, session.environment()):
                    session.redraw()
                st.error("This is not the operator's password.")

if not session.environment().hosted:
    st.markdown("#### Your own method")
    st.caption("A function in a file, used until this app ends; read it again after a change.")
    with st.form("own method"):
        file = st.text_input("File and function", placeholder="path/to/file.py:solve")
        read = st.form_submit_button("Read", icon=":material/upload_file:")
    if read:
        try:
            if not is_file(file.strip()):
                raise SettingsError("Write path/to/file.py:NAME.")
            method = METHODS.read(file.strip())
            st.success(f"“{escape(method.title)}” is among the methods.")
        except KGQAError as error:
            st.error(escape(str(error)))

st.markdown("#### Encoder and data")
shared = session.encoder()
st.markdown(
    f"Encoder, for search by meaning: **{escape(shared.name)}**, {escape(shared.state)} "
    f":small[({origin('encoder').removesuffix('.').lower()})]"
)
st.caption("For another encoder, set KGQA_ENCODER before the app starts.")
st.markdown(f"Data folder :small[({origin('data_dir').removesuffix('.').lower()})]")
st.code(str(now.data_dir), language=None)
if session.runs().store.problem:
    st.warning(escape(session.runs().store.problem))
else:
    st.caption("Runs are kept there; for another folder, set KGQA_DATA_DIR before the app starts.")
