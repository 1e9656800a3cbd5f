// Makes the forms of the page faster and adds keys. Every form also works without this script.
"use strict";

const find = (id) => document.getElementById(id);
let isBusy = false;

// Send a form in the background and show the page that the server returns. An answer is shown as saved only after
// the server has confirmed it.
async function send(form, submitter) {
  if (isBusy) return;
  isBusy = true;
  form.setAttribute("aria-busy", "true");
  const fields = new URLSearchParams(new FormData(form, submitter));
  let hasLearned = false;
  try {
    const response = await fetch(submitter?.getAttribute("formaction") ?? form.getAttribute("action"), {
      method: "POST", body: fields, credentials: "same-origin", redirect: "follow",
    });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (!page.getElementById("content")) throw new Error(page.querySelector("h1")?.textContent ?? response.statusText);
    show(page, response.url, form.closest("aside") === null);
    hasLearned = form.getAttribute("action") === "/refit" && hasLabels(); // before the page could ask
  } catch (error) {
    const reason = error instanceof TypeError ? "the server does not respond" : error.message;
    say(`Not saved: ${reason}. Start it again, load this page, and repeat the last answer.`, true);
    form.removeAttribute("aria-busy");
  } finally {
    isBusy = false;
  }
  if (hasLearned) refreshQuestion();
}

function say(message, isBad = false) {
  find("message").textContent = message;
  find("message").classList.toggle("bad", isBad);
}

function show(page, address, isQuestion) {
  say(page.getElementById("message").textContent);
  for (const id of ["certificate", "refit", "usable"]) {
    const [part, old] = [page.getElementById(id), find(id)];
    if (part && old) replacePart(part);
    else if (part) find("content").before(part); // from a queue without this part
    else old?.remove();
  }
  if (isQuestion) {
    document.title = page.title;
    history.replaceState(null, "", address);
    find("content").replaceWith(page.getElementById("content"));
    document.querySelector(".pages")?.replaceWith(page.querySelector(".pages"));
  }
  prepare();
  if (!isQuestion) return;
  find("question")?.focus({ preventScroll: true });
  window.scrollTo({ top: 0, behavior: "instant" });
}

// Put a new part in the place of the old one. Bands start where they were and move to where they are now.
function replacePart(part) {
  const old = find(part.id);
  const open = [...old.querySelectorAll("details")].map((it) => it.open);
  const spoken = "#certificate-sentence, #usable-sentence, .result";
  const before = old.querySelector(spoken)?.textContent;
  const targets = [];
  for (const band of part.querySelectorAll(".band[id], .whole")) {
    for (const rect of band.querySelectorAll(".range, .tick, .used, .people")) {
      const was = find(band.id)?.querySelector(`.${rect.getAttribute("class")}`);
      if (!was) continue;
      targets.push([rect, rect.getAttribute("x"), rect.getAttribute("width")]);
      rect.setAttribute("x", was.getAttribute("x"));
      rect.setAttribute("width", was.getAttribute("width"));
    }
  }
  old.replaceWith(part);
  part.querySelectorAll("details").forEach((it, i) => (it.open = open[i] ?? false));
  part.getBoundingClientRect();
  for (const [rect, x, width] of targets) {
    rect.setAttribute("x", x);
    rect.setAttribute("width", width);
  }
  if (part.id === "certificate" && find("mini-figure") && find("figure")) {
    find("mini-figure").textContent = `${find("figure").textContent} correct`;
    for (const rect of find("band-mini").querySelectorAll(".range, .tick")) {
      const big = find("band-accuracy").querySelector(`.${rect.getAttribute("class")}`);
      for (const name of ["x", "width"]) rect.setAttribute(name, big?.getAttribute(name) ?? 0);
    }
  }
  const after = part.querySelector(spoken);
  if (after && after.textContent !== before) {
    const figure = part.querySelector(".figure, #usable-title")?.textContent ?? "";
    find("live").textContent = `${figure} ${after.textContent}`.replace(/\s+/g, " ").trim();
  }
}

