// Turns the search box into a combobox (WAI-ARIA APG): / and Ctrl-K focus it, arrows select, Enter opens, Escape
// closes. Without scripts the box is a form with a result page.
const box = document.getElementById("search-everywhere");
const offers = document.getElementById("offers");

if (box && offers) {
  let chosen;
  const all = () => [...offers.querySelectorAll("[data-href]")];

  const choose = (option) => {
    chosen?.setAttribute("aria-selected", "false");
    chosen = option;
    if (!option) return box.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", option.id);
  };
  const show = (isOpen) => {
    offers.hidden = !isOpen;
    box.setAttribute("aria-expanded", String(isOpen));
    choose(undefined);
  };
  const step = (by) => {
    const options = all();
    if (options.length === 0) return;
    const at = options.indexOf(chosen);
    const first = by > 0 ? 0 : options.length - 1;
    choose(options[at < 0 ? first : (at + by + options.length) % options.length]);
  };

  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", offers.id);
  show(false);

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping;
    const isK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isSlash && !isK) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (offers.hidden && offers.childElementCount > 0) show(true);
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && chosen) {
      event.preventDefault();
      location.assign(chosen.dataset.href);
    } else if (event.key === "Escape" && !offers.hidden) {
      event.preventDefault();
      show(false);
    }
  });
  // New input clears the selection of earlier results.
  box.addEventListener("input", () => choose(undefined));
  box.addEventListener("blur", () => show(false));
  box.addEventListener("focus", () => show(box.value.trim() !== "" && offers.childElementCount > 0));
  offers.addEventListener("mousedown", (event) => event.preventDefault());
  offers.addEventListener("click", (event) => {
    const option = event.target.closest("[data-href]");
    if (option) location.assign(option.dataset.href);
  });
  document.addEventListener("htmx:after:swap", () => {
    if (document.activeElement === box) show(box.value.trim() !== "" && offers.childElementCount > 0);
  });
}
