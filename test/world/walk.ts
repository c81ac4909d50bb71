// All pages and forms of Settings, found by following links.

import type { Page } from "playwright-core";

/** A form, identified by its action and fields. */
export interface FoundForm {
  /** Such as `POST /settings/roles/:id/change Name Description`, with the fields for typed input. */
  key: string;
  path: string;
  /** As written in the page. */
  action: string;
  typed: string[];
  /** Hidden fields and choices, without the form's token. */
  closed: string[];
  /** The button's text. */
  button: string;
  asks: boolean;
  /** Labels of its fields, by name. */
  labels: [name: string, label: string][];
}

export interface FoundPage {
  path: string;
  /** The path with `:id` in place of a record's identifier. */
  kind: string;
  forms: FoundForm[];
  /** The text of its main part. */
  text: string;
  /** Times without markup, which a script cannot convert to the reader's zone. */
  bareTimes: string[];
}

/** Follows links from the overview. @param max the maximum number of pages of one kind, in the order of links */
export async function walk(page: Page, max: number): Promise<FoundPage[]> {
  return page.evaluate(walkHere, max);
}

/** Runs in the browser. */
async function walkHere(max: number): Promise<FoundPage[]> {
  const kindOf = (path: string) => path.replace(/\/([0-9a-f]{8}-[0-9a-f-]{27}|\d+)(?=\/|$)/g, "/:id");
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  const found: FoundPage[] = [];
  let next = ["/settings"];
  while (next.length > 0) next = (await Promise.all(next.filter(isWanted).map(readPage))).flat();
  return found;

  function isWanted(path: string): boolean {
    const count = counts.get(kindOf(path)) ?? 0;
    if (seen.has(path) || count >= max) return false;
    seen.add(path);
    counts.set(kindOf(path), count + 1);
    return true;
  }

  async function readPage(path: string): Promise<string[]> {
    const answer = await fetch(path);
    if (!answer.headers.get("content-type")?.startsWith("text/html") || answer.redirected) return [];
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const forms = [...page.querySelectorAll("main form")].map((form) => describe(form as HTMLFormElement, path));
    const main = page.querySelector("main")!;
    found.push({ path, kind: kindOf(path), forms, text: main.textContent, bareTimes: bareTimesIn(main) });
    return [...page.links]
      .map((link) => new URL(link.getAttribute("href")!, location.origin + path))
      .filter(({ origin, pathname }) => origin === location.origin && /^\/settings(\/|$)/.test(pathname))
      .map(({ pathname }) => pathname);
  }

  function describe(form: HTMLFormElement, path: string): FoundForm {
    const action = form.getAttribute("action")!;
    const { pathname } = new URL(action, location.origin + path);
    const fields = [...form.querySelectorAll<HTMLInputElement>("[name]:not(button)")].filter(
      ({ name }) => name !== "csrf",
    );
    const isTyped = (field: Element) =>
      !field.matches("select, [type=hidden], [type=checkbox], [type=radio], [type=file]");
    const names = (some: HTMLInputElement[]) => [...new Set(some.map(({ name }) => name))];
    const typed = names(fields.filter(isTyped));
    const closed = names(fields.filter((field) => !isTyped(field)));
    return {
      ...{ key: [form.method.toUpperCase(), kindOf(pathname), ...typed].join(" "), path, action, typed, closed },
      button: form.querySelector("button[type=submit]")?.textContent ?? "",
      asks: form.parentElement!.querySelector(":scope > .effects") !== null,
      labels: fields.flatMap((field) => [...(field.labels ?? [])].map((label) => [field.name, label.textContent])),
    };
  }

  /** Machine-readable and typed times stay unchanged. */
  function bareTimesIn(main: Element): string[] {
    const text = main.cloneNode(true) as Element;
    for (const element of text.querySelectorAll("time, pre, code, textarea, svg")) element.remove();
    return text.textContent.match(/\d{4}-\d\d-\d\dT\d\d:\d\d\S*|\d\d:\d\d(:\d\d)? UTC|\b1900\b/g) ?? [];
  }
}
