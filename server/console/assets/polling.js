// Pauses refreshing while the page is hidden, and refreshes at once when it is shown again.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden) event.preventDefault();
});

// The address has the filters that a list has followed.
document.addEventListener("htmx:after:swap", ({ target }) => {
  if (!target.matches?.("form.filters")) return;
  const given = [...new FormData(target)].filter(([, value]) => value !== "");
  history.replaceState(null, "", `?${new URLSearchParams(given)}`);
});
