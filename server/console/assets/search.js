// Turns the search boxes into comboboxes (WAI-ARIA APG): arrows select, Enter opens, Escape closes. / focuses the box of
// the page, Ctrl-K opens the palette. Without scripts the box is a form with a result page.
const palette = document.getElementById("palette");

/** @param isPalette its list is always open, and its first result is selected */
function combobox(box, offers, isPalette) {
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
    choose(isPalette ? all()[0] : undefined);
  };
  const hasOffers = () => offers.childElementCount > 0 && (isPalette || box.value.trim() !== "");
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

  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (offers.hidden && offers.childElementCount > 0) show(true);
      step(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && chosen) {
      event.preventDefault();
      location.assign(chosen.dataset.href);
    } else if (event.key === "Escape" && (isPalette || !offers.hidden)) {
      event.preventDefault();
      if (isPalette) palette.close();
      else show(false);
    }
  });
  // New input clears the selection of earlier results.
  box.addEventListener("input", () => choose(undefined));
  box.addEventListener("blur", () => isPalette || show(false));
  box.addEventListener("focus", () => show(hasOffers()));
  offers.addEventListener("mousedown", (event) => event.preventDefault());
  offers.addEventListener("click", (event) => {
    const option = event.target.closest("[data-href]");
    if (option) location.assign(option.dataset.href);
  });
  document.addEventListener("htmx:after:swap", () => {
    if (document.activeElement === box) show(hasOffers());
  });
}

const box = document.getElementById("search-everywhere");
const input = document.getElementById("search-commands");
const [offers, commands] = [document.getElementById("offers"), document.getElementById("commands")];
combobox(box, offers, false);
combobox(input, commands, true);

function openPalette() {
  if (palette.open) return;
  // The ids of the results are unique in the page.
  offers.replaceChildren();
  input.value = "";
  palette.showModal();
  input.dispatchEvent(new Event("opened"));
}

palette.addEventListener("close", () => commands.replaceChildren());
palette.addEventListener("click", (event) => event.target === palette && palette.close());
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-palette]")) return;
  event.preventDefault();
  openPalette();
});
document.addEventListener("keydown", (event) => {
  const { ctrlKey, metaKey, altKey, shiftKey } = event;
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  const isSlash = event.key === "/" && !ctrlKey && !metaKey && !altKey && !isTyping;
  const isK = event.key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey && !shiftKey;
  if (!isSlash && !isK) return;
  event.preventDefault();
  if (isK) return openPalette();
  // On a phone the box is hidden.
  if (box.offsetParent === null) return openPalette();
  box.focus();
  box.select();
});

// Narrows a long group of check boxes to those that contain a text; chosen ones stay.
for (const box of document.querySelectorAll("[data-find]")) {
  box.hidden = false;
  box.addEventListener("keydown", (event) => event.key === "Enter" && event.preventDefault());
  box.addEventListener("input", () => {
    const text = box.value.trim().toLowerCase();
    for (const label of box.parentElement.querySelectorAll("label")) {
      const isFound = `${label.textContent} ${label.title}`.toLowerCase().includes(text);
      label.hidden = !isFound && !label.control.checked;
    }
  });
}