// The certificate of the last answer, and learning in the background, may not be ready yet.
async function refresh(id, isReady) {
  if (refreshing.has(id)) return;
  refreshing.add(id);
  do {
    try {
      const response = await fetch(`/${id}`, { credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (response.ok && page.getElementById(id)) replacePart(page.getElementById(id));
    } catch {
      await pause(4000); // the server is away
    }
    if (!isReady()) await pause(1000);
  } while (!isReady());
  refreshing.delete(id);
  if (id !== "refit") return;
  say(find("refit").querySelector(".result")?.firstElementChild?.textContent ?? "");
  refresh("certificate", hasCertificate); // of the new labels
  refreshQuestion();
}

// After learning: the open question with its new prediction; a page without a question becomes the next question.
async function refreshQuestion() {
  const { document: number, purpose, queue } = find("question")?.dataset ?? {};
  if (isBusy || !find("question")) return;
  const address = number ? `/documents/${number}?${new URLSearchParams({ purpose, queue })}` : location.href;
  try {
    const response = await fetch(address, { credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (isBusy || !page.getElementById("content") || find("question")?.dataset.document !== number) return;
    const message = find("message").textContent;
    show(page, location.href, true);
    say(message);
  } catch {
    say("The labels have learned. Load this page to see the new ones.");
  }
}
const refreshing = new Set();
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const hasCertificate = () => !find("certificate") || find("certificate").dataset.current === "yes";
const hasLabels = () => find("refit")?.dataset.status !== "running";

// Things that need the script: they are hidden without it.
function prepare() {
  for (const part of document.querySelectorAll(".keys-switch, .all")) part.hidden = false;
  for (const part of document.querySelectorAll("[data-no-script]")) part.hidden = true;
  const keys = find("keys");
  if (keys) {
    keys.checked = sessionStorage.getItem("keys") !== "off";
    keys.addEventListener("change", () => sessionStorage.setItem("keys", keys.checked ? "on" : "off"));
  }
  if (!hasCertificate()) refresh("certificate", hasCertificate);
  if (!hasLabels()) refresh("refit", hasLabels);
  countSelected();
}

function countSelected() {
  const count = document.querySelector("[data-selected]");
  if (!count) return;
  const n = document.querySelectorAll('.bulk input[name="document"]:checked').length;
  count.textContent = n ? ` ${n}` : "";
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-live]") || !find("content")) return;
  event.preventDefault();
  send(event.target, event.submitter);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
  if (event.target.matches("[data-all]"))
    for (const box of document.querySelectorAll('.bulk input[name="document"]')) box.checked = event.target.checked;
  countSelected();
});

document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-filter]")) return;
  const wanted = event.target.value.trim().toLocaleLowerCase();
  for (const item of document.querySelectorAll(".choices li"))
    item.hidden = !item.querySelector(".name").textContent.toLocaleLowerCase().includes(wanted);
});

function clearFilter(filter) {
  filter.value = "";
  filter.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("[data-filter]")) {
    if (event.key === "Escape") event.target.blur();
    if (event.key !== "Enter") return;
    event.preventDefault();
    const first = document.querySelector(".choices li:not([hidden]) :is(button, input)");
    if (!event.target.value.trim()) return;
    first?.click();
    if (first?.matches("input")) clearFilter(event.target); // one of several labels
    return;
  }
  if (event.target.matches("input:not([type=checkbox]), select, textarea") || find("keys")?.checked === false) return;
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return; // it has its own meaning there
  if (event.key === "/" && find("filter")) {
    event.preventDefault();
    find("filter").focus();
    return;
  }
  const button = [...document.querySelectorAll("[data-key]")].find((it) => it.dataset.key === event.key.toLowerCase());
  if (!button || isBusy) return;
  event.preventDefault();
  button.click();
});

prepare();
