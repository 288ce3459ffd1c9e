// The live graph: draws full snapshots, changing in place only what differs from the last one.
//
// `vis` (vis-network) stands in front of this file when the component is put together. vis only
// draws and reports the pointer; its physics is off. Positions come from `place` below, which is
// deterministic and moves nothing that already has a place. Labels are untrusted: they reach the
// page through the canvas and `textContent` only.

/* global vis */

// Positions and viewport by run: this module outlives page switches, the component does not.
const memory = new Map();
const MOST_RUNS = 60;
const panes = new WeakMap(); // root element → Pane
const sharing = new Map(); // name of shared positions → the panes that show them
let mounts = 0;

const LABELS_UP_TO = 60; // edges; beyond that relation names are off until asked for
const MOTION_MS = 450;
const NO_LABEL = " "; // vis keeps the last one instead of an empty or undefined one

function remember(name) {
  let run = memory.get(name);
  if (!run) {
    run = { positions: new Map(), pinned: new Set(), viewport: null, pruned: true, labels: null, legend: null };
    memory.set(name, run);
    if (memory.size > MOST_RUNS) memory.delete(memory.keys().next().value);
  }
  return run;
}

// -- colours and shapes ---------------------------------------------------------------------
// States differ by shape, size, fill or dash as well as by colour; the hues are told apart by
// people with any of the common colour deficiencies (after Okabe and Ito).

const LIGHT = {
  anchor: "#0b5cad", answer: "#00795a", path: "#2478b8", pathFill: "#cfe6f8", frontier: "#5d6c80",
  candidate: "#5d6c80", pruned: "#939da9", prunedText: "#68727e", dead_end: "#c2410c",
  proposed: "#a23b86", axiom: "#6d4fb0", computed: "#8a6400", answerFill: "#d6f2e8",
};
const DARK = {
  anchor: "#6cb4ff", answer: "#2fc79b", path: "#7cbcf2", pathFill: "#1f4465", frontier: "#a3b2c4",
  candidate: "#a3b2c4", pruned: "#697684", prunedText: "#94a0ad", dead_end: "#ff9160",
  proposed: "#e79bd2", axiom: "#bda6f2", computed: "#e2bf4d", answerFill: "#0f3f33",
};

const NODE_WORDS = {
  anchor: "anchor", answer: "answer", path: "chosen", frontier: "retrieved",
  candidate: "candidate", pruned: "pruned", dead_end: "dead end",
};
const EDGE_WORDS = {
  cited: "cited", path: "chosen path",
  proposed: "proposed by the model", corrected: "corrected", axiom: "axiom", computed: "computed",
};
const SHAPES = {
  anchor: ["diamond", 17], answer: ["star", 17], path: ["dot", 10], frontier: ["dot", 8],
  candidate: ["triangle", 8], pruned: ["dot", 5], dead_end: ["square", 9],
};

// From afar the labels that matter are enlarged, and those that do not are left out.
const ENLARGED = [1, 1.2, 1.5];
const farness = (scale) => (scale < 0.5 ? 2 : scale < 0.78 ? 1 : 0);

function themeOf(element) {
  const css = getComputedStyle(element);
  const read = (name, fallback) => {
    const value = css.getPropertyValue(name).trim();
    return value && value !== "unset" ? value : fallback;
  };
  const back = read("--st-background-color", "#ffffff");
  return {
    ...(luminance(back) < 0.4 ? DARK : LIGHT),
    back,
    text: read("--st-text-color", "#1b2430"),
    font: read("--st-font", "sans-serif"),
  };
}

