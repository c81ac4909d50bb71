// Copy buttons, which are hidden without scripts.
function show() {
  for (const button of document.querySelectorAll("button[data-copy][hidden]")) button.hidden = false;
}

if (navigator.clipboard) {
  show();
  new MutationObserver(show).observe(document.getElementById("main"), {
    attributeFilter: ["hidden"],
    childList: true,
    subtree: true,
  });
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
