// A browser without scripts, over plain HTTP: it follows links, fills in forms and keeps cookies. Its interface is the
// part of Playwright's pages and locators that tests use, so one test covers pages with and without scripts. It has no
// styles; tests of styles use Chromium.

import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { violationsOf } from "./page-policy.ts";
import { type Element, parse, select } from "./plain-html.ts";

const CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";
const ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const REDIRECTS = [301, 302, 303, 307, 308];

type Words = string | RegExp;
interface Named {
  name?: Words;
  exact?: boolean;
  level?: number;
}
interface Sent {
  method: string;
  url: URL;
  body?: string;
  /** The page of the link or form; undefined for a typed address. */
  from?: URL;
}
/** A line of the console. */
interface Message {
  type(): string;
  text(): string;
}
type Cookie = Awaited<ReturnType<BrowserContext["cookies"]>>[number];

/** The parts of a browser context that tests use. */
export class PlainContext {
  private kept: Cookie[] = [];

  constructor(private readonly options: BrowserContextOptions) {}

  async newPage(): Promise<Page> {
    return new PlainPage(this) as unknown as Page;
  }

  async clearCookies({ name }: { name?: RegExp } = {}): Promise<void> {
    this.kept = this.kept.filter((cookie) => name !== undefined && !name.test(cookie.name));
  }

  cookies = async () => this.kept;

  async addCookies(cookies: Cookie[]): Promise<void> {
    this.kept = [...this.kept, ...cookies];
  }

  async close(): Promise<void> {}

  /** @returns the answer and its request, because redirects are followed */
  async send(request: Sent): Promise<{ request: Sent; response: Response }> {
    const { method, url, body, from } = request;
    const isOfSite = !from || from.hostname === url.hostname;
    const sent = this.kept.filter(
      ({ domain, path, sameSite }) =>
        domain === url.hostname &&
        url.pathname.startsWith(path) &&
        (isOfSite || method === "GET" || sameSite === "None"),
    );
    const headers = new Headers({ "user-agent": CHROME, accept: ACCEPT, "sec-fetch-mode": "navigate" });
    headers.set("sec-fetch-site", from ? (from.origin === url.origin ? "same-origin" : "cross-site") : "none");
    if (sent.length > 0) headers.set("cookie", sent.map(({ name, value }) => `${name}=${value}`).join("; "));
    if (body !== undefined) headers.set("content-type", "application/x-www-form-urlencoded");
    if (from && method !== "GET") headers.set("origin", from.origin);
    const tls = { rejectUnauthorized: !this.options.ignoreHTTPSErrors };
    const response = await fetch(url, { method, body, headers, redirect: "manual", tls });
    for (const line of response.headers.getSetCookie()) this.keep(line, url.hostname);
    const location = REDIRECTS.includes(response.status) && response.headers.get("location");
    if (!location) return { request, response };
    const next = new URL(location, url);
    if (response.status < 307) return this.send({ method: "GET", url: next, from });
    return this.send({ method, url: next, body, from });
  }

  private keep(line: string, domain: string): void {
    const { name, value, path, httpOnly, secure, sameSite, maxAge } = Bun.Cookie.parse(line);
    this.kept = this.kept.filter((one) => one.domain !== domain || one.name !== name);
    const written = `${sameSite[0]!.toUpperCase()}${sameSite.slice(1)}` as Cookie["sameSite"];
    if (maxAge !== 0) this.kept.push({ name, value, domain, path, httpOnly, secure, sameSite: written, expires: -1 });
  }
}

/** Finds elements on a page or within others. */
abstract class Finding {
  constructor(
    protected readonly page: PlainPage,
    readonly find: () => Element[],
    protected readonly words: string,
  ) {}

  /** Matches among all descendants of the found elements. */
  private below(words: string, fits: (element: Element) => boolean): Spot {
    const find = () => [...new Set(this.find().flatMap((one) => one.below().filter(fits)))];
    return new Spot(this.page, find, `${this.words} ${words}`);
  }

  getByRole(role: string, { name, exact, level }: Named = {}): Spot {
    return this.below(`${role} ${name ?? ""}`, (one) => {
      if (one.role !== role || !one.isShown || (level && one.tag !== `h${level}`)) return false;
      return name === undefined || says(one.name, name, exact);
    });
  }

  getByLabel(text: Words, { exact }: Named = {}): Spot {
    return this.below(`label ${text}`, (one) => one.labels.some((label) => says(label, text, exact)));
  }

