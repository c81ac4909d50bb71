// Pauses refreshing while the page is hidden, and refreshes at once when it is shown again.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden) event.preventDefault();
});
