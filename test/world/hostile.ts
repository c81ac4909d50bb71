// Hostile texts for form fields, and the checks of pages that show them.

import type { Page } from "playwright-core";
import type { FoundForm } from "./walk.ts";

/** Markup, Arabic, invisible characters, and a combined character. */
export const HOSTILE = `"><script>harmed=1</script><img src=x onerror="harmed=1">&lt;'\u200bمرحبا 👩‍👩‍👧<!--`;

/** With 10,000 characters. NFKC expands each of the first ones to 18, so they cost more to draw. */
export const LONG = (HOSTILE + "ﷺ".repeat(50)).padEnd(10_000, "unbroken");

const CONTROLS = "a\u0000b\u0007c\u001b[31m\u0085d";

/** Field values by name. */
export type Typed = Record<string, string>;

/** The result of sending a form. */
export interface Outcome {
  status: number;
  /** Field values when sent and in the response; undefined if the response has no such form. */
  typed: Typed;
  kept: Typed | undefined;
  problems: Typed;
  /** The reason for the rejection, or the confirmation, at the top. */
  said: string;
  /** Problems that a hostile text causes on the page. */
  flaws: string[];
}

/**
 * Types into every field of a form on the page, checks every box, and sends it without the browser's own checks.
 * @param text the text for each field by its name; undefined: its current value
 */
export async function send(page: Page, form: FoundForm, text: (name: string) => string | undefined): Promise<Outcome> {
  const texts = Object.fromEntries(form.typed.map((name) => [name, text(name)]));
  const typed = await page.evaluate(typeHere, { form, texts });
  const [answer] = await Promise.all([page.waitForNavigation(), page.evaluate(submitHere, form)]);
  return { status: answer?.status() ?? 0, typed, ...(await page.evaluate(lookHere, form)) };
}

/** Lists problems that a hostile text causes on the page. */
export async function flawsOf(page: Page): Promise<string[]> {
  return (await page.evaluate(lookHere, undefined)).flaws;
}

/**
 * Sends forms with values that no browser sends: hostile text in hidden fields, and control characters in all others.
 * @returns problems of the responses
 */
export async function tamper(page: Page, forms: FoundForm[]): Promise<string[]> {
  return page.evaluate(tamperHere, { forms, hostile: HOSTILE, controls: CONTROLS });
}

/** Runs in the browser. @returns the fields' resulting values */
function typeHere({ form, texts }: { form: FoundForm; texts: Record<string, string | undefined> }): Typed {
  const element = document.querySelector<HTMLFormElement>(
    `main form[action="${form.action}"]:has([name]:not(button))`,
  )!;
  const typed: Typed = {};
  element.noValidate = true;
  for (const field of element.querySelectorAll<HTMLInputElement>("input, textarea")) {
    // A role of all users cannot have the scopes that the other boxes check, and the visitor has no passkey.
    if (field.type === "checkbox") field.checked = !["AllUsers", "RequiresPasskey"].includes(field.name);
    const text = texts[field.name];
    // Fields for numbers and dates, and length limits, prevent typing such a text.
    const isFree = !/^(number|datetime-local|hidden|checkbox)$/.test(field.type) || text === "";
    if (text !== undefined && isFree) field.value = field.maxLength > 0 ? text.slice(0, field.maxLength) : text;
    // HTML cannot contain NUL, and a text area normalises line breaks.
    if (form.typed.includes(field.name)) typed[field.name] = field.value.replaceAll("\0", "\ufffd");
  }
  return typed;
}

/** Runs in the browser. */
function submitHere({ action, typed }: FoundForm): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>(`main form[action="${action}"]`)];
  const form = forms.find((one) => typed.every((name) => one.elements.namedItem(name)));
  form?.querySelector<HTMLElement>("[type=submit]")?.click();
}