  /** The innermost elements with this text, possibly the searched ones themselves. */
  getByText(text: Words, { exact }: Named = {}): Spot {
    const fits = (one: Element) => one.isText && says(one.text, text, exact);
    const find = () => this.find().flatMap((one) => [one, ...one.below()]);
    const innermost = () => [...new Set(find())].filter((one) => fits(one) && !one.elements.some(fits));
    return new Spot(this.page, innermost, `${this.words} text ${text}`);
  }

  locator(css: string): Spot {
    return this.below(css, (one) => select(this.page.root, css).has(one));
  }
}

/** A locator. */
class Spot extends Finding {
  private of(words: string, from: (found: Element[]) => (Element | undefined)[]): Spot {
    const find = () => from(this.find()).filter((one) => one !== undefined);
    return new Spot(this.page, find, `${this.words} ${words}`);
  }

  filter({ hasText, hasNotText }: { hasText?: Words; hasNotText?: Words }): Spot {
    return this.of(`with ${hasText}, without ${hasNotText}`, (all) =>
      all.filter(({ text }) => (!hasText || says(text, hasText)) && (!hasNotText || !says(text, hasNotText))),
    );
  }

  or(other: Spot): Spot {
    return this.of("or", (all) => [...new Set([...all, ...other.find()])]);
  }

  first = () => this.nth(0);
  last = () => this.nth(-1);
  nth = (index: number) => this.of(`at ${index}`, (all) => [all.at(index)]);
  all = async () => this.find().map((_, index) => this.nth(index));
  count = async () => this.find().length;

  /** Strict like Playwright: an action needs exactly one element. */
  private one(): Element {
    const found = this.find();
    if (found.length === 1) return found[0]!;
    throw new Error(`${found.length} of ${this.words} at ${this.page.url()}:\n${this.page.root.text.slice(0, 2_000)}`);
  }

  /** A page without script is complete when it arrives, so there is no wait. */
  async waitFor({ state = "visible" }: { state?: "visible" | "attached" | "hidden" | "detached" } = {}): Promise<void> {
    if (state === "visible" && !this.one().isShown) throw new Error(`${this.words} is hidden.`);
    if (state === "attached") this.one();
    if (state === "detached" && this.find().length > 0) throw new Error(`${this.words} is there.`);
    if (state === "hidden" && this.find().some(({ isShown }) => isShown)) throw new Error(`${this.words} is shown.`);
  }

  textContent = async () => this.one().content;
  allTextContents = async () => this.find().map(({ content }) => content);
  allInnerTexts = async () => this.find().map(({ text }) => text);
  inputValue = async () => this.one().value;
  isChecked = async () => this.one().isChecked;
  isVisible = async () => this.find().length > 0 && this.one().isShown;
  getAttribute = async (name: string) => this.one().getAttribute(name);
  evaluate = async <T>(work: (element: Element) => T) => work(this.one());

  async click(): Promise<void> {
    await this.page.click(this.one());
  }

  async fill(value: string): Promise<void> {
    this.page.focused = this.one();
    this.page.focused.value = value;
  }

  async focus(): Promise<void> {
    this.page.focused = this.one();
  }

  async press(key: string): Promise<void> {
    await this.focus();
    await this.page.keyboard.press(key);
  }

  async check(): Promise<void> {
    if (!this.one().isChecked) await this.click();
  }

  async uncheck(): Promise<void> {
    if (this.one().isChecked) await this.click();
  }

  /** By its value or its label. */
  async selectOption(choice: string | { label?: string; index?: number }): Promise<void> {
    const options = this.one()
      .below()
      .filter(({ tag }) => tag === "option");
    const { label, index } = typeof choice === "string" ? { label: choice, index: undefined } : choice;
    const found =
      options.find((one, at) => at === index || (typeof choice === "string" && one.value === choice)) ??
      options.find(({ text }) => text === label);
    if (!found) throw new Error(`${this.words} has no option ${JSON.stringify(choice)}.`);
    for (const one of options) one.isChecked = one === found;
  }
}

class PlainPage extends Finding {
  root = parse("");
  focused: Element | undefined;
  private shown: Sent = { method: "GET", url: new URL("about:blank") };
  private html = "";
  private readonly listeners: ((message: Message) => void)[] = [];

  constructor(private readonly owner: PlainContext) {
    super(undefined as never, () => [this.root], "page");
    Object.assign(this, { page: this });
  }

  keyboard = {
    press: async (key: string) => {
      if (key !== "Enter") throw new Error(`${key} is for a browser with styles.`);
      const form = this.focused && formOf(this.focused);
      if (!form) throw new Error("Nothing that can be sent has the focus.");
      await this.submit(form, fieldsOf(this.root, form).find(isSubmit));
    },
  };

