// Lists with htmx. Refreshing pauses while the page is hidden, and goes on at once when it is shown again.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden) event.preventDefault();
});

// The address has the filters that a list has followed.
document.addEventListener("htmx:after:swap", ({ target }) => {
  if (!target.matches?.("form.filters")) return;
  const given = [...new FormData(target)].filter(([, value]) => value !== "");
  history.replaceState(null, "", `?${new URLSearchParams(given)}`);
});

// More filters close as a menu does: by a click beside them, and by Escape.
function closeFilters(event) {
  const open = document.querySelector("details.behind[open]");
  if (!open || (event.key ?? "Escape") !== "Escape" || (!event.key && open.contains(event.target))) return;
  open.open = false;
  if (event.key) open.firstElementChild.focus();
}
document.addEventListener("pointerdown", closeFilters);
document.addEventListener("keydown", closeFilters);
