// Converts times from UTC to the local time zone, in the page's language. English pages use the browser's format.
const { lang } = document.documentElement;
const LOCALE = lang === "en" ? undefined : lang;
const FORMATS: Record<string, Intl.DateTimeFormat> = {
  date: new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" }),
  day: new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" }),
  hour: new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" }),
};
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeStyle: "medium" });

function localise() {
  for (const element of document.querySelectorAll<HTMLElement>("[data-show]")) {
    const at = new Date(element.getAttribute("datetime")!);
    const show = element.dataset.show!;
    const text = (Object.hasOwn(FORMATS, show) ? FORMATS[show]! : moment).format(at);
    if (show === "title") {
      if (element.title !== text) element.title = text;
    } else if (element.textContent !== text) element.textContent = text;
  }
}

localise();
// Refreshed parts arrive in UTC again.
new MutationObserver(localise).observe(document.querySelector("main")!, {
  attributeFilter: ["title", "datetime"],
  characterData: true,
  childList: true,
  subtree: true,
});