  /** The request of a form on the page. */
  request = {
    post: async (url: string, { form }: { form: Record<string, string> }) => {
      const body = new URLSearchParams(form).toString();
      const sent = { method: "POST", url: new URL(url), body, from: this.shown.url };
      const { response } = await this.owner.send(sent);
      return { status: () => response.status };
    },
  };

  /** The console reports what a browser would block. No script runs, so there are no other messages. */
  on(event: string, listener: (message: Message) => void): void {
    if (event === "console") this.listeners.push(listener);
  }

  context = () => this.owner;
  close = async () => {};
  url = () => this.shown.url.href;
  content = async () => this.html;
  title = async () => this.root.below().find(({ tag }) => tag === "title")?.text;

  async goto(url: string): Promise<void> {
    await this.go({ method: "GET", url: new URL(url) });
  }

  async reload(): Promise<true> {
    await this.go(this.shown);
    return true;
  }

  async waitForURL(wanted: RegExp): Promise<void> {
    if (!wanted.test(this.url())) throw new Error(`${this.url()} is not like ${wanted}.`);
  }

  async click(element: Element): Promise<void> {
    if (element.tag === "a" && element.has("href")) {
      const url = new URL(element.getAttribute("href")!, this.shown.url);
      if (element.getAttribute("href")!.startsWith("#")) return;
      return this.go({ method: "GET", url, from: this.shown.url });
    }
    if (isSubmit(element)) {
      const form = formOf(element);
      return form && this.submit(form, element);
    }
    const target = element.getAttribute("popovertarget");
    if (target) {
      this.root.withId(target)!.isOpen = element.getAttribute("popovertargetaction") !== "hide";
      return;
    }
    if (element.role === "checkbox") {
      element.isChecked = !element.isChecked;
      return;
    }
    if (element.role === "radio") {
      const group = fieldsOf(this.root, formOf(element)!).filter(
        (one) => one.role === "radio" && one.getAttribute("name") === element.getAttribute("name"),
      );
      for (const one of group) one.isChecked = one === element;
      return;
    }
    if (element.tag === "label") {
      const field = element.labelled;
      if (field) return this.click(field);
    }
    if (element.parent) await this.click(element.parent);
  }

  private async submit(form: Element, button: Element | undefined): Promise<void> {
    const fields = fieldsOf(this.root, form).filter((one) => !one.isDisabled);
    const isHeldBack = fields.some((one) => one.has("required") && !(one.isCheckable ? one.isChecked : one.value));
    if (isHeldBack && !form.has("novalidate") && !button?.has("formnovalidate")) return;
    const sent = new URLSearchParams();
    for (const one of fields) {
      const name = one.getAttribute("name");
      const isSent = isSubmit(one) ? one === button : one.tag !== "button" && (!one.isCheckable || one.isChecked);
      if (name && isSent) sent.append(name, one.value.replaceAll(/\r?\n/g, "\r\n"));
    }
    const attribute = (name: string) => button?.getAttribute(`form${name}`) ?? form.getAttribute(name);
    const url = new URL(attribute("action") ?? "", this.shown.url);
    const from = this.shown.url;
    if (attribute("method")?.toLowerCase() === "post") {
      return this.go({ method: "POST", url, body: sent.toString(), from });
    }
    url.search = sent.toString();
    await this.go({ method: "GET", url, from });
  }

  private async go(sent: Sent): Promise<void> {
    const { request, response } = await this.owner.send(sent);
    // A file is downloaded, and its page stays.
    if (response.headers.has("content-disposition")) return;
    this.shown = request;
    this.html = await response.text();
    this.root = parse(this.html);
    for (const text of violationsOf(this.root, response.headers.get("content-security-policy"), request.url)) {
      for (const listener of this.listeners) listener({ type: () => "error", text: () => text });
    }
    this.focused = this.root.below().find((one) => one.has("autofocus"));
    const next = response.headers.get("refresh")?.match(/^0; url=(.+)/)?.[1];
    if (next) await this.go({ method: "GET", url: new URL(next, request.url), from: request.url });
  }
}

const isSubmit = (one: Element) =>
  (one.tag === "button" && (one.getAttribute("type") ?? "submit") === "submit") ||
  (one.tag === "input" && ["submit", "image"].includes(one.getAttribute("type") ?? ""));

const formOf = (field: Element) => {
  const id = field.getAttribute("form");
  return id ? field.root.withId(id) : field.closest("form");
};

const fieldsOf = (root: Element, form: Element) =>
  root
    .below()
    .filter(({ tag }) => ["input", "select", "textarea", "button"].includes(tag))
    .filter((one) => formOf(one) === form);

function says(text: string, words: Words, exact = false): boolean {
  if (words instanceof RegExp) return words.test(text);
  const wanted = words.trim().replaceAll(/\s+/g, " ");
  return exact ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase());
}
