// The step player of an exported run: shows the graph as it stood after each step.
//
// Each step's picture is in the page already; `run-steps` holds what happened in it. Labels are
// untrusted: they reach the page as `textContent` only.

(() => {
  const story = JSON.parse(document.getElementById("run-steps").textContent);
  const frames = [...document.querySelectorAll(".frame")];
  const at = (name) => document.getElementById(`player-${name}`);
  const last = story.length - 1;
  let here = last;
  let timer = null;

  function line(parent, text, tag) {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  }

  function show(k) {
    here = Math.max(0, Math.min(last, k));
    const frame = story[here];
    frames.forEach((picture, n) => (picture.hidden = n !== here));
    at("slider").value = String(here);
    at("where").textContent = `Step ${here + 1} of ${last + 1}: ${frame.title}`;
    at("lines").replaceChildren();
    if (frame.thought) line(at("lines"), frame.thought, "em");
    const list = line(at("lines"), "", "ul");
    for (const text of frame.lines) line(list, text, "li");
    at("first").disabled = at("back").disabled = here === 0;
    at("next").disabled = at("last").disabled = here === last;
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    at("play").textContent = "▶";
    at("play").setAttribute("aria-label", "Play");
  }

  function play() {
    if (here === last) show(0);
    timer = setInterval(() => (here < last ? show(here + 1) : pause()), 1500 / Number(at("speed").value));
    at("play").textContent = "❚❚";
    at("play").setAttribute("aria-label", "Pause");
  }

  const go = (k) => {
    pause();
    show(k);
  };
  at("first").addEventListener("click", () => go(0));
  at("back").addEventListener("click", () => go(here - 1));
  at("next").addEventListener("click", () => go(here + 1));
  at("last").addEventListener("click", () => go(last));
  at("play").addEventListener("click", () => (timer ? pause() : play()));
  at("speed").addEventListener("change", () => {
    if (timer) {
      pause();
      play();
    }
  });
  at("slider").addEventListener("input", () => go(Number(at("slider").value)));
  at("slider").max = String(last);
  show(last);
})();
