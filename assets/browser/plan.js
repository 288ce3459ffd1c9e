// A plan as it fills in: what Python says of it as cards, and the lines between them. Text of cards
// comes from graphs and models: it reaches the page as `textContent` only.

const SPACE = "http://www.w3.org/2000/svg";
const SIGNS = {
  kept: "✓", replaced: "✗", dropped: "–", taken: "!",
  satisfied: "✓", violated: "✗", open: "?",
};
const watched = new WeakMap(); // root element → what redraws its lines

function make(tag, name, text, ...parts) {
  const element = document.createElement(tag);
  element.className = name;
  if (text) element.textContent = text;
  element.append(...parts.filter(Boolean));
  return element;
}

const maybe = (name, text) => text && make("div", name, text);
const line = (name, ...parts) => make("div", name, "", ...parts);

function values(card) {
  if (!card.values.length) return maybe("why", card.why);
  const chips = card.values.map((value) => make("span", "chip", value));
  return line("chips", ...chips, card.more && make("span", "more", `+ ${card.more}`));
}

/** What was believed or demanded, the sign of what became of it, and the facts that decided. */
function verdict(state, parts, facts) {
  const sign = make("span", "sign", SIGNS[state] ?? "?");
  const proof = facts.map((fact) => make("div", "fact", fact));
  return line(`verdict ${state}`, sign, line("said", line("words", ...parts), ...proof));
}

const belief = (one) =>
  verdict(
    one.outcome,
    [
      make("span", "dim", "believed "),
      make("span", "value", one.text),
      one.now && make("span", "now", ` → ${one.now}`),
      one.note && make("span", "dim", ` — ${one.note}`),
    ],
    one.facts,
  );

const premise = (one) =>
  verdict(one.state, [make("span", "", one.text), make("span", "dim", one.why && ` ${one.why}`)], one.facts);

function step(card) {
  const head = line(
    "head",
    make("span", "number", card.number),
    make("span", "title", card.title),
    card.mended && make("span", "tag", "repaired"),
    card.answer && card.state === "done" && make("span", "star", "★"),
  );
  const more = card.believed && make("div", "dim", card.believed);
  return [head, maybe("dim", card.said), maybe("dim", card.apart), values(card), ...card.beliefs.map(belief), more];
}

function rule(card) {
  const head = line("head", make("span", "number", "§"), make("span", "title", card.title));
  const said = card.verdict && line("told", make("span", "chip", card.verdict));
  return [head, ...card.premises.map(premise), maybe("dim", card.guess), said];
}

const INSIDE = { start: (card) => [make("span", "title", card.title)], step, rule, end: (card) => [
  make("span", "title", card.title), maybe("dim", card.why),
] };

function filled(element, card) {
  const marks = [card.state, card.mended && "mended", card.answer && "answer", card.aside && "aside"];
  element.className = ["card", card.kind, ...marks].filter(Boolean).join(" ");
  element.replaceChildren(...INSIDE[card.kind](card).filter(Boolean));
}

/** Puts things where they belong; what stands there stays, so that its colours change gently. */
function placed(parent, children) {
  const same = parent.childNodes.length === children.length && children.every((c, n) => parent.childNodes[n] === c);
  if (!same) parent.replaceChildren(...children);
}

function lines(root) {
  const plan = root.querySelector(".cards");
  const picture = root.querySelector("svg");
  if (!plan || !picture) return;
  const here = root.getBoundingClientRect();
  const rows = [...plan.children];
  const cards = new Map([...plan.querySelectorAll(".card")].map((card) => [card.dataset.id, card]));
  picture.setAttribute("width", here.width);
  picture.setAttribute("height", here.height);
  const drawn = [];
  root.classList.toggle("around", [...cards.values()].some((card) => JSON.parse(card.dataset.needs).some(
    (need) => cards.has(need) && rows.indexOf(card.parentElement) - rows.indexOf(cards.get(need).parentElement) > 1,
  )));
  for (const card of cards.values()) {
    const to = card.getBoundingClientRect();
    for (const need of JSON.parse(card.dataset.needs)) {
      const source = cards.get(need);
      if (!source) continue;
      const from = source.getBoundingClientRect();
      const far = rows.indexOf(card.parentElement) - rows.indexOf(source.parentElement) > 1 || from.bottom >= to.top;
      const [x, y] = [from.left + Math.min(from.width / 2, 42) - here.left, from.bottom - here.top];
      const within = Math.max(to.left + 24, Math.min(to.right - 24, x + here.left)) - here.left;
      const [u, v] = [within, to.top - here.top];
      const left = Math.min(from.left, to.left) - here.left;
      const [a, b] = [from.top + from.height / 2 - here.top, to.top + Math.min(22, to.height / 2) - here.top];
      const way = far
        ? `M${from.left - here.left} ${a}H${left - 6}Q${left - 13} ${a} ${left - 13} ${a + 7}V${b - 7}Q${left - 13} ${b} ${left - 6} ${b}H${to.left - here.left - 6}`
        : `M${x} ${y}C${x} ${(y + v) / 2} ${u} ${(y + v) / 2} ${u} ${v - 6}`;
      const path = document.createElementNS(SPACE, "path");
      path.setAttribute("d", way);
      path.setAttribute("class", `line ${card.classList.contains("planned") ? "planned" : ""}`);
      const tip = document.createElementNS(SPACE, "path");
      const [p, q] = far ? [to.left - here.left, b] : [u, v];
      tip.setAttribute("d", far ? `M${p} ${q}l-7 -4v8z` : `M${p} ${q}l-4 -7h8z`);
      tip.setAttribute("class", "tip");
      drawn.push(path, tip);
    }
  }
  picture.replaceChildren(...drawn);
}

export default function ({ data: [data], parentElement }) {
  const root = parentElement.querySelector(".plan");
  if (!watched.has(root)) {
    const picture = document.createElementNS(SPACE, "svg");
    picture.setAttribute("aria-hidden", "true");
    root.replaceChildren(picture, make("div", "cards"), make("div", "calls"));
    const watch = new ResizeObserver(() => lines(root));
    watch.observe(root);
    watched.set(root, watch);
  }
  const [, plan, calls] = root.children;
  const known = new Map([...plan.querySelectorAll(".card")].map((card) => [card.dataset.id, card]));
  const rows = data.rows.map((row, n) => {
    const cards = row.map((card) => {
      const element = known.get(card.id) ?? make("div", "");
      element.dataset.id = card.id;
      element.dataset.needs = JSON.stringify(card.needs);
      filled(element, card);
      return element;
    });
    const element = plan.children[n] ?? make("div", "row");
    placed(element, cards);
    return element;
  });
  placed(plan, rows);
  calls.replaceChildren(
    make("span", data.calls ? "pill made" : "pill none", data.made),
    ...(data.spared.length ? [make("span", "", "not needed for")] : []),
    ...data.spared.map((one) => make("span", "pill", one)),
  );
  requestAnimationFrame(() => lines(root));
}
