"use strict";
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

  for (const place of document.querySelectorAll("[data-chart]")) {
    const spec = JSON.parse(document.getElementById("spec-" + place.dataset.chart).textContent);
    const options = { mode: "vega-lite", renderer: "svg", ast: true, actions: false, defaultStyle: false, tooltip: showTip };
    window.vegaEmbed(place, spec, options).then(
      ({ view }) => {
        wireLegend(place.closest("section"), view);
        place.dataset.drawn = "yes";
      },
      (problem) => {
        place.textContent = "This chart could not be drawn: " + problem.message;
      },
    );
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
  });
})();
