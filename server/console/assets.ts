import { CSS, createSiteOf, JAVASCRIPT, SHARED_STYLES, type SiteOf, TIME_SCRIPT } from "../ui/index.ts";

/** Nothing is loaded from another host. Pages work without any of the scripts. */
const ASSETS = {
  "gatehouse.css": SHARED_STYLES,
  "settings.css": { url: import.meta.resolve("./assets/settings.css"), type: CSS },
  "parts.css": { url: import.meta.resolve("./assets/parts.css"), type: CSS },
  "records.css": { url: import.meta.resolve("./assets/records.css"), type: CSS },
  "editor.js": { url: import.meta.resolve("./editor/main.ts"), type: JAVASCRIPT },
  "time.js": TIME_SCRIPT,
  "search.js": { url: import.meta.resolve("./assets/search.js"), type: JAVASCRIPT },
  "copy.js": { url: import.meta.resolve("./assets/copy.js"), type: JAVASCRIPT },
  "moments.js": { url: import.meta.resolve("./assets/moments.js"), type: JAVASCRIPT },
  "polling.js": { url: import.meta.resolve("./assets/polling.js"), type: JAVASCRIPT },
  "htmx.js": { url: import.meta.resolve("htmx.org/dist/htmx.min.js"), type: JAVASCRIPT },
} as const;

export type ConsoleSite = SiteOf<keyof typeof ASSETS>;

export function createConsoleSite(publicUrl: string): ConsoleSite {
  return createSiteOf(publicUrl, ASSETS);
}