function luminance(colour) {
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = colour; // the canvas turns any CSS colour into #rrggbb or rgba()
  const hex = /^#(..)(..)(..)$/.exec(probe.fillStyle);
  if (!hex) return 1;
  const [r, g, b] = hex.slice(1).map((part) => parseInt(part, 16) / 255);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function faded(colour, alpha) {
  const hex = /^#(..)(..)(..)$/.exec(colour);
  return hex ? `rgba(${hex.slice(1).map((p) => parseInt(p, 16)).join(",")},${alpha})` : colour;
}

/** A label on at most two lines of similar length. */
function wrapped(text) {
  if (text.length <= 16 || !text.includes(" ")) return text;
  let best = -1;
  for (let i = text.indexOf(" "); i >= 0; i = text.indexOf(" ", i + 1)) {
    if (best < 0 || Math.abs(i - text.length / 2) < Math.abs(best - text.length / 2)) best = i;
  }
  return `${text.slice(0, best)}\n${text.slice(best + 1)}`;
}

function nodeColour(node, theme) {
  if (node.kind === "axiom") return theme.axiom;
  if (node.kind === "computed" && node.state !== "answer") return theme.computed;
  if (node.provenance === "corrected") return theme.dead_end;
  if (node.provenance === "proposed") return theme.proposed;
  return theme[node.state];
}

function nodeStyle(node, theme, look) {
  const colour = nodeColour(node, theme);
  const boxed = node.kind && node.kind !== "entity";
  const [shape, size] = boxed ? ["box", 0] : SHAPES[node.state];
  const strong = node.anchor || node.state === "anchor" || node.state === "answer";
  const muted = node.state === "pruned" || node.kind === "more";
  const solid = strong || node.state === "dead_end";
  let fill = theme.back;
  if (node.state === "path") fill = theme.pathFill;
  if (boxed && node.state === "answer") fill = theme.answerFill;
  if (boxed && node.kind === "axiom") fill = theme.back;
  if (!boxed && solid) fill = node.state === "dead_end" ? theme.back : colour;
  const dashed = node.kind === "more" || node.state === "pruned" || node.provenance === "proposed";
  const text = muted ? theme.prunedText : theme.text;
  return {
    label: muted && look.far > 1 && !look.lit && !look.selected ? NO_LABEL : wrapped(node.label),
    shape,
    size: node.anchor && node.state !== "anchor" ? Math.max(size, 15) : size,
    borderWidth: look.selected ? 4 : strong || node.state === "dead_end" ? 2.5 : 1.5,
    color: {
      border: look.selected ? theme.text : node.anchor ? theme.anchor : colour,
      background: fill,
    },
    font: {
      color: look.dim ? faded(text, 0.35) : text,
      size: (strong ? 16 : muted ? 11 : 13) * (keeps(node) ? ENLARGED[look.far] : 1),
      face: theme.font,
      strokeWidth: boxed ? 0 : 4,
      strokeColor: theme.back,
      vadjust: boxed ? 0 : -2,
    },
    margin: { top: 4, bottom: 4, left: 7, right: 7 },
    shapeProperties: { borderDashes: dashed ? [4, 3] : false, borderRadius: boxed ? 4 : 0 },
    opacity: look.dim ? 0.25 : 1,
    shadow: look.lit
      ? { enabled: true, color: faded(theme.anchor, 0.9), size: 22, x: 0, y: 0 }
      : { enabled: false },
    hidden: look.hidden,
  };
}

const DASHES = {
  pruned: [3, 5], proposed: [10, 5], axiom: [2, 4], computed: [12, 4, 2, 4],
};

function edgeColour(edge, theme) {
  if (edge.provenance === "corrected") return theme.dead_end;
  if (edge.provenance) return theme[edge.provenance];
  return edge.state === "cited" ? theme.answer : theme[edge.state];
}

function edgeStyle(edge, theme, look) {
  const width = { cited: 3.5, path: 2.5, frontier: 1.2, pruned: 1 }[edge.state];
  const colour = edgeColour(edge, theme);
  const dashes = DASHES[edge.provenance] ?? (edge.provenance ? false : DASHES[edge.state]) ?? false;
  const text = edge.state === "pruned" ? theme.prunedText : theme.text;
  const bend = edge.bend ?? 0;
  return {
    label: look.label ? edge.label : NO_LABEL,
    width: (edge.provenance ? Math.max(width, 1.8) : width) + (look.lit || look.selected ? 2.5 : 0),
    dashes,
    color: { color: colour, opacity: look.dim ? 0.12 : 1, inherit: false },
    arrows: { to: { enabled: Boolean(edge.key), scaleFactor: 0.55 } },
    font: {
      color: look.dim ? faded(text, 0.15) : text,
      size: 11 * (edge.state === "pruned" ? 1 : ENLARGED[look.far ?? 0]),
      face: theme.font,
      strokeWidth: 4,
      strokeColor: theme.back,
      align: "middle",
    },
    smooth: bend
      ? { enabled: true, type: bend > 0 ? "curvedCW" : "curvedCCW", roundness: Math.abs(bend) }
      : { enabled: false },
    shadow: look.lit
      ? { enabled: true, color: faded(theme.anchor, 0.9), size: 12, x: 0, y: 0 }
      : { enabled: false },
    hidden: look.hidden,
  };
}

// -- layout -----------------------------------------------------------------------------------

/** Whether the walk goes on with a node. */
const keeps = (node) =>
  node.anchor || ["anchor", "answer", "path", "dead_end"].includes(node.state);

const pen = document.createElement("canvas").getContext("2d");

/** The room a node takes around its centre, label included. */
function boxOf(node, font) {
  const larger = keeps(node) ? ENLARGED[1] : 1;
  const boxed = node.kind && node.kind !== "entity";
  const [, size] = SHAPES[node.state] ?? ["dot", 8];
  const strong = node.anchor || node.state === "anchor" || node.state === "answer";
  const text = (strong ? 16 : node.state === "pruned" ? 11 : 13) * larger;
  pen.font = `${text}px ${font}`;
  const lines = wrapped(node.label).split("\n");
  const width = Math.max(...lines.map((line) => pen.measureText(line).width));
  const tall = lines.length * text * 1.2;
  if (boxed) return { half: width / 2 + 10, up: tall / 2 + 7, down: tall / 2 + 7 };
  return { half: Math.max(size, width / 2) + 4, up: size + 4, down: size + tall + 6 };
}

const TURN = 2 * Math.PI;
const WIDE = 1.25; // panes and labels are wider than tall, and so are the fans

/**
 * Places the nodes that have no place yet: each in a fan around its parent, on the side that is
 * free; then pushes the new ones apart until no labels overlap. What has a place keeps it, with
 * one exception: a node whose neighbours come into view steps out of the crowd around its own
 * parent, sideways, so that a walk reads as a line. `pinned`: nodes the user has put somewhere.
 */
function place(nodes, edges, known, pinned, font) {
  const at = new Map();
  for (const node of nodes) if (known.has(node.id)) at.set(node.id, known.get(node.id));
  const fresh = nodes.filter((node) => !at.has(node.id));
  if (!fresh.length) return at;

  const byId = new Map(nodes.map((node) => [node.id, node]));
  const boxes = new Map(nodes.map((node) => [node.id, boxOf(node, font)]));
  const children = new Map();
  for (const node of nodes) {
    if (!byId.has(node.parent)) continue;
    if (!children.has(node.parent)) children.set(node.parent, []);
    children.get(node.parent).push(node.id);
  }
  const lengths = new Map(); // child → the length its relation's name needs
  pen.font = `11px ${font}`;
  for (const edge of edges) {
    const child = byId.get(edge.target)?.parent === edge.source ? edge.target : edge.source;
    lengths.set(child, Math.min(160, pen.measureText(edge.label ?? "").width + 56));
  }
  const kidsOf = (id) => children.get(id) ?? [];
  const heavy = (id) => kidsOf(id).length > 3;
  // The radius of a node's own fan.
  const spread = (id) => (kidsOf(id).length ? Math.max(100, (kidsOf(id).length * 40) / 3.4) : 0);

  const fan = (id) => {
    const kids = kidsOf(id).filter((kid) => !at.has(kid));
    if (!kids.length) return;
    const centre = at.get(id);
    const parent = at.get(byId.get(id).parent);
    const away = parent ? Math.atan2(centre.y - parent.y, centre.x - parent.x) : 0;
    if (kids.length < 4 || kidsOf(id).length > kids.length) {
      for (const kid of kids) at.set(kid, freeSpot(kid, id, away, lengths.get(kid), at, boxes));
      return;
    }
    const arcs = freeArcs(id, centre, parent, at, boxes);
    const total = arcs.reduce((sum, arc) => sum + arc.size, 0);
    const stagger = kids.length > 9;
    const least = (kids.length * (stagger ? 40 : 56)) / total;
    const angles = arcs.flatMap((arc, n) => {
      const before = arcs.slice(0, n).reduce((sum, one) => sum + one.size, 0);
      const share = (size) => Math.round((size / total) * kids.length);
      const count = share(before + arc.size) - share(before);
      const step = arc.size / count;
      return Array.from({ length: count }, (_, i) => arc.from + step * (i + 0.5));
    });
    const slots = angles.map((angle, i) => ({ angle, outer: stagger && i % 2 === 1 }));
    const put = (kid, slot) => {
      let radius = Math.max(least, lengths.get(kid) ?? 100, 112);
      if (slot.outer) radius *= 1.28;
      if (heavy(kid)) radius += spread(kid) * 0.65;
      else if (kidsOf(kid).length) radius += 35;
      at.set(kid, {
        x: centre.x + WIDE * radius * Math.cos(slot.angle),
        y: centre.y + radius * Math.sin(slot.angle),
      });
      slots.splice(slots.indexOf(slot), 1);
    };
    // Those with fans of their own first: straight on (from a root: to the right), then far apart.
    const used = [];
    for (const kid of kids.filter(heavy)) {
      const merit = ({ angle }) =>
        used.length ? Math.min(...used.map((one) => turn(angle, one))) : -turn(angle, away);
      const best = slots.reduce((one, other) => (merit(other) > merit(one) ? other : one));
      used.push(best.angle);
      put(kid, best);
    }
    // Then those the walk went on from, in its direction; what was left goes to the sides.
    const rank = (kid) => (kidsOf(kid).length ? 2 : 0) + (keeps(byId.get(kid)) ? 1 : 0);
    slots.sort((a, b) => turn(a.angle, away) - turn(b.angle, away));
    const rest = kids.filter((kid) => !at.has(kid)).sort((a, b) => rank(b) - rank(a));
    for (const kid of rest) put(kid, slots[0]);
  };

  /** Moves a node to the side of its parent's fan; false when it stays where it is. */
  const stepOut = (id) => {
    const parent = at.get(byId.get(id).parent);
    if (!parent || pinned.has(id) || !heavy(id) || kidsOf(id).some((kid) => at.has(kid))) return;
    const here = at.get(id);
    const others = [...at.keys()].filter((other) => other !== id);
    const all = extent(others, at, boxes);
    const around = kidsOf(byId.get(id).parent).filter((kid) => kid !== id && at.has(kid));
    const near = extent([byId.get(id).parent, ...around], at, boxes);
    const reach = spread(id) * WIDE + 30;
    // Right of its siblings, else left of them: whichever is free; else it stays.
    const sides = [near.right + reach * 0.4, near.left - reach * 0.4];
    for (const x of here.x < parent.x - 200 ? sides.reverse() : sides) {
      const right = x > parent.x;
      const crowd = others.filter((other) => {
        const { x: ox, y: oy } = at.get(other);
        const beyond = right ? ox > near.right + 10 : ox < near.left - 10;
        return beyond && Math.abs(ox - x) < reach && Math.abs(oy - parent.y) < reach;
      });
      if (crowd.length < 3) {
        const y = parent.y + Math.max(-60, Math.min(60, here.y - parent.y));
        at.set(id, { x, y });
        return;
      }
    }
    const below = here.y > parent.y ? all.bottom + reach * 0.6 : all.top - reach * 0.6;
    if (others.length > 8) at.set(id, { x: here.x, y: below });
  };

  const descend = (roots) => {
    const queue = [...roots];
    while (queue.length) {
      const id = queue.shift();
      if (known.has(id)) stepOut(id);
      fan(id);
      queue.push(...kidsOf(id));
    }
  };
  descend(nodes.filter((node) => at.has(node.id)).map((node) => node.id));
  const roots = fresh.filter((node) => !at.has(node.id) && !byId.has(node.parent));
  roots.sort((a, b) => Boolean(b.anchor) - Boolean(a.anchor));
  for (const root of roots) {
    at.set(root.id, rootPlace(root, at, boxes, spread(root.id)));
    descend([root.id]);
  }
  separate(fresh, nodes, at, boxes, byId, lengths);
  // vis cuts positions to whole numbers when a node is updated
  for (const [id, { x, y }] of at) at.set(id, { x: Math.round(x), y: Math.round(y) });
  return at;
}

/** The angle between two directions, 0 to π. */
function turn(a, b) {
  const difference = Math.abs(a - b) % TURN;
  return Math.min(difference, TURN - difference);
}

/** The spot near a parent where a node covers least, and its edge crosses no node. */
function freeSpot(id, parentId, away, length, at, boxes) {
  const centre = at.get(parentId);
  const box = boxes.get(id);
  const base = Math.max(90, length ?? 100);
  let best = null;
  for (const reach of [1, 1.3, 1.7, 2.3, 3]) {
    for (let n = 0; n < 36; n += 1) {
      const angle = away + (n % 2 ? 1 : -1) * Math.ceil(n / 2) * (TURN / 36);
      const x = centre.x + WIDE * base * reach * Math.cos(angle);
      const y = centre.y + base * reach * Math.sin(angle);
      let cost = (reach - 1) * 60 + turn(angle, away) * 14;
      for (const [other, point] of at) {
        if (other === parentId) continue;
        const its = boxes.get(other);
        const overX = box.half + its.half + 8 - Math.abs(x - point.x);
        const overY = Math.min(y + box.down, point.y + its.down) - Math.max(y - box.up, point.y - its.up);
        if (overX > 0 && overY > -6) cost += 200 + overX + overY;
        else if (onTheWay(centre, { x, y }, point, its)) cost += 45;
      }
      if (!best || cost < best.cost) best = { x, y, cost };
    }
    if (best.cost < (reach - 1) * 60 + 40) break; // further out is no better
  }
  return { x: best.x, y: best.y };
}

/** Whether a line from a to b runs over a node. */
function onTheWay(a, b, point, box) {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const along = ((point.x - a.x) * dx + (point.y - a.y) * dy) / (dx * dx + dy * dy || 1);
  if (along <= 0 || along >= 1) return false;
  const offX = Math.abs(a.x + along * dx - point.x);
  const offY = a.y + along * dy - point.y;
  return offX < box.half && offY > -box.up && offY < box.down;
}

/** Where a further tree starts: beside what is drawn, or below when that is wide already. */
function rootPlace(root, at, boxes, radius) {
  if (!at.size) return { x: 0, y: 0 };
  if (!radius && !root.anchor) {
    return freeSpot(root.id, at.keys().next().value, Math.PI / 2, 90, at, boxes);
  }
  const all = extent(at.keys(), at, boxes);
  const wide = all.right - all.left > 1.9 * (all.bottom - all.top + 200);
  const gap = radius ? radius * 1.3 + 60 : 130;
  return wide
    ? { x: (all.left + all.right) / 2, y: all.bottom + gap * 0.8 }
    : { x: all.right + gap * WIDE, y: (all.top + all.bottom) / 2 };
}

function extent(ids, at, boxes) {
  const all = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const id of ids) {
    const point = at.get(id);
    const box = boxes.get(id);
    if (!point || !box) continue;
    all.left = Math.min(all.left, point.x - box.half);
    all.right = Math.max(all.right, point.x + box.half);
    all.top = Math.min(all.top, point.y - box.up);
    all.bottom = Math.max(all.bottom, point.y + box.down);
  }
  return all;
}

