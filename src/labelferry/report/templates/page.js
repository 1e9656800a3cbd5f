"use strict";
// Charts, their tooltips and legends, and sections that fold.
(() => {
  const tip = document.getElementById("tip");

  // Show the values of a point as text, never as markup.
  function showTip(_, event, item, value) {
    if (!value) {
      tip.hidden = true;
      return;
    }
    tip.replaceChildren();
    for (const [name, content] of Object.entries(value)) {
      if (content === "" || content === null || content === undefined) continue;
      const row = document.createElement("div");
      const term = document.createElement("dt");
      const description = document.createElement("dd");
      term.textContent = name;
      description.textContent = String(content);
      row.append(term, description);
      tip.append(row);
    }
    tip.hidden = false;
    const at = event.touches && event.touches[0] ? event.touches[0] : event;
    const box = tip.getBoundingClientRect();
    const right = at.clientX + 14 + box.width <= document.documentElement.clientWidth;
    const below = at.clientY + 14 + box.height <= document.documentElement.clientHeight;
    tip.style.left = Math.max(8, right ? at.clientX + 14 : at.clientX - 14 - box.width) + "px";
    tip.style.top = Math.max(8, below ? at.clientY + 14 : at.clientY - 14 - box.height) + "px";
  }

  // A button of the legend hides or shows the points of its label or set.
  function wireLegend(section, view) {
    for (const button of section.querySelectorAll("button[data-signal]")) {
      button.addEventListener("click", () => {
        button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
        const group = section.querySelectorAll(`button[data-signal="${button.dataset.signal}"][aria-pressed="false"]`);
        view.signal(button.dataset.signal, Array.from(group, (other) => Number(other.dataset.code))).runAsync();
      });
    }
  }

  // A chart is drawn when its section is first open, since a folded section has no width.
  function drawCharts(section) {
    for (const place of section.querySelectorAll("[data-chart]:not([data-drawn])")) {
      place.dataset.drawn = "no";
      const spec = JSON.parse(document.getElementById("spec-" + place.dataset.chart).textContent);
      spec.config = { ...spec.config, aria: false, mark: { ...spec.config?.mark, aria: false } }; // the place has a description
      const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip: showTip };
      window.vegaEmbed(place, spec, options).then(
        ({ view }) => {
          wireLegend(section, view);
          place.dataset.drawn = "yes";
        },
        (problem) => {
          place.textContent = "This chart could not be drawn: " + problem.message;
        },
      );
    }
  }

  function setOpen(section, open) {
    const content = section.querySelector(".content");
    const button = section.querySelector("h2 button");
    if (!button) return;
    content.hidden = !open;
    section.classList.toggle("folded", !open);
    button.setAttribute("aria-expanded", String(open));
    if (open) drawCharts(section);
  }

  // The title of a section that folds becomes a button.
  function makeFold(section) {
    const title = section.querySelector("h2");
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    button.setAttribute("aria-controls", section.id + "-content");
    button.addEventListener("click", () => setOpen(section, button.getAttribute("aria-expanded") !== "true"));
    title.append(button);
  }

  const onPhone = window.matchMedia("(max-width: 640px)").matches;
  const folds = Array.from(document.querySelectorAll("section[data-fold]"));
  for (const section of folds) {
    makeFold(section);
    setOpen(section, section.dataset.fold === "phone" && !onPhone);
  }
  for (const section of document.querySelectorAll("section:not([data-fold])")) drawCharts(section);
  for (const examples of document.querySelectorAll(".examples")) examples.open = !onPhone;

  function openTarget() {
    const target = document.getElementById(window.location.hash.slice(1));
    if (target && target.dataset.fold) setOpen(target, true);
  }
  window.addEventListener("hashchange", openTarget);
  openTarget();
  for (const link of document.querySelectorAll("nav a")) {
    link.addEventListener("click", () => setOpen(document.querySelector(link.getAttribute("href")), true));
  }
  window.addEventListener("beforeprint", () => folds.forEach((section) => setOpen(section, true)));

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
  });
})();
