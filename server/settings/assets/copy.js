// Buttons that copy a text; without this script they stay hidden.
function show(root) {
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false;
}

if (navigator.clipboard) {
  show(document);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) show(node);
  }).observe(document.getElementById("main"), { childList: true, subtree: true });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (!button || button.dataset.said) return;
    button.dataset.said = button.textContent;
    const done = await navigator.clipboard.writeText(button.dataset.copy).then(
      () => "Copied",
      () => "Not copied",
    );
    button.textContent = done;
    setTimeout(() => {
      button.textContent = button.dataset.said;
      delete button.dataset.said;
    }, 1500);
  });
}
