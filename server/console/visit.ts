import { type Caller, type Permitted, permit, type Scope } from "../access/index.ts";
import { NO_STORE } from "../http/conditions.ts";
import { type Cookies, type Forms, flashCookie, type Session } from "../signin/index.ts";
import { decisionOf, type Question } from "../ui/index.ts";

/** What a policy decides over: a record in its response shape. */
type Subject = Record<string, unknown>;
type Action = Extract<Scope, `${string}:${string}`>;

const REFRESH = "refresh";

export interface VisitProps {
  request: Request;
  url: URL;
  params: Record<string, string>;
  caller: Caller;
  session: Session;
  organisation: string;
  csrf: string;
  formCookies: string[];
  forms: Pick<Forms, "sealShown" | "hasShown">;
  cookies: Cookies;
  href: (path: string) => string;
  /** Where the records of a type have their pages: a path with `:id`. */
  pageOf: (type: string) => string | undefined;
}

/** A request to a page of Settings by somebody who may be there. */
export class Visit {
  readonly request: Request;
  /** Path and query, without what is said of refreshing. */
  readonly url: URL;
  /** False if the reader has stopped it (WCAG 2.2, 2.2.2). */
  readonly refreshes: boolean;
  /** What stands in the path in place of `:id` and its like. */
  readonly params: Record<string, string>;
  /** Who asks, as the REST API's bearer check gives it: all service functions take it. */
  readonly caller: Caller;
  readonly session: Session;
  /** The tenant's name. */
  readonly organisation: string;
  /** Of a POST, its fields; the token is checked already. Of a GET, empty. */
  form = new URLSearchParams();
  /** For the forms of the page; `Form` puts it there. */
  readonly csrf: string;
  /** Of a page with the policy editor, whose script makes styles: CSP allows them by it. */
  editorNonce: string | undefined;
  /** Set-Cookie values that go with it. */
  readonly formCookies: string[];
  /** The part of the page, by its id, that refreshes itself and needs no other one; undefined: all is asked for. */
  private readonly part: string | undefined;
  /** A path of ours as a browser has to ask for it. */
  readonly href: (path: string) => string;
  private readonly pageOf: VisitProps["pageOf"];
  private readonly cookies: Cookies;
  private readonly forms: VisitProps["forms"];

  constructor(props: VisitProps) {
    this.request = props.request;
    this.url = new URL(props.url);
    this.refreshes = this.url.searchParams.get(REFRESH) !== "off";
    this.url.searchParams.delete(REFRESH);
    this.part = /#([\w-]+)$/.exec(props.request.headers.get("hx-target") ?? "")?.[1];
    this.params = props.params;
    this.caller = props.caller;
    this.session = props.session;
    this.organisation = props.organisation;
    this.csrf = props.csrf;
    this.formCookies = props.formCookies;
    this.href = props.href;
    this.pageOf = props.pageOf;
    this.cookies = props.cookies;
    this.forms = props.forms;
  }

  /**
   * Whether to offer a button; the service function has the last word. Without a record: whether any could be meant.
   * @example visit.may("Webhooks:Update", "WebhookConnection", record)
   */
  may(action: Action, type?: string, record?: Subject): boolean {
    const { scopes, permissions } = this.caller;
    if (!scopes.has(action)) return false;
    return !type || !record || permissions.allows(action, type, record);
  }

  /** The hidden field `shown` of a form that asks: a MAC of where it goes and of all that the question decides. */
  seal(action: string, question: Question): string {
    return this.forms.sealShown(this.csrf, [action, ...decisionOf(question)]);
  }

  /** Whether the form that was sent here has asked exactly this. */
  hasAsked(question: Question): boolean {
    const [csrf, shown] = ["csrf", "shown"].map((name) => this.form.get(name) ?? undefined);
    return this.forms.hasShown(csrf, shown, [this.url.pathname, ...decisionOf(question)]);
  }

  /** Whether a part of the page that stands alone is to be made. */
  wants(part: string): boolean {
    return this.part === undefined || this.part === part;
  }

  /** For a service function that takes these scopes. @throws Permission */
  permitted<S extends Scope>(...scopes: S[]): Permitted<S> {
    return permit(this.caller, scopes);
  }

  /** A record's own page, if it has one. */
  pathOf({ Type, Id }: { Type: string; Id: string | number }): string | undefined {
    return this.pageOf(Type)?.replace(":id", String(Id));
  }

  /** The same page, refreshing itself or not. */
  sameHref(refreshes: boolean): string {
    const query = new URLSearchParams(this.url.searchParams);
    if (!refreshes) query.set(REFRESH, "off");
    return this.href(this.url.pathname) + (query.size > 0 ? `?${query}` : "");
  }

  /**
   * Goes on after a form: 303, so that it is not sent twice.
   * @param told what the next page says at its top, at most 300 characters
   */
  goTo(path: string, told?: string): Response {
    // An Id of the address may have characters that no header takes.
    const { pathname, search, hash } = new URL(path, this.url);
    const headers = new Headers({ location: this.href(pathname) + search + hash, ...NO_STORE });
    if (told) headers.append("set-cookie", flashCookie(this.cookies, told));
    return new Response(null, { status: 303, headers });
  }
}