/** The directions around a node in which nothing stands, widest first; never none. */
function freeArcs(id, centre, parent, at, boxes) {
  const taken = [];
  const block = (angle, half) => taken.push([angle - half, angle + half]);
  const back = parent && Math.atan2(parent.y - centre.y, parent.x - centre.x);
  if (parent) block(back, 1.15);
  for (const [other, point] of at) {
    if (other === id || point === parent) continue;
    const dx = point.x - centre.x;
    const dy = point.y - centre.y;
    const distance = Math.hypot(dx, dy);
    if (distance < 250 && distance > 1) {
      block(Math.atan2(dy, dx), Math.min(0.7, (boxes.get(other)?.half ?? 40) / distance));
    }
  }
  // All around from the left, but for the room of its own label: the middle points to the right.
  if (!taken.length) return [{ from: Math.PI / 2 + 0.35 - TURN, size: TURN - 0.7 }];
  const cuts = taken
    .map(([from, to]) => {
      const start = ((from % TURN) + TURN) % TURN;
      return [start, start + Math.min(to - from, TURN)];
    })
    .sort((a, b) => a[0] - b[0]);
  const free = [];
  let reach = cuts[0][0];
  const first = reach;
  for (const [from, to] of [...cuts, [first + TURN, first + TURN]]) {
    if (from > reach) free.push({ from: reach, size: from - reach });
    reach = Math.max(reach, to);
  }
  const roomy = free.filter((arc) => arc.size > 0.45).sort((a, b) => b.size - a.size).slice(0, 3);
  if (roomy.length) return roomy;
  // Crowded all around: away from the parent, and further out (the radius follows from the arc).
  return [{ from: (back ?? 0) + Math.PI - 0.9, size: 1.8 }];
}