/** Runs in the browser. */
function lookHere(form: FoundForm | undefined): Omit<Outcome, "status" | "typed"> {
  const forms = [...document.querySelectorAll<HTMLFormElement>("main form")];
  const element = forms.find(
    (one) =>
      form &&
      one.getAttribute("action") === form.action &&
      form.typed.every((name) => one.querySelector(`[name="${name}"]`)),
  );
  const fields = [...(element?.querySelectorAll<HTMLInputElement>("input, textarea, select, fieldset") ?? [])];
  const kept = fields.filter(({ name }) => form?.typed.includes(name)).map(({ name, value }) => [name, value]);
  const problems = fields
    .filter((field) => field.getAttribute("aria-invalid") === "true")
    .map((field) => {
      const id = field.getAttribute("aria-describedby")?.split(" ").at(-1) ?? "";
      return [field.name || field.id, document.getElementById(id)?.textContent ?? ""];
    });
  const said = [...document.querySelectorAll('main [role="alert"], main [role="status"]')];
  return {
    kept: element && Object.fromEntries(kept),
    problems: Object.fromEntries(problems),
    said: said.map(({ textContent }) => textContent).join(" "),
    flaws: [...harms(), ...strayLinks(), ...turned()],
  };

  function harms(): string[] {
    return [
      ["a script ran", "harmed" in globalThis],
      // The policy editor uses an empty image to separate the cursor from a replaced character.
      ["markup is markup", document.querySelector("script:not([src]), img:not(.cm-widgetBuffer), [onerror]") !== null],
      ["wider than the screen", document.documentElement.scrollWidth > innerWidth],
    ].flatMap(([flaw, is]) => (is ? [String(flaw)] : []));
  }

  /** Links that do not lead to a page. */
  function strayLinks(): string[] {
    // A link in a drawing has no text as its href.
    const isStray = (link: Element) => !/^https?:/.test(new URL(link.getAttribute("href")!, document.baseURI).href);
    const links = [...document.querySelectorAll("a[href]")];
    return links.filter(isStray).map(({ outerHTML }) => `no web address: ${outerHTML}`);
  }

  /**
   * An unterminated direction change affects the text after it in its element, so the element must contain only that
   * text.
   */
  function turned(): string[] {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const flaws: string[] = [];
    while (texts.nextNode()) {
      const { textContent: text, parentElement } = texts.currentNode;
      if (parentElement?.matches("textarea, option")) continue;
      const after = text?.split("\u202e").at(-1) ?? "";
      if (after === text) continue;
      const { display, unicodeBidi } = getComputedStyle(parentElement!);
      const isApart = display !== "inline" || unicodeBidi !== "normal";
      const isAlone = !after
        .trimEnd()
        .replace(/^\u200b?مرحبا 👩‍👩‍👧(<!--ﷺ*(unbroken)*[unbroke]*)?/, "")
        .replace("…", "");
      if (!isApart || !isAlone) flaws.push(`turned round: ${parentElement!.outerHTML.slice(0, 300)}`);
    }
    return flaws;
  }
}

interface Tampering {
  forms: FoundForm[];
  hostile: string;
  controls: string;
}

/** Runs in the browser. */
async function tamperHere({ forms, hostile, controls }: Tampering): Promise<string[]> {
  const flaws: string[] = [];
  for (const { key, path, action, typed, closed } of forms) {
    const form = formIn(await (await fetch(path)).text(), action)!;
    const tries = [...closed.map((name) => ({ names: [name], text: hostile })), { names: typed, text: controls }];
    for (const { names, text } of tries.filter((one) => one.names.length > 0)) {
      const { status, body } = await post(form, action, names, text);
      const page = new DOMParser().parseFromString(body, "text/html");
      if (status >= 500) flaws.push(`${key}: ${names}: ${status}`);
      if (page.querySelector("script:not([src]), img, [onerror]")) flaws.push(`${key}: ${names}: is not escaped`);
      if (names === typed && status >= 400)
        flaws.push(...lost(formIn(body, action), typed).map((name) => `${key}: ${name}: is lost`));
    }
  }
  return flaws;

  function formIn(body: string, action: string): HTMLFormElement | null {
    return new DOMParser()
      .parseFromString(body, "text/html")
      .querySelector(`main form[action="${action}"]:has([name]:not([name=csrf]))`);
  }

  async function post(form: HTMLFormElement, action: string, names: string[], text: string) {
    const fields = new URLSearchParams([...new FormData(form)].map(([field, value]) => [field, String(value)]));
    for (const name of names) {
      // Added to the checked boxes, so the form disables nothing.
      if (form.querySelector(`[type=checkbox][name="${name}"]`)) fields.append(name, text);
      else fields.set(name, text);
    }
    const isPost = form.method === "post";
    const answer = await fetch(isPost ? action : `${action}?${fields}`, isPost ? { method: "POST", body: fields } : {});
    return { status: answer.status, body: await answer.text() };
  }

  /** Fields for numbers and dates cannot contain such a text, and HTML has no NUL. */
  function lost(form: HTMLFormElement | null, names: string[]): string[] {
    return names.filter((name) => {
      const field = form?.querySelector<HTMLInputElement>(`[name="${name}"]`);
      const isFree = !field?.matches("[type=number], [type=datetime-local]");
      return isFree && field?.value !== controls.replaceAll("\0", "\ufffd");
    });
  }
}
