// The live graph: shows the picture that Python drew, and what is done with it: zoom, find, fold,
// light up, keep.
//
// The picture is SVG with text from graphs and models. It is parsed as XML and taken in element by
// element, those it may hold and no others; labels elsewhere reach the page as `textContent` only.

const memory = new Map(); // by run, what outlives a switch of pages: the component does not
const MOST_RUNS = 60;
const panes = new WeakMap(); // root element → Pane
let mounts = 0;
let look = ""; // what a picture looks like, as in graph.css: a file carries it along

const MOTION_MS = 350;
const LARGEST = 1.25; // a small graph is not blown up
const READABLE = 0.96; // where its smallest letters have 11 pixels
const NARROW = 480; // pixels of width in which it is drawn from the top down
const PHONE = 640; // of the window, as in pages.css
const TALLEST = 1400; // pixels of a picture drawn from the top down; the rest is panned to
const ROW = 20; // pixels of a row of a list, and how many are seen: as in layout.py
const ROWS = 7;
const SPACE = "http://www.w3.org/2000/svg";
const TAGS = new Set(["svg", "g", "path", "rect", "text", "tspan", "circle"]);
const NAMES = /^(class|d|x|y|r|rx|width|height|transform|viewBox|font-size|role|aria-[a-z]+|data-[a-z]+)$/;

function remember(name) {
  let run = memory.get(name);
  if (!run) {
    run = { viewport: null, named: true, legend: null };
    memory.set(name, run);
    if (memory.size > MOST_RUNS) memory.delete(memory.keys().next().value);
  }
  return run;
}