/** Pushes new nodes apart, along the shorter way, and keeps them near their parents. */
function separate(fresh, nodes, at, boxes, byId, lengths) {
  const movable = new Set(fresh.map((node) => node.id));
  const ids = nodes.map((node) => node.id);
  for (const id of movable) at.set(id, { ...at.get(id) });
  const rounds = fresh.length > 150 ? 60 : 140;
  for (let round = 0; round < rounds; round += 1) {
    let moved = false;
    for (const id of movable) {
      const a = at.get(id);
      const boxA = boxes.get(id);
      for (const other of ids) {
        if (other === id) continue;
        const b = at.get(other);
        const boxB = boxes.get(other);
        const overX = boxA.half + boxB.half + 14 - Math.abs(a.x - b.x);
        if (overX <= 0) continue;
        const middleA = a.y + (boxA.down - boxA.up) / 2;
        const middleB = b.y + (boxB.down - boxB.up) / 2;
        const overY = (boxA.up + boxA.down + boxB.up + boxB.down) / 2 + 10 - Math.abs(middleA - middleB);
        if (overY <= 0) continue;
        moved = true;
        const both = movable.has(other);
        const share = both ? 0.5 : 1;
        if (overX < overY) {
          const push = (a.x > b.x || (a.x === b.x && id > other) ? 1 : -1) * overX * share;
          a.x += push;
          if (both) b.x -= push;
        } else {
          const push = (middleA > middleB || (middleA === middleB && id > other) ? 1 : -1) * overY * share;
          a.y += push;
          if (both) b.y -= push;
        }
      }
      const parent = at.get(byId.get(id).parent);
      const ideal = lengths.get(id) ?? 120;
      if (parent && round < rounds - 20) {
        const dx = a.x - parent.x;
        const dy = a.y - parent.y;
        const distance = Math.hypot(dx, dy) || 1;
        const pull = distance < ideal * 0.75 ? (ideal * 0.75 - distance) / distance : 0;
        a.x += dx * pull * 0.3;
        a.y += dy * pull * 0.3;
      }
    }
    if (!moved) break;
  }
}

// -- elements ---------------------------------------------------------------------------------

