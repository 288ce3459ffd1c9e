"""Code and styles of our components as files that a browser keeps; a page is sent data alone.

Streamlit sends a component's code with every change of its data. Ours is a few lines that fetch
the rest, by an address with a digest of what is in it: so a copy that the browser has is right,
however old it is.
"""

from __future__ import annotations

import json
from hashlib import sha256

from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from kgqa_core import __version__
from kgqa_core.places import ASSETS

_NAME = "kgqa.files"  # no component of its own: what the server serves files under
_FOLDER = ASSETS / "browser"
_FETCH = """
const text = async (address) => {
  const reply = await fetch(new URL(address, document.baseURI), { cache: "force-cache" })
    .catch(() => ({ ok: false }));
  if (!reply.ok) throw new Error(`Reload the page: what draws this did not arrive (${address}).`);
  return reply.text();
};
const files = async ([code, ...styles]) => {
  const [module, ...rules] = await Promise.all([code, ...styles].map(text));
  const address = URL.createObjectURL(new Blob([module], { type: "text/javascript" }));
  const sheets = rules.map((each) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(each);
    return sheet;
  });
  return { show: (await import(address)).default, sheets, rules };
};
export default async function (component) {
  const held = (globalThis.kgqaFiles ??= {}); // one copy for all of a page
  const { show, sheets, rules } = await (held[NAMES[0]] ??= files(NAMES).catch((error) => {
    delete held[NAMES[0]];
    throw error;
  }));
  component.parentElement.getRootNode().adoptedStyleSheets = sheets;
  return show(component, rules);
}
"""


def fetching(code: str, *styles: str) -> str:
    """A component's code: gets the default export of the file `code`, and calls it.

    It is called with what Streamlit hands to a component, and the texts of the `styles`, which
    hold for the component alone. All are names of files in `assets/browser`.
    """
    addresses = [f"_stcore/bidi-components/{_NAME}/{name}?{_digest(name)}" for name in styles]
    addresses.insert(0, f"_stcore/bidi-components/{_NAME}/{code}?{_digest(code)}")
    return f"\nconst NAMES = {json.dumps(addresses)};{_FETCH}"


def serve_files() -> None:
    """Has this server serve the files; to be called wherever such a component is drawn."""
    manager = get_bidi_component_manager()
    if manager.get(_NAME) is None:
        package, component = _NAME.split(".")
        folder = ComponentConfig(component, _FOLDER.name)
        manager.register_from_manifest(
            ComponentManifest(package, __version__, [folder]), _FOLDER.parent
        )


def _digest(name: str) -> str:
    return sha256((_FOLDER / name).read_bytes()).hexdigest()[:16]