/** The picture as elements of this page. */
function parsed(text) {
  const copy = (from) => {
    if (!TAGS.has(from.localName)) return null;
    const to = document.createElementNS(SPACE, from.localName);
    for (const { name, value } of from.attributes) if (NAMES.test(name)) to.setAttribute(name, value);
    for (const child of from.childNodes) {
      const made = child.nodeType === Node.TEXT_NODE ? document.createTextNode(child.data) : copy(child);
      if (made) to.append(made);
    }
    return to;
  };
  return copy(new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
}

function dark(element) {
  const back = getComputedStyle(element).getPropertyValue("--st-background-color").trim() || "#fff";
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = back; // the canvas turns any colour of CSS into #rrggbb
  const hex = /^#(..)(..)(..)$/.exec(probe.fillStyle);
  return Boolean(hex) && hex.slice(1).reduce((sum, part) => sum + parseInt(part, 16), 0) < 300;
}

function make(tag, className, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const ICONS = {
  in: "M12 5v14M5 12h14",
  out: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  png: "M12 4v11M7 11l5 5 5-5M5 20h14",
  full: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
};

function button(name, icon, action, word) {
  const element = make("button", icon ? "icon" : "word", { type: "button", title: name });
  if (icon) {
    const picture = document.createElementNS(SPACE, "svg");
    picture.setAttribute("viewBox", "0 0 24 24");
    picture.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SPACE, "path");
    path.setAttribute("d", ICONS[icon]);
    picture.append(path);
    element.setAttribute("aria-label", name);
    element.append(picture);
  } else {
    element.textContent = word;
  }
  element.onclick = action;
  return element;
}

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const place = (element) => /translate\(([-\d.]+) ([-\d.]+)\)/.exec(element.getAttribute("transform")).slice(1).map(Number);

class Pane {
  constructor(root) {
    mounts += 1;
    this.root = root;
    this.selected = "";
    this.query = "";
    this.matches = [];
    this.scrolled = new Map(); // list → rows
    this.fingers = new Map(); // pointer → where it is
    this.build();
    root.dataset.mount = String(mounts);
  }

  build() {
    const { root } = this;
    root.replaceChildren();
    this.bar = make("div", "bar", { role: "toolbar", "aria-label": "Graph" });
    this.search = make("input", "search", {
      type: "search",
      placeholder: "Find",
      "aria-label": "Find a node in the graph",
      spellcheck: "false",
    });
    this.found = make("span", "found", { role: "status" });
    this.all = button("Show everything the run looked at, faded", null, () => this.report("all:"), "Show all");
    this.names = button("Show or hide the names of relations", null, () => this.toggleNames(), "Relations");
    this.asList = button("The graph's content as a list", null, () => this.toggleList(), "List");
    this.keep = make("details", "keep");
    const keep = make("summary", "", { "aria-label": "Download the picture", title: "Download the picture" });
    keep.append(button("", "png").firstChild);
    this.kinds = make("div", "kinds");
    this.kinds.append(
      button("Download as PNG", null, () => this.png(), "PNG"),
      button("Download as SVG", null, () => this.svgFile(), "SVG"),
    );
    this.keep.append(keep, this.kinds);
    const tools = make("span", "tools"); // where there is little width they go to the next line together
    tools.append(
      button("Zoom out (−)", "out", () => this.zoom(1 / 1.3)),
      button("Zoom in (+; or the wheel, after a click into the graph)", "in", () => this.zoom(1.3)),
      button("Fit the graph into view (0)", "fit", () => this.fit(true)),
      this.keep,
      button("Full screen", "full", () => this.fullScreen()),
    );
    const views = make("span", "tools"); // as these do
    views.append(this.all, this.names, this.asList);
    this.bar.append(this.search, this.found, make("span", "gap"), views, tools);
    this.stage = make("div", "stage", { tabindex: "0", role: "group" });
    this.empty = make("p", "empty");
    this.list = make("ul", "list", { hidden: "", "aria-label": "The graph as a list" });
    this.legend = make("details", "legend");
    this.legend.ontoggle = () => {
      if (this.run && this.legend.dataset.set) this.run.legend = this.legend.open;
    };
    this.tip = make("div", "tip", { role: "tooltip", hidden: "" });
    root.append(this.bar, this.stage, this.list, this.empty, this.legend, this.tip);

    this.search.oninput = () => this.find(this.search.value);
    this.search.onkeydown = (event) => {
      if (event.key === "Enter") this.nextFound();
      if (event.key === "Escape") this.find((this.search.value = ""));
      event.stopPropagation(); // Streamlit has keyboard shortcuts of its own
    };
    this.stage.onkeydown = (event) => this.key(event);
    this.stage.onpointerdown = (event) => this.grab(event);
    this.stage.onpointermove = (event) => this.explain(event);
    this.stage.onpointerleave = () => (this.tip.hidden = true);
    this.stage.onclick = (event) => this.click(event.target);
    this.stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.watcher = new ResizeObserver(() => this.follow());
    this.watcher.observe(this.stage);
  }

  destroy() {
    this.watcher.disconnect();
  }

  // -- what comes from Python -----------------------------------------------------------------

  update({ data: [data], setTriggerValue }) {
    this.report = (id) => setTriggerValue("picked", id);
    this.root.style.setProperty("--height", `${data.height}px`);
    this.root.classList.toggle("grows", data.grows);
    this.root.classList.toggle("dark", (this.dark = dark(this.root)));
    if (this.runId !== data.run) {
      this.runId = data.run;
      this.run = remember(data.run);
      this.following = this.run.viewport === null;
      this.picture = null;
      this.text = null;
      this.selected = "";
    }
    this.tall = data.tall;
    this.root.classList.toggle("tall", data.tall);
    this.tellWidth(true);
    if (data.address && !location.search) history.replaceState(history.state, "", data.address);
    const count = data.list.length;
    this.empty.hidden = data.svg !== "";
    this.empty.textContent = data.empty || "The graph appears here as the method walks it.";
    this.root.classList.toggle("has-nodes", data.svg !== "");
    this.stage.setAttribute("aria-label", `${data.summary} Plus and minus zoom, zero fits, arrows move.`);
    this.all.hidden = data.all === null;
    this.all.setAttribute("aria-pressed", String(Boolean(data.all)));
    if (data.selected !== this.lastSelected) {
      this.lastSelected = data.selected;
      if (data.selected !== null) this.selected = data.selected;
    }
    const marks = data.highlight.join(" ");
    const newly = marks !== this.marks && marks !== "";
    this.marks = marks;
    this.highlight = new Set(data.highlight);
    if (data.svg !== this.text) this.draw(data.svg);
    this.fill(data.list);
    this.legendFor(data.legend);
    this.restyle();
    this.names.setAttribute("aria-pressed", String(this.run.named));
    this.root.dataset.nodes = String(this.nodes().length);
    this.root.dataset.edges = String(count);
    if (newly) this.bringIntoView();
  }

  // -- drawing --------------------------------------------------------------------------------

  nodes() {
    return this.picture ? [...this.picture.querySelectorAll(".node")] : [];
  }

  /** Where everything stands, by id. */
  places() {
    return Object.fromEntries(this.nodes().map((node) => [node.dataset.id, place(node)]));
  }

  draw(text) {
    const before = this.picture ? this.places() : null;
    const ways = new Set(this.picture ? [...this.picture.querySelectorAll(".stroke")].map((p) => p.getAttribute("d")) : []);
    this.text = text;
    this.stage.replaceChildren();
    this.picture = text ? parsed(text) : null;
    if (!this.picture) return;
    const [x, y, w, h] = this.picture.getAttribute("viewBox").split(" ").map(Number);
    this.extent = { x, y, w, h };
    this.picture.removeAttribute("viewBox");
    this.scene = this.picture.querySelector(".scene");
    this.stage.append(this.picture);
    for (const rows of this.picture.querySelectorAll(".rows")) this.scrollTo(rows, this.scrolled.get(rows.parentNode.dataset.id) ?? 0);
    const first = !before;
    if (this.run.viewport && !this.following) this.look(this.run.viewport);
    else this.fit(false, first);
    if (first || still()) return;
    const motions = [];
    for (const node of this.nodes()) {
      const [nx, ny] = place(node);
      const was = before[node.dataset.id];
      if (!was) motions.push(node.animate([{ opacity: 0 }, { opacity: 1 }], { duration: MOTION_MS }));
      else if (was[0] !== nx || was[1] !== ny) {
        const frames = [was, [nx, ny]].map(([a, b]) => ({ transform: `translate(${a}px,${b}px)` }));
        motions.push(node.animate(frames, { duration: MOTION_MS, easing: "ease-out" }));
      }
    }
    for (const line of this.picture.querySelectorAll(".line, .name")) {
      const way = line.querySelector(".stroke")?.getAttribute("d");
      if (line.parentNode === this.scene && !ways.has(way)) {
        motions.push(line.animate([{ opacity: 0 }, { opacity: 0 }, { opacity: 1 }], { duration: MOTION_MS * 1.3 }));
      }
    }
    this.inMotion = motions.length > 0;
    Promise.allSettled(motions.map((motion) => motion.finished)).then(() => (this.inMotion = false));
  }

  /** Classes of what is selected, found or cited. */
  restyle() {
    if (!this.picture) return;
    const lit = new Set();
    const litEdges = [];
    for (const part of this.picture.querySelectorAll("[data-keys]")) {
      const keys = part.dataset.keys.split(" ");
      const on = keys.some((key) => key && this.highlight.has(key));
      part.classList.toggle("lit", on);
      part.classList.toggle("selected", part.dataset.id === this.selected);
      if (!on) continue;
      litEdges.push(part.dataset.id);
      for (const [source, target, own] of JSON.parse(part.dataset.ends)) { // of several on one line
        if (!own.split(" ").some((key) => this.highlight.has(key))) continue;
        lit.add(source).add(target);
      }
    }
    const called = (node) => node.dataset.title.split("\n", 2).map((line, n) => (n ? line.split(",")[0] : line));
    const fits = (node) => called(node).some((name) => name.toLocaleLowerCase().includes(this.query));
    const everyone = [...this.picture.querySelectorAll(".node, .row")];
    this.matches = this.query ? everyone.filter((node) => !node.matches(".list") && fits(node)) : [];
    for (const node of everyone) {
      const on = lit.has(node.dataset.id) || this.matches.includes(node) || this.matches.some((m) => node.contains(m));
      node.classList.toggle("lit", on);
      node.classList.toggle("selected", node.dataset.id === this.selected);
    }
    this.lit = [...lit];
    this.litEdges = [...new Set(litEdges)];
    this.picture.classList.toggle("dimmed", litEdges.length > 0 || Boolean(this.query));
    this.picture.classList.toggle("unnamed", !this.run.named);
  }

  fill(rows) {
    const text = JSON.stringify(rows);
    if (text === this.listText) return;
    this.listText = text;
    this.list.replaceChildren(
      ...rows.map(([id, words]) => {
        const row = make("li");
        row.append(button(words, null, () => this.pick(id), words));
        return row;
      }),
    );
  }

  legendFor(entries) {
    const text = JSON.stringify(entries);
    if (text === this.legendText) return;
    this.legendText = text;
    const title = make("summary");
    title.textContent = "Legend";
    const list = make("ul");
    for (const [picture, words] of entries) {
      const item = make("li");
      const name = make("span");
      name.textContent = words;
      item.append(parsed(picture), name);
      list.append(item);
    }
    this.legend.replaceChildren(title, list);
    this.legend.hidden = !entries.length;
    if (!this.legend.dataset.set) {
      this.legend.open = this.run.legend ?? this.root.clientWidth >= 480;
      this.legend.dataset.set = "yes";
    }
  }

  /** Tells Python whether there is little width, where its picture is not made for that. */
  tellWidth(anew = false) {
    const wide = this.root.clientWidth;
    if (wide < 50 || document.fullscreenElement) return;
    const narrow = wide < NARROW + (this.tall ? 40 : 0); // so that a scrollbar changes nothing
    if (narrow === this.tall) this.told = 0;
    else if ((anew || !this.told) && (this.told ?? 0) < 3) {
      this.told = (this.told ?? 0) + 1;
      this.report(`narrow:${narrow ? (innerWidth <= PHONE ? "phone" : "pane") : ""}`);
    }
  }

  // -- viewport: moves with the growing graph until the user touches it ---------------------------

  room() {
    return { w: this.stage.clientWidth, h: this.stage.clientHeight };
  }

  fit(asked = false, at_once = false) {
    if (asked) {
      this.following = true;
      this.run.viewport = null;
      this.whole = true;
    }
    if (!this.extent) return;
    if (this.tall && !document.fullscreenElement) this.fitWidth(at_once);
    else this.fitWhole(at_once);
    this.stage.classList.remove("zoomed");
  }

  fitWhole(at_once) {
    this.stage.style.removeProperty("height");
    const { w, h } = this.room();
    if (w < 50 || h < 50) return;
    const { x, y, w: wide, h: high } = this.extent;
    const scale = Math.min(LARGEST, w / wide, h / high);
    this.look({ scale, x: w / 2 - (x + wide / 2) * scale, y: h / 2 - (y + high / 2) * scale }, !at_once);
  }

  /** From the top down, as high as it needs; what is too wide begins where the walk does. */
  fitWidth(at_once) {
    const { w } = this.room();
    if (w < 50) return;
    const { x, y, w: wide, h: high } = this.extent;
    const scale = Math.max(Math.min(1.1, w / wide), this.whole ? 0 : READABLE);
    this.stage.style.height = `${Math.min(TALLEST, Math.max(150, high * scale))}px`;
    const start = this.picture.querySelector(".node.anchor, .node.also-anchor");
    const middle = start && wide * scale > w ? place(start)[0] : x + wide / 2;
    const left = w / 2 - middle * scale;
    const [least, most] = [w - (x + wide) * scale, -x * scale].sort((a, b) => a - b);
    const at = wide * scale > w ? Math.min(most, Math.max(least, left)) : left;
    this.look({ scale, x: at, y: -y * scale + Math.max(0, (150 - high * scale) / 2) }, !at_once);
  }

  follow() {
    if (this.run) this.tellWidth();
    if (this.following && this.picture) this.fit(false, true);
  }

  /** Puts the scene there: `scale`, and where its origin stands. */
  look(view, smoothly = false) {
    this.view = view;
    if (!this.scene) return;
    this.scene.style.transition = smoothly && !still() ? `transform ${MOTION_MS}ms ease-out` : "none";
    this.scene.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
  }

  leaveAlone() {
    this.stage.classList.add("zoomed");
    this.following = false;
    this.run.viewport = this.view;
  }

  zoom(factor, point) {
    const { w, h } = this.room();
    const { x, y } = point ?? { x: w / 2, y: h / 2 };
    const scale = Math.min(4, Math.max(0.1, this.view.scale * factor));
    const by = scale / this.view.scale;
    this.look({ scale, x: x - (x - this.view.x) * by, y: y - (y - this.view.y) * by });
    this.leaveAlone();
  }

  pan(dx, dy) {
    this.look({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
    this.leaveAlone();
  }

  centre(element) {
    const node = element.closest(".node");
    if (!node) return;
    const [x, y] = place(node);
    const { w, h } = this.room();
    const scale = Math.max(0.9, this.view.scale);
    this.look({ scale, x: w / 2 - x * scale, y: h / 2 - y * scale }, true);
    this.leaveAlone();
    const rows = node.querySelector(".rows");
    if (rows && element !== node) this.scrollTo(rows, [...rows.children].indexOf(element));
  }

  /** A lit fact that cannot be seen at all is panned to; the zoom stays. */
  bringIntoView() {
    const nodes = this.nodes().filter((node) => this.lit.includes(node.dataset.id));
    if (!nodes.length) return;
    const { w, h } = this.room();
    const at = nodes.map((node) => place(node)).map(([x, y]) => [x * this.view.scale + this.view.x, y * this.view.scale + this.view.y]);
    if (at.some(([x, y]) => x >= 0 && y >= 0 && x <= w && y <= h)) return;
    this.pan(w / 2 - at[0][0], h / 2 - at[0][1]);
  }

  // -- lists ----------------------------------------------------------------------------------------

  scrollTo(rows, to) {
    const count = rows.children.length;
    const top = Math.max(0, Math.min(count - ROWS, Math.round(to)));
    this.scrolled.set(rows.parentNode.dataset.id, top);
    [...rows.children].forEach((row, n) => {
      row.classList.toggle("beyond", n < top || n >= top + ROWS);
      const [x] = place(row);
      const base = Number((row.dataset.base ??= String(place(row)[1] - n * ROW)));
      row.setAttribute("transform", `translate(${x} ${base + (n - top) * ROW})`);
    });
    const rest = rows.parentNode.querySelector(".rest");
    const below = count - top - ROWS;
    if (rest) rest.textContent = below > 0 ? `▾ ${below.toLocaleString("en")} more` : "▴ back to the first";
    return top;
  }

  wheel(event) {
    const inside = this.stage.matches(":focus-within") || document.fullscreenElement;
    const rows = event.target.closest?.(".node.list")?.querySelector(".rows");
    if (rows && rows.children.length > ROWS && !event.ctrlKey) {
      const before = this.scrolled.get(rows.parentNode.dataset.id) ?? 0;
      const to = this.scrollTo(rows, before + Math.sign(event.deltaY) * 2);
      if (to !== before) event.preventDefault();
      return;
    }
    // The wheel scrolls the page until the graph was clicked into; pinching always zooms.
    if (!this.picture || (!inside && !event.ctrlKey)) return;
    event.preventDefault();
    const box = this.stage.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 500), { x: event.clientX - box.left, y: event.clientY - box.top });
  }

  // -- what the user does -------------------------------------------------------------------------

  grab(event) {
    this.stage.focus({ preventScroll: true });
    if (!this.picture || event.button) return;
    const { fingers } = this;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size > 1) return;
    const pressed = event.target;
    this.dragged = false;
    const move = (now) => this.drag(now);
    const up = (now) => {
      if (!fingers.delete(now.pointerId) || fingers.size) return;
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", up);
      if (this.dragged) this.leaveAlone();
      else if (now.type === "pointerup" && !pressed.isConnected) this.click(pressed); // newer data took its place: no click comes
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
  }

  /** One finger, or the mouse, moves the scene; two move it and pull it larger. */
  drag({ pointerId, clientX: x, clientY: y }) {
    const was = this.fingers.get(pointerId);
    if (!was || (!this.dragged && Math.hypot(x - was.x, y - was.y) < 4)) return;
    this.dragged = true;
    this.tip.hidden = true;
    this.fingers.set(pointerId, { x, y });
    const { size } = this.fingers;
    this.look({ ...this.view, x: this.view.x + (x - was.x) / size, y: this.view.y + (y - was.y) / size });
    if (size === 1) return;
    const [, other] = [...this.fingers].find(([id]) => id !== pointerId);
    const box = this.stage.getBoundingClientRect();
    const by = Math.hypot(x - other.x, y - other.y) / Math.max(1, Math.hypot(was.x - other.x, was.y - other.y));
    this.zoom(by, { x: (x + other.x) / 2 - box.left, y: (y + other.y) / 2 - box.top });
  }

  click(target) {
    if (this.dragged) return;
    const fold = target.closest(".fold");
    if (fold) {
      this.report(`fold:${fold.dataset.fold}`);
      return;
    }
    const rest = target.closest(".rest, .head");
    if (rest) {
      const rows = rest.parentNode.querySelector(".rows");
      const at = this.scrolled.get(rows.parentNode.dataset.id) ?? 0;
      this.scrollTo(rows, at + ROWS >= rows.children.length ? 0 : at + ROWS);
      return;
    }
    this.pick(target.closest("[data-id]")?.dataset.id ?? "");
  }

  pick(id) {
    if (id === "" && this.selected === "") return;
    this.selected = id;
    this.restyle();
    this.report(id);
  }

  explain(event) {
    const part = event.target.closest?.("[data-title]");
    if (!part || this.dragged === true && event.buttons) {
      this.tip.hidden = true;
      return;
    }
    if (part !== this.explained) {
      this.explained = part;
      const [first, ...rest] = part.dataset.title.split("\n");
      const name = make("strong");
      name.textContent = first;
      const about = make("span");
      about.textContent = rest.join("\n");
      this.tip.replaceChildren(name, about);
      for (const other of this.picture.querySelectorAll(".shown")) other.classList.remove("shown");
      if (part.dataset.edges) {
        const mine = new Set(part.dataset.edges.split(" "));
        for (const other of this.picture.querySelectorAll(".name")) {
          if (other.dataset.edges.split(" ").some((edge) => mine.has(edge))) other.classList.add("shown");
        }
      }
    }
    this.tip.hidden = false;
    const box = this.root.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const left = Math.min(x + 14, this.root.clientWidth - this.tip.offsetWidth - 8);
    const fits = y + 16 + this.tip.offsetHeight < this.root.clientHeight;
    this.tip.style.left = `${Math.max(8, left)}px`;
    this.tip.style.top = `${fits ? y + 16 : Math.max(4, y - this.tip.offsetHeight - 14)}px`;
  }

  find(text) {
    const before = this.query;
    this.query = text.trim().toLocaleLowerCase();
    if (this.query && !before) this.seenBefore = { following: this.following, view: this.view };
    this.restyle();
    this.found.textContent = this.query ? `${this.matches.length} found` : "";
    this.turn = 0;
    if (before && !this.query) {
      if (this.seenBefore.following) this.fit(true);
      else this.look((this.run.viewport = this.seenBefore.view), true);
    }
  }

  nextFound() {
    if (!this.matches.length) return;
    this.centre(this.matches[this.turn % this.matches.length]);
    this.turn += 1;
  }

  toggleNames() {
    this.run.named = !this.run.named;
    this.names.setAttribute("aria-pressed", String(this.run.named));
    this.restyle();
  }

  toggleList() {
    this.list.hidden = !this.list.hidden;
    this.asList.setAttribute("aria-pressed", String(!this.list.hidden));
  }

  key(event) {
    const actions = {
      "+": () => this.zoom(1.3),
      "=": () => this.zoom(1.3),
      "-": () => this.zoom(1 / 1.3),
      0: () => this.fit(true),
      ArrowLeft: () => this.pan(60, 0),
      ArrowRight: () => this.pan(-60, 0),
      ArrowUp: () => this.pan(0, 60),
      ArrowDown: () => this.pan(0, -60),
    };
    if (!this.picture || event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  /** The whole picture with its style, as a file. */
  file() {
    const picture = parsed(this.text);
    const { x, y, w, h } = this.extent;
    picture.setAttribute("xmlns", SPACE);
    picture.setAttribute("width", w);
    picture.setAttribute("height", h);
    picture.classList.toggle("dark", this.dark);
    const style = document.createElementNS(SPACE, "style");
    style.textContent = look;
    const back = document.createElementNS(SPACE, "rect");
    for (const [name, value] of Object.entries({ class: "back", x, y, width: w, height: h })) back.setAttribute(name, value);
    picture.prepend(style, back);
    return new XMLSerializer().serializeToString(picture);
  }

  svgFile() {
    if (this.text) this.save(new Blob([this.file()], { type: "image/svg+xml" }), "graph.svg");
  }

  /** Twice as fine as on the page. */
  png() {
    if (!this.text) return;
    const image = new Image();
    const source = URL.createObjectURL(new Blob([this.file()], { type: "image/svg+xml" }));
    image.onload = () => {
      const canvas = make("canvas");
      canvas.width = Math.ceil(this.extent.w * 2);
      canvas.height = Math.ceil(this.extent.h * 2);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(source);
      canvas.toBlob((blob) => this.save(blob, "graph.png"));
    };
    image.src = source;
  }

  save(blob, name) {
    const link = make("a", "", { download: name });
    link.href = URL.createObjectURL(blob);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    this.keep.open = false;
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }
}

/** Draws one component's data; called again whenever data or theme change. */
export default function (component, [, graph]) {
  look = graph;
  const root = component.parentElement.querySelector(".graph");
  let pane = panes.get(root);
  if (!pane) {
    pane = new Pane(root);
    panes.set(root, pane);
    root.pane = pane; // for tests
  }
  const turn = (pane.turns = (pane.turns ?? 0) + 1);
  pane.update(component);
  // Streamlit also cleans up after a call that a newer one overtook while it waited: the pane
  // belongs to the newer one then, and goes only when its element has left the page.
  return () =>
    setTimeout(() => {
      if (pane.turns !== turn || root.isConnected) return;
      pane.destroy();
      panes.delete(root);
    }, 1000);
}

// A citation in an answer is a link to the button of its fact, which lights it up in the graph.
if (!globalThis.kgqaCites) {
  globalThis.kgqaCites = true;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="#cite-"]');
    if (!link) return;
    event.preventDefault();
    const row = document.querySelector(`.st-key-${CSS.escape(link.hash.slice(1))}`);
    row?.scrollIntoView({ block: "nearest" });
    row?.querySelector("button")?.click();
  });
}