function make(tag, className, attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

function svg(size, draw) {
  const space = "http://www.w3.org/2000/svg";
  const root = document.createElementNS(space, "svg");
  root.setAttribute("viewBox", size);
  root.setAttribute("aria-hidden", "true");
  for (const [tag, attributes] of draw) {
    const part = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    root.append(part);
  }
  return root;
}

const ICONS = {
  in: "M12 5v14M5 12h14",
  out: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  arrange: "M12 9v-6M12 21v-6M9 12h-6M21 12h-6M9 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  png: "M12 4v11M7 11l5 5 5-5M5 20h14",
  full: "M14 4h6v6M20 4l-7 7M10 20H4v-6M4 20l7-7",
};

function button(name, icon, action) {
  const element = make("button", icon ? "icon" : "word", { type: "button", title: name });
  if (icon) {
    element.setAttribute("aria-label", name);
    element.append(svg("0 0 24 24", [["path", { d: ICONS[icon] }]]));
  }
  element.onclick = action;
  return element;
}

function nodeIcon(state, theme) {
  const colour = theme[state];
  const line = { stroke: colour, "stroke-width": 1.6, fill: theme.back };
  const shapes = {
    anchor: ["path", { d: "M8 1l7 7-7 7-7-7z", fill: colour }],
    answer: ["path", { d: "M8 .8l2 5h5.2l-4.2 3.300 1.600 5.200L8 11.200l-4.600 3.100L5 9.100.8 5.800H6z", fill: colour }],
    path: ["circle", { cx: 8, cy: 8, r: 5.5, ...line, fill: theme.pathFill }],
    frontier: ["circle", { cx: 8, cy: 8, r: 5, ...line }],
    candidate: ["path", { d: "M8 2l6.5 11.500h-13z", ...line }],
    pruned: ["circle", { cx: 8, cy: 8, r: 4, ...line, "stroke-dasharray": "2.500 2" }],
  };
  const cross = [
    ["rect", { x: 2, y: 2, width: 12, height: 12, ...line }],
    ["path", { d: "M4.500 4.500l7 7M11.500 4.500l-7 7", stroke: colour, "stroke-width": 1.800 }],
  ];
  return svg("0 0 16 16", state === "dead_end" ? cross : [shapes[state]]);
}

function edgeIcon(edge, theme) {
  const style = edgeStyle(edge, theme, {});
  const line = { stroke: style.color.color, "stroke-width": Math.min(style.width, 3.5) };
  if (style.dashes) line["stroke-dasharray"] = style.dashes.map((n) => n * 0.7).join(" ");
  const parts = [["path", { d: "M1 8h26", ...line }]];
  if (edge.provenance === "corrected") {
    parts.push(["path", { d: "M9 13l8-10", stroke: theme.dead_end, "stroke-width": 2 }]);
  }
  return svg("0 0 28 16", parts);
}

// -- the pane ---------------------------------------------------------------------------------

class Pane {
  constructor(root) {
    mounts += 1;
    this.root = root;
    this.view = { nodes: [], edges: [] };
    this.at = new Map();
    this.styles = new Map(); // what was last sent to vis, as text, by id
    this.selected = "";
    this.query = "";
    this.lit = new Set();
    this.far = 0; // how far away the graph is seen from
    this.build();
    this.root.dataset.mount = String(mounts);
  }

  build() {
    const { root } = this;
    root.replaceChildren();
    this.bar = make("div", "bar", { role: "toolbar", "aria-label": "Graph" });
    this.search = make("input", "search", {
      type: "search",
      placeholder: "Find a node",
      "aria-label": "Find a node in the graph",
      spellcheck: "false",
    });
    this.found = make("span", "found", { role: "status" });
    this.labels = button("Show or hide the names of relations", null, () => this.toggleLabels());
    this.labels.textContent = "Relations";
    this.pruned = button("Show or hide pruned branches", null, () => this.togglePruned());
    this.pruned.textContent = "Pruned";
    this.bar.append(
      this.search,
      this.found,
      make("span", "gap"),
      this.labels,
      this.pruned,
      button("Zoom out (−)", "out", () => this.zoom(1 / 1.3)),
      button("Zoom in (+; or the wheel, after a click into the graph)", "in", () => this.zoom(1.3)),
      button("Fit the graph into view (0)", "fit", () => this.fit(true)),
      button("Arrange the graph anew", "arrange", () => this.arrange()),
      button("Download as PNG", "png", () => this.download()),
      button("Full screen", "full", () => this.fullScreen()),
    );
    this.stage = make("div", "stage", {
      tabindex: "0",
      role: "application",
      "aria-roledescription": "graph",
    });
    this.canvas = make("div", "canvas");
    this.stage.append(this.canvas);
    this.empty = make("p", "empty");
    this.empty.textContent = "The graph appears here as the method walks it.";
    this.legend = make("details", "legend");
    this.legend.ontoggle = () => {
      if (this.run && this.legend.dataset.set) this.run.legend = this.legend.open;
      this.follow();
    };
    this.tip = make("div", "tip", { role: "tooltip", hidden: "" });
    root.append(this.bar, this.stage, this.empty, this.legend, this.tip);

    this.search.oninput = () => this.find(this.search.value);
    this.search.onkeydown = (event) => {
      if (event.key === "Enter") this.nextFound();
      if (event.key === "Escape") this.find((this.search.value = ""));
      event.stopPropagation(); // Streamlit has keyboard shortcuts of its own
    };
    this.stage.onkeydown = (event) => this.key(event);
    this.stage.onpointerdown = () => this.stage.focus({ preventScroll: true });
    // The wheel scrolls the page until the graph was clicked into; pinching always zooms.
    this.stage.addEventListener(
      "wheel",
      (event) => {
        const inside = this.stage.matches(":focus-within") || document.fullscreenElement;
        if (!inside && !event.ctrlKey) event.stopImmediatePropagation();
      },
      { capture: true },
    );
  }

  start() {
    this.nodes = new vis.DataSet();
    this.edges = new vis.DataSet();
    this.network = new vis.Network(
      this.canvas,
      { nodes: this.nodes, edges: this.edges },
      {
        physics: false,
        layout: { improvedLayout: false, randomSeed: 1 },
        interaction: {
          hover: true,
          hoverConnectedEdges: false,
          selectConnectedEdges: false,
          tooltipDelay: 0,
          zoomSpeed: 0.7,
        },
        nodes: { chosen: false },
        edges: { chosen: false, selectionWidth: 0, hoverWidth: 0 },
      },
    );
    for (const inner of this.canvas.querySelectorAll("*")) inner.removeAttribute("tabindex");
    const net = this.network;
    net.on("click", (event) => this.click(event.pointer.DOM));
    net.on("doubleClick", (event) => this.centre(net.getNodeAt(event.pointer.DOM)));
    net.on("hoverNode", (event) => this.explain(this.byId?.get(event.node), event.pointer.DOM));
    net.on("hoverEdge", (event) => this.explain(this.byId?.get(event.edge), event.pointer.DOM));
    for (const name of ["blurNode", "blurEdge", "dragStart", "zoom"]) {
      net.on(name, () => (this.tip.hidden = true));
    }
    net.on("zoom", () => {
      this.seenFrom(net.getScale());
      this.leaveAlone();
    });
    net.on("dragEnd", (event) => {
      for (const id of event.nodes) this.moved(id);
      this.leaveAlone();
    });
    net.on("resize", () => this.follow());
    net.on("afterDrawing", (ctx) => this.crossOut(ctx));
    this.drawn();
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    sharing.get(this.sharedName)?.delete(this);
    if (!sharing.get(this.sharedName)?.size) sharing.delete(this.sharedName);
    this.network?.destroy(); // off the page already: its viewport can no longer be asked for
  }

  // -- what comes from Python -----------------------------------------------------------------

  update(component) {
    const { data, setTriggerValue } = component;
    this.report = (id) => setTriggerValue("picked", id);
    this.root.style.setProperty("--height", `${data.height}px`);
    this.theme = themeOf(this.root);
    const opened = this.runId !== data.run;
    if (opened) {
      this.runId = data.run;
      this.run = remember(`run:${data.run}`);
      this.share(data.positions || data.run);
      this.following = this.run.viewport === null;
      this.nodes?.clear();
      this.edges?.clear();
      this.styles.clear();
      this.selected = "";
    }
    this.view = data.view;
    this.byId = new Map([...this.view.nodes, ...this.view.edges].map((item) => [item.id, item]));
    this.stage.setAttribute(
      "aria-label",
      `${this.view.summary} Keys: plus and minus zoom, zero fits, arrows move.`,
    );
    this.empty.hidden = this.view.nodes.length > 0;
    if (data.address && !location.search) history.replaceState(history.state, "", data.address);
    this.empty.textContent = data.empty || "The graph appears here as the method walks it.";
    this.root.classList.toggle("has-nodes", this.view.nodes.length > 0);
    if (data.selected !== this.lastSelected) {
      this.lastSelected = data.selected;
      if (data.selected !== null) this.selected = data.selected;
    }
    if (!this.network) this.start();
    const marks = (data.highlight ?? []).join(" ");
    const newly = marks !== this.marks && marks !== "";
    this.marks = marks;
    this.highlight = new Set(data.highlight ?? []);
    this.draw();
    if (opened && this.run.viewport) {
      this.seenFrom(this.run.viewport.scale);
      this.network.moveTo(this.run.viewport);
    }
    if (newly) this.bringIntoView();
  }

  // -- drawing --------------------------------------------------------------------------------

  draw({ anew = false } = {}) {
    this.finishMotion();
    const { nodes, edges } = this.view;
    const before = anew ? new Map() : this.shared;
    const inOrder = this.run.turned ? [...nodes].reverse() : nodes;
    const target = place(inOrder, edges, before, this.run.pinned, this.theme.font);
    const fresh = nodes.filter((node) => !this.styles.has(node.id)).map((node) => node.id);
    const stepped = nodes.map((node) => node.id).filter((id) => {
      const [a, b] = [this.at.get(id), target.get(id)];
      return a && (a.x !== b.x || a.y !== b.y);
    });
    const moving = [...new Set([...fresh, ...stepped])];
    const from = new Map(
      moving.map((id) => {
        const parent = this.byId.get(id).parent;
        return [id, this.at.get(id) ?? this.at.get(parent) ?? target.get(parent) ?? null];
      }),
    );
    this.at = target;
    const pushed = [...target].filter(([id, point]) => {
      const known = this.shared.get(id);
      return known && (known.x !== point.x || known.y !== point.y);
    });
    for (const [id, point] of target) this.shared.set(id, point);
    this.restyle();
    this.legendFor();
    this.animate(moving, from);
    this.follow();
    this.tell(pushed.map(([id]) => id));
  }

  // -- places shared with other panes ---------------------------------------------------------

  share(name) {
    sharing.get(this.sharedName)?.delete(this);
    this.sharedName = name;
    this.shared = remember(`positions:${name}`).positions;
    if (!sharing.has(name)) sharing.set(name, new Set());
    sharing.get(name).add(this);
  }

  /** A node that stands elsewhere now stands there in every pane. */
  tell(ids) {
    if (!ids.length) return;
    for (const pane of sharing.get(this.sharedName) ?? []) {
      if (pane !== this && pane.network && pane.root.isConnected) pane.adopt(ids);
    }
  }

  adopt(ids) {
    const mine = ids.filter((id) => this.at.has(id) && this.shared.has(id));
    if (!mine.length) return;
    this.finishMotion();
    for (const id of mine) {
      this.at.set(id, this.shared.get(id));
      this.styles.delete(id); // its place is part of what vis is sent
    }
    this.restyle();
    this.follow();
  }

  /** Sends vis what changed in style, adds what is new and removes what is gone. */
  restyle() {
    const { nodes, edges } = this.view;
    const showPruned = this.run.pruned;
    const hidden = new Set();
    for (const node of nodes) {
      const aside = node.state === "pruned" || node.state === "candidate";
      if (!showPruned && aside && node.provenance !== "corrected") hidden.add(node.id);
    }
    this.hidden = hidden;
    const isHidden = (edge) =>
      hidden.has(edge.source) ||
      hidden.has(edge.target) ||
      (!showPruned && edge.state === "pruned" && edge.provenance !== "corrected");
    const visible = edges.filter((edge) => !isHidden(edge)).length;
    const labelled = this.run.labels ?? visible <= LABELS_UP_TO;
    this.labels.setAttribute("aria-pressed", String(labelled));
    this.pruned.setAttribute("aria-pressed", String(showPruned));

    const query = this.query;
    const litEdges = new Set();
    const litNodes = new Set();
    for (const edge of edges) {
      if (edge.key && this.highlight.has(edge.key)) {
        litEdges.add(edge.id);
        litNodes.add(edge.source).add(edge.target);
      }
    }
    // What a node is called, or its id: its description may name everything around it.
    const called = (node) => node.title.split("\n", 2).map((line, n) => (n ? line.split(",")[0] : line));
    const fits = (node) => called(node).some((name) => name.toLocaleLowerCase().includes(query));
    const matches = query ? nodes.filter(fits) : [];
    for (const node of matches) litNodes.add(node.id);
    this.lit = litNodes;
    this.litEdges = litEdges;
    this.matches = matches.map((node) => node.id);
    const dimming = litEdges.size > 0 || Boolean(query);

    const change = (set, items, styleOf) => {
      const wanted = new Set(items.map((item) => item.id));
      const gone = set.getIds().filter((id) => !wanted.has(id));
      const updates = [];
      for (const item of items) {
        const style = styleOf(item);
        const text = JSON.stringify(style);
        if (this.styles.get(item.id) !== text) {
          this.styles.set(item.id, text);
          updates.push({ id: item.id, ...style });
        }
      }
      for (const id of gone) this.styles.delete(id);
      if (gone.length) set.remove(gone);
      if (updates.length) set.update(updates);
    };
    const missing = set_difference(this.edges.getIds(), edges);
    if (missing.length) {
      this.edges.remove(missing);
      for (const id of missing) this.styles.delete(id);
    }
    change(this.nodes, nodes, (node) => ({
      ...nodeStyle(node, this.theme, {
        far: this.far,
        dim: dimming && !litNodes.has(node.id),
        lit: litNodes.has(node.id),
        selected: node.id === this.selected,
        hidden: hidden.has(node.id),
      }),
      // vis resets a node to the item's position at every update: always send the present one.
      ...this.at.get(node.id),
    }));
    change(this.edges, edges, (edge) => ({
      from: edge.source,
      to: edge.target,
      ...edgeStyle(edge, this.theme, {
        dim: dimming && !litEdges.has(edge.id),
        lit: litEdges.has(edge.id),
        selected: edge.id === this.selected,
        far: this.far,
        label:
          (labelled && !(this.far && edge.state === "pruned" && !edge.provenance)) ||
          litEdges.has(edge.id) ||
          edge.id === this.selected,
        hidden: isHidden(edge),
      }),
    }));
    this.drawn();
  }

  drawn() {
    this.root.dataset.nodes = String(this.nodes.length);
    this.root.dataset.edges = String(this.edges.length);
  }

  /** New nodes slide out from their parents; those who prefer less motion see them at once. */
  animate(ids, from) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const moving = ids.filter((id) => from.get(id));
    if (still || !moving.length || moving.length > 200) return;
    const started = performance.now();
    const step = (now) => {
      const t = Math.min(1, (now - started) / MOTION_MS);
      const eased = 1 - (1 - t) ** 3;
      for (const id of moving) {
        const node = this.network.body.nodes[id]; // moveNode() would redraw once for each node
        const to = this.at.get(id);
        if (!node || !to) continue;
        const start = from.get(id);
        node.x = start.x + (to.x - start.x) * eased;
        node.y = start.y + (to.y - start.y) * eased;
      }
      this.network.redraw();
      if (t < 1) this.frame = requestAnimationFrame(step);
      else this.inMotion = null;
    };
    this.inMotion = moving;
    step(started);
  }

  finishMotion() {
    cancelAnimationFrame(this.frame);
    for (const id of this.inMotion ?? []) {
      const node = this.network.body.nodes[id];
      if (node) Object.assign(node, this.at.get(id));
    }
    this.inMotion = null;
  }

  /** Dead ends are crossed out, and so are the relations of corrected statements. */
  crossOut(ctx) {
    if (!this.theme) return;
    ctx.save();
    ctx.strokeStyle = this.theme.dead_end;
    ctx.lineCap = "round";
    const stroke = (width, ...lines) => {
      ctx.lineWidth = width;
      ctx.beginPath();
      for (const [x1, y1, x2, y2] of lines) {
        ctx.moveTo(x1, y1);
        ctx.lineTo(x2, y2);
      }
      ctx.stroke();
    };
    const dimming = this.litEdges?.size > 0 || this.query;
    for (const node of this.view.nodes) {
      if (node.state !== "dead_end" || this.hidden?.has(node.id)) continue;
      const { x, y } = this.network.body.nodes[node.id] ?? this.at.get(node.id);
      const r = node.anchor ? 9 : 5;
      ctx.globalAlpha = dimming && !this.lit.has(node.id) ? 0.25 : 1;
      stroke(2.5, [x - r, y - r, x + r, y + r], [x + r, y - r, x - r, y + r]);
    }
    for (const edge of this.view.edges) {
      if (edge.provenance !== "corrected") continue;
      const drawn = this.network.body.edges[edge.id];
      if (!drawn?.connected) continue;
      const { from, to } = drawn;
      const middle = edge.bend ? drawn.edgeType.getPoint(0.5) : { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
      const angle = Math.atan2(to.y - from.y, to.x - from.x) + 0.28;
      pen.font = `11px ${this.theme.font}`;
      const half = Math.max(14, pen.measureText(edge.label ?? "").width * 0.45);
      const [dx, dy] = [Math.cos(angle) * half, Math.sin(angle) * half];
      ctx.globalAlpha = dimming && !this.litEdges.has(edge.id) ? 0.2 : 1;
      stroke(2, [middle.x - dx, middle.y - dy, middle.x + dx, middle.y + dy]);
    }
    ctx.restore();
  }

  legendFor() {
    const { nodes, edges } = this.view;
    const states = Object.keys(NODE_WORDS).filter((state) =>
      nodes.some((node) => node.state === state && (!node.kind || node.kind === "entity")),
    );
    const lines = new Map();
    for (const edge of edges) {
      const word = edge.provenance ?? edge.state;
      if (!["frontier", "pruned"].includes(word) && !lines.has(word)) lines.set(word, edge);
    }
    const text = JSON.stringify([states, [...lines.keys()].sort(), this.theme]);
    if (text === this.legendText) return;
    this.legendText = text;
    const title = make("summary");
    title.textContent = "Legend";
    const list = make("ul");
    const entry = (icon, word) => {
      const item = make("li");
      const name = make("span");
      name.textContent = word;
      item.append(icon, name);
      list.append(item);
    };
    for (const state of states) entry(nodeIcon(state, this.theme), NODE_WORDS[state]);
    for (const word of Object.keys(EDGE_WORDS)) {
      if (lines.has(word)) entry(edgeIcon(lines.get(word), this.theme), EDGE_WORDS[word]);
    }
    this.legend.replaceChildren(title, list);
    this.legend.hidden = !states.length;
    if (!this.legend.dataset.set) {
      this.legend.open = this.run.legend ?? this.root.clientWidth >= 480;
      this.legend.dataset.set = "yes";
    }
  }

  // -- viewport: moves with the growing graph until the user touches it ---------------------------

  fit(asked = false) {
    if (asked) {
      this.following = true;
      this.run.viewport = null;
    }
    const ids = this.view.nodes.map((node) => node.id).filter((id) => !this.hidden.has(id));
    const width = this.canvas.clientWidth;
    const under = this.legend.open && !this.legend.hidden ? this.legend.offsetHeight : 0;
    const height = this.canvas.clientHeight - under;
    if (!ids.length || width < 50 || height < 50) return;
    const boxes = new Map(this.view.nodes.map((node) => [node.id, boxOf(node, this.theme.font)]));
    const all = extent(ids, this.at, boxes);
    const scale = Math.min(
      1.25,
      (width - 24) / (all.right - all.left),
      (height - 24) / (all.bottom - all.top),
    );
    this.go({
      position: { x: (all.left + all.right) / 2, y: (all.top + all.bottom) / 2 },
      scale,
      offset: { x: 0, y: -under / 2 },
    });
  }

  follow() {
    if (this.following && this.network && this.hidden) this.fit();
  }

  go(where) {
    this.seenFrom(where.scale);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const animation = still ? false : { duration: MOTION_MS, easingFunction: "easeOutCubic" };
    this.network.moveTo({ ...where, animation: this.shown ? animation : false });
    this.shown = true; // the first view is no journey
  }

  leaveAlone() {
    this.following = false;
    this.saveViewport();
  }

  saveViewport() {
    if (this.network && this.run && !this.following) {
      this.run.viewport = {
        position: this.network.getViewPosition(),
        scale: this.network.getScale(),
      };
    }
  }

  seenFrom(scale) {
    if (farness(scale) === this.far) return;
    this.far = farness(scale);
    this.restyle();
  }

  zoom(factor) {
    const scale = Math.min(4, Math.max(0.1, this.network.getScale() * factor));
    this.seenFrom(scale);
    this.network.moveTo({ scale });
    this.leaveAlone();
  }

  pan(dx, dy) {
    const scale = this.network.getScale();
    const { x, y } = this.network.getViewPosition();
    this.network.moveTo({ position: { x: x + dx / scale, y: y + dy / scale }, scale });
    this.leaveAlone();
  }

  centre(id) {
    if (id === undefined || !this.at.has(id)) return;
    this.go({ position: this.at.get(id), scale: Math.max(0.9, this.network.getScale()) });
    this.following = false;
    this.run.viewport = { position: this.at.get(id), scale: Math.max(0.9, this.network.getScale()) };
  }

  /** A lit fact that cannot be seen at all is panned to; the zoom stays. */
  bringIntoView() {
    const points = [...this.lit].map((id) => this.at.get(id)).filter(Boolean);
    if (!points.length) return;
    const seen = points.some((point) => {
      const { x, y } = this.network.canvasToDOM(point);
      return x >= 0 && y >= 0 && x <= this.canvas.clientWidth && y <= this.canvas.clientHeight;
    });
    if (seen) return;
    const mean = (axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
    this.go({ position: { x: mean("x"), y: mean("y") }, scale: this.network.getScale() });
  }

  // -- what the user does -------------------------------------------------------------------------

  click(point) {
    const id = this.network.getNodeAt(point) ?? this.network.getEdgeAt(point) ?? "";
    if (id === "" && this.selected === "") return;
    this.selected = id;
    this.restyle();
    this.report(id);
  }

  moved(id) {
    const point = this.network.getPosition(id);
    this.at.set(id, point);
    this.shared.set(id, point);
    this.run.pinned.add(id);
    this.styles.delete(id);
    this.restyle();
    this.tell([id]);
  }

  explain(item, point) {
    if (!item) return;
    const [first, ...rest] = item.title.split("\n");
    const name = make("strong");
    name.textContent = first;
    const about = make("span");
    about.textContent = rest.join("\n");
    this.tip.replaceChildren(name, about);
    this.tip.hidden = false;
    const left = Math.min(point.x + 14, this.root.clientWidth - this.tip.offsetWidth - 8);
    const below = point.y + this.stage.offsetTop + 16;
    const above = below - this.tip.offsetHeight - 30;
    const fits = below + this.tip.offsetHeight < this.root.clientHeight;
    this.tip.style.left = `${Math.max(8, left)}px`;
    this.tip.style.top = `${fits ? below : Math.max(4, above)}px`;
  }

  find(text) {
    const before = this.query;
    this.query = text.trim().toLocaleLowerCase();
    if (this.query && !before) this.seenBefore = this.whereabouts();
    this.restyle();
    this.found.textContent = this.query ? `${this.matches.length} found` : "";
    this.turn = 0;
    if (before && !this.query) this.goBack(this.seenBefore);
  }

  whereabouts() {
    const position = this.network.getViewPosition();
    return { following: this.following, position, scale: this.network.getScale() };
  }

  /** To where the view was before a search. */
  goBack({ following, ...where }) {
    if (following) return this.fit(true);
    this.go(where);
    this.run.viewport = where;
  }

  nextFound() {
    if (!this.matches?.length) return;
    this.centre(this.matches[this.turn % this.matches.length]);
    this.turn += 1;
  }

  toggleLabels() {
    this.run.labels = this.labels.getAttribute("aria-pressed") !== "true";
    this.restyle();
  }

  togglePruned() {
    this.run.pruned = !this.run.pruned;
    this.restyle();
    this.follow();
  }

  /** Places all nodes anew; when they stand so already, in another order. */
  arrange() {
    this.run.pinned.clear();
    const before = JSON.stringify([...this.at].sort());
    this.draw({ anew: true });
    if (JSON.stringify([...this.at].sort()) === before) {
      this.run.turned = !this.run.turned;
      this.draw({ anew: true });
    }
    this.fit(true);
  }

  key(event) {
    const actions = {
      "+": () => this.zoom(1.3),
      "=": () => this.zoom(1.3),
      "-": () => this.zoom(1 / 1.3),
      0: () => this.fit(true),
      ArrowLeft: () => this.pan(-60, 0),
      ArrowRight: () => this.pan(60, 0),
      ArrowUp: () => this.pan(0, -60),
      ArrowDown: () => this.pan(0, 60),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
    actions[event.key]();
    event.preventDefault();
    event.stopPropagation();
  }

  download() {
    const canvas = this.canvas.querySelector("canvas");
    const copy = make("canvas");
    copy.width = canvas.width;
    copy.height = canvas.height;
    const ctx = copy.getContext("2d");
    ctx.fillStyle = this.theme.back;
    ctx.fillRect(0, 0, copy.width, copy.height);
    ctx.drawImage(canvas, 0, 0);
    copy.toBlob((blob) => {
      const link = make("a", "", { download: "graph.png" });
      link.href = URL.createObjectURL(blob);
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }
}

function set_difference(ids, items) {
  const wanted = new Set(items.map((item) => item.id));
  return ids.filter((id) => !wanted.has(id));
}

/** Draws one component's data; called again whenever data or theme change. */
function show(component) {
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

// The small component that shows a graph waits for this one, which is sent once.
const slot = (globalThis.kgqaGraph ??= {});
slot.ready ??= new Promise((resolve) => (slot.resolve = resolve));
slot.resolve(show);

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

export default function () {}
