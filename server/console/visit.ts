import type { Cookies, IdentityServices, Session } from "../identity/index.ts";
import { NO_STORE } from "../platform/http/conditions.ts";
import { type Caller, type Permitted, permit, type Scope } from "../records/index.ts";
import { decisionOf, type Question } from "../ui/index.ts";

/** A refreshing part, and the digest of its content. */
export interface Rendered {
  html: string;
  digest: string;
}

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
  forms: Pick<IdentityServices["forms"], "sealShown" | "hasShown">;
  cookies: Cookies;
  href: (path: string) => string;
  pageOf: (type: string) => string | undefined;
}

export class Visit {
  readonly request: Request;
  /** The path and query without the refresh setting. */
  readonly url: URL;
  /** False if the reader has paused it (WCAG 2.2, 2.2.2). */
  readonly refreshes: boolean;
  readonly params: Record<string, string>;
  /** The caller, as the REST API's bearer check returns it; service functions take it. */
  readonly caller: Caller;
  readonly session: Session;
  readonly organisation: string;
  /** The fields of a POST, with the token checked; empty for GET. */
  form = new URLSearchParams();
  /** The token of the page's forms, inserted by `Form`. */
  readonly csrf: string;
  /** The CSP nonce for the policy editor's styles. */
  editorNonce: string | undefined;
  readonly formCookies: string[];
  /** The seconds after which parts of the page refresh. */
  refreshSeconds: number | undefined;
  /** The page shows a secret. */
  isSecret = false;
  /** The requested part, once rendered. */
  rendered: Rendered | undefined;
  /** The id of the refreshing part that is requested; undefined: the whole page. */
  private readonly part: string | undefined;
  /** A path under PUBLIC_URL, which may have a path prefix. */
  readonly href: (path: string) => string;
  private readonly pageOf: VisitProps["pageOf"];
  private readonly cookies: Cookies;
  private readonly forms: VisitProps["forms"];

  constructor(props: VisitProps) {
    this.request = props.request;
    this.url = new URL(props.url.href);
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
   * Whether to offer a button; the service function makes the final decision. Without a record: whether any record may
   * be permitted.
   */
  may(action: Action, type?: string, record?: Subject): boolean {
    const { scopes, permissions } = this.caller;
    if (!scopes.has(action)) return false;
    return !type || !record || permissions.allows(action, type, record);
  }

  /** The hidden field `shown`: a MAC of the action and everything that the question decides. */
  seal(action: string, question: Question): string {
    return this.forms.sealShown(this.csrf, [action, ...decisionOf(question)]);
  }

  hasAsked(question: Question): boolean {
    const [csrf, shown] = ["csrf", "shown"].map((name) => this.form.get(name) ?? undefined);
    return this.forms.hasShown(csrf, shown, [this.url.pathname, ...decisionOf(question)]);
  }

  /** Whether to render a separately refreshed part. */
  wants(part: string): boolean {
    return this.part === undefined || this.part === part;
  }

  /** Called for each refreshing part. */
  render(part: string, { html, digest }: Rendered): void {
    if (this.part === part) this.rendered = { html, digest };
  }

  permitted<S extends Scope>(...scopes: S[]): Permitted<S> {
    return permit(this.caller, scopes);
  }

  pathOf({ Type, Id }: { Type: string; Id: string | number }): string | undefined {
    return this.pageOf(Type)?.replace(":id", String(Id));
  }

  sameHref(refreshes: boolean): string {
    const query = new URLSearchParams(this.url.searchParams);
    if (!refreshes) query.set(REFRESH, "off");
    return this.href(this.url.pathname) + (query.size > 0 ? `?${query}` : "");
  }

  /** 303, so reloading does not repeat the POST. @param notice a message for the next page, at most 300 characters */
  goTo(path: string, notice?: string): Response {
    // An Id from the path may contain characters that are invalid in a header.
    const { pathname, search, hash } = new URL(path, this.url);
    const headers = new Headers({ location: this.href(pathname) + search + hash, ...NO_STORE });
    if (notice) headers.append("set-cookie", this.cookies.setNotice(notice));
    return new Response(null, { status: 303, headers });
  }
}
