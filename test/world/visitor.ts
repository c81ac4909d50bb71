// A person's browser over plain HTTP: it keeps cookies, follows redirects within Gatehouse, and fills in forms. No
// script runs.

import { tellFault } from "../support/faults.ts";
import { saw } from "../support/until.ts";
import { shared } from "./tenant.ts";

export interface Form {
  action: string;
  fields: Record<string, string>;
}

/** The page after a step, or the redirect: `location` is set when the browser leaves Gatehouse. */
export interface View {
  status: number;
  headers: Headers;
  html: string;
  heading: string;
  forms: Form[];
  /** The form below the page that chooses its language. */
  chooser: Form | undefined;
  /** The redirect out of Gatehouse. */
  location: URL | undefined;
}

interface Hop {
  method: string;
  url: string;
  status: number;
  headers: Headers;
}

/** Gatehouse's cookies over http, without the port of PUBLIC_URL at the end. */
type OurCookie = `gatehouse-${string}`;

export const FORM = "application/x-www-form-urlencoded";
const REDIRECTS = [301, 302, 303, 307, 308];

export class Visitor {
  readonly cookies = new Map<OurCookie, string>();
  /** The end of the cookies' names, which distinguishes installations on one host: the port of PUBLIC_URL. */
  private installation: string;
  /** Every response so far. */
  readonly trail: Hop[] = [];

  /** @param ca authority of a site other than Gatehouse */
  constructor(
    readonly origin = shared().url,
    private readonly ca?: string,
  ) {
    const { port } = new URL(origin);
    this.installation = port && `-${port}`;
  }

  /** The same browser at another process of the installation. */
  at(origin: string): Visitor {
    const other = new Visitor(origin);
    other.installation = this.installation;
    for (const [name, value] of this.cookies) other.cookies.set(name, value);
    return other;
  }

  /** The value of a Cookie header. */
  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}${this.installation}=${value}`).join("; ");
  }

  open(path: string, headers: Record<string, string> = {}): Promise<View> {
    return this.go("GET", this.origin + path, undefined, headers);
  }

  post(path: string, fields: Record<string, string> | string, headers: Record<string, string> = {}): Promise<View> {
    return this.go("POST", new URL(path, this.origin).href, new URLSearchParams(fields).toString(), headers);
  }

  /** Any body, also one that no form has. */
  send(path: string, method: string, body?: string | FormData, headers: Record<string, string> = {}): Promise<View> {
    return this.go(method, this.origin + path, body, headers);
  }

  /** Sends the page's form with additional or replaced fields; undefined removes one. */
  submit(view: View, fields: Record<string, string | undefined> = {}, headers: Record<string, string> = {}) {
    const form = view.forms[0];
    if (!form) throw new Error(`No form on the page "${view.heading}" (${view.status}).`);
    const all = Object.entries({ ...form.fields, ...fields });
    const sent = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
    return this.post(form.action, Object.fromEntries(sent), headers);
  }

  private async go(
    method: string,
    url: string,
    body: string | FormData | undefined,
    headers: Record<string, string>,
  ): Promise<View> {
    const sent = new Headers(headers);
    if (typeof body === "string" && !sent.has("content-type")) sent.set("content-type", FORM);
    if (this.cookies.size > 0) sent.set("cookie", this.cookieHeader);
    const response = await fetch(url, {
      method,
      body,
      redirect: "manual",
      headers: sent,
      ...(this.ca && { tls: { ca: this.ca } }),
    });
    this.keep(response);
    tellFault(method, response);
    this.trail.push({ method, url, status: response.status, headers: response.headers });
    const location = response.headers.get("location");
    if (location === null || !REDIRECTS.includes(response.status)) return this.seen(method, url, response);
    const target = new URL(location, url);
    if (target.origin !== this.origin) return this.seen(method, url, response, target);
    return this.go("GET", target.href, undefined, headers);
  }

  private async seen(method: string, url: string, response: Response, location?: URL): Promise<View> {
    const seen = await view(response, location);
    saw(`answer of ${method} ${url}`, () => `${seen.status} "${seen.heading}" ${location?.href ?? textOf(seen.html)}`);
    return seen;
  }

  private keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const cookie = Bun.Cookie.parse(line);
      const [name, installation] = cookie.name.split(/(?=-\d+$)/) as [OurCookie, string?];
      this.installation = installation ?? "";
      if (cookie.maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, cookie.value);
    }
  }
}

async function view(response: Response, location: URL | undefined): Promise<View> {
  const html = await response.text();
  const forms: Form[] = [];
  let heading = "";
  new HTMLRewriter()
    .on("h1", {
      text: ({ text }) => {
        heading += text;
      },
    })
    .on("form[method=post]", {
      element: (form) => {
        forms.push({ action: form.getAttribute("action")!, fields: {} });
      },
    })
    .on("form[method=post] input", {
      element: (input) => {
        forms.at(-1)!.fields[input.getAttribute("name")!] = decoded(input.getAttribute("value") ?? "");
      },
    })
    .transform(html);
  const chooser = forms.at(-1)?.action.endsWith("/language") ? forms.pop() : undefined;
  return { status: response.status, headers: response.headers, html, location, heading, forms, chooser };
}

/** The text of a page, without its markup. */
const textOf = (html: string) => html.replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, " ");

/** HTMLRewriter returns attributes undecoded. */
function decoded(text: string): string {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#34": '"', "#39": "'" };
  return text.replace(/&(amp|lt|gt|quot|#34|#39);/g, (_, name: string) => entities[name]!);
}
