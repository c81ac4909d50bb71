// Times are written in UTC; here they come into the reader's own zone.
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

function localise(root) {
  for (const element of root.querySelectorAll("[data-show]")) {
    const at = new Date(element.getAttribute("datetime"));
    if (element.dataset.show === "title") element.title = moment.format(at);
    else element.textContent = (element.dataset.show === "hour" ? hour : moment).format(at);
  }
}

localise(document);
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) localise(node);
}).observe(document.getElementById("main"), { childList: true, subtree: true });
