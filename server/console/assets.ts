import { sites } from "../ui/index.ts";

/** Nothing is loaded from another host. Pages work without any of the scripts. */
const ASSETS = {
  "gatehouse.css": sites.SHARED_STYLES,
  "dark.css": sites.DARK_STYLES,
  "settings.css": { url: import.meta.resolve("./assets/settings.css"), type: sites.CSS },
  "parts.css": { url: import.meta.resolve("./assets/parts.css"), type: sites.CSS },
  "records.css": { url: import.meta.resolve("./assets/records.css"), type: sites.CSS },
  "editor.js": { url: import.meta.resolve("./editor/main.ts"), type: sites.JAVASCRIPT },
  "time.js": sites.TIME_SCRIPT,
  "search.js": { url: import.meta.resolve("./assets/search.js"), type: sites.JAVASCRIPT },
  "copy.js": { url: import.meta.resolve("./assets/copy.js"), type: sites.JAVASCRIPT },
  "moments.js": { url: import.meta.resolve("./assets/moments.js"), type: sites.JAVASCRIPT },
  "polling.js": { url: import.meta.resolve("./assets/polling.js"), type: sites.JAVASCRIPT },
  "htmx.js": { url: import.meta.resolve("htmx.org/dist/htmx.min.js"), type: sites.JAVASCRIPT },
} as const;

export type ConsoleSite = sites.SiteOf<keyof typeof ASSETS>;

export function createConsoleSite(publicUrl: string): ConsoleSite {
  return sites.createSiteOf(publicUrl, ASSETS);
}
