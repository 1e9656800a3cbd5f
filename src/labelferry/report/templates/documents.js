"use strict";
// The list of documents: search, filters, order, and answers that can be downloaded.
(() => {
  // Documents that are shown at first, and with every click.
  const STEP = window.matchMedia("(max-width: 640px)").matches ? 8 : 20;
  const body = document.querySelector("#list tbody");
  const byId = (id) => document.getElementById(id);
  const classes = JSON.parse(byId("classes-of-page").textContent);
  const [search, label, state, sort] = ["search", "filter-label", "filter-state", "sort"].map(byId);
  const [status, more] = [byId("status"), byId("more")];
  const answers = new Map(); // from row to answer
  const number = new Intl.NumberFormat("en");
  const collator = new Intl.Collator("en", { numeric: true });
  let limit = STEP;
  let saved = true;

  // What the search reads: the user's columns, the text, the label.
  function textOf(element) {
    const parts = element.querySelectorAll(".own dd, .document, .evidence li");
    return [element.dataset.label, ...Array.from(parts, (part) => part.textContent)].join(" ");
  }

  const rows = Array.from(body.rows, (element, position) => ({
    element,
    position,
    record: Number(element.dataset.row),
    label: element.dataset.label,
    confidence: Number(element.dataset.confidence),
    isReview: "review" in element.dataset,
    isNone: "none" in element.dataset,
    own: Array.from(element.querySelectorAll(".own dd"), (value) => value.textContent),
    text: textOf(element).toLowerCase(),
  }));

  function addOption(select, value, text = value) {
    const option = document.createElement("option");
    option.value = value;
    option.textContent = text;
    select.append(option);
  }

  function makeAnswer(row) {
    const cell = row.element.querySelector("td.answer");
    if (!cell || cell.firstChild) return;
    const select = document.createElement("select");
    select.setAttribute("aria-label", "Correction of record " + row.record);
    addOption(select, "", "choose …");
    addOption(select, "label:" + row.label, row.label + " (keep)");
    const alternative = row.element.dataset.alternative;
    const others = classes.filter((name) => name !== row.label && name !== alternative);
    if (classes.includes(alternative) && alternative !== row.label) others.unshift(alternative);
    for (const name of others) addOption(select, "label:" + name, name);
    addOption(select, "none_of_these", "none of these");
    addOption(select, "unclear", "unclear");
    select.addEventListener("change", () => answer(row, select.value));
    cell.append(select);
  }

  function answer(row, value) {
    if (value) answers.set(row.record, value.replace(/^label:/, ""));
    else answers.delete(row.record);
    row.element.classList.toggle("answered", answers.has(row.record));
    saved = answers.size === 0;
    byId("corrections").hidden = answers.size === 0;
    byId("answered").textContent = answers.size === 1 ? "1 correction." : number.format(answers.size) + " corrections.";
  }

  const states = {
    "": () => true,
    review: (row) => row.isReview,
    others: (row) => !row.isReview,
    none: (row) => row.isNone,
    answered: (row) => answers.has(row.record),
  };

  function compare(a, b) {
    if (sort.value === "confidence") return a.confidence - b.confidence;
    if (sort.value === "-confidence") return b.confidence - a.confidence;
    if (sort.value === "row") return a.record - b.record;
    if (sort.value === "label") return collator.compare(a.label, b.label);
    const column = Number(sort.value.slice("own-".length));
    return collator.compare(a.own[column], b.own[column]);
  }

  function show() {
    const words = search ? search.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
    const isShown = states[state.value];
    const found = rows.filter(
      (row) => (!label.value || row.label === label.value.slice(1)) && isShown(row) && words.every((word) => row.text.includes(word)),
    );
    found.sort((a, b) => compare(a, b) || a.position - b.position);
    const shown = new Set(found.slice(0, limit));
    for (const row of rows) row.element.hidden = !shown.has(row);
    shown.forEach(makeAnswer);
    body.append(...found.map((row) => row.element));
    status.textContent = found.length
      ? `${number.format(shown.size)} of ${number.format(found.length)} documents shown` +
        (found.length < rows.length ? ` (${number.format(rows.length)} on this page)` : "")
      : "No document of this page fits. Change the search or the filters.";
    const rest = Math.min(STEP, found.length - shown.size);
    more.hidden = rest === 0;
    more.textContent = `Show ${rest} more`;
  }

  function restart() {
    limit = STEP;
    show();
  }

  const quoted = (value) => `"${String(value).replaceAll('"', '""')}"`;

  function download() {
    const lines = [["row", "label", "answer", "fingerprint"]];
    for (const row of [...rows].sort((a, b) => a.record - b.record)) {
      if (answers.has(row.record)) {
        lines.push([row.record, row.label, answers.get(row.record), row.element.dataset.fingerprint]);
      }
    }
    const text = lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = "corrections.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    saved = true;
  }

  const counts = new Map();
  for (const row of rows) counts.set(row.label, (counts.get(row.label) || 0) + 1);
  for (const name of [...counts.keys()].sort(collator.compare)) {
    addOption(label, "=" + name, `${name} (${number.format(counts.get(name))})`);
  }
  if (search) search.addEventListener("input", restart);
  for (const select of [label, state, sort]) select.addEventListener("change", restart);
  more.addEventListener("click", () => {
    limit += STEP;
    show();
  });
  const button = byId("download");
  if (button) button.addEventListener("click", download);
  window.addEventListener("beforeunload", (event) => {
    if (!saved) event.preventDefault();
  });
  document.querySelector(".controls").hidden = false;
  show();
})();
