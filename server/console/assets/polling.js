// What refreshes itself rests while nobody looks at it, and is asked for at once when somebody does again.
document.addEventListener("htmx:before:request", (event) => {
  if (document.hidden) event.preventDefault();
});
