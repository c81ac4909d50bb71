// An installation with one tenant, and a site where clients publish their metadata documents.

import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { createTenant, type NewTenant } from "../../server/identity/tenants/index.ts";
import { certificate } from "../support/certificate.ts";
import { type KeyDatabase, newKeyDatabase } from "../support/key-database.ts";
import { startProcess } from "../support/process.ts";
import { type Api, ok, requestAt, signIn } from "./api.ts";
import { answerOf, newPkce } from "./client.ts";
import { setting } from "./tenant.ts";
import { type View, Visitor } from "./visitor.ts";

export const REDIRECT = "https://app.example/callback";
type Fields = Record<string, string | undefined>;

/** Answers by path; unknown paths are 404. */
export interface Site extends AsyncDisposable {
  host: string;
  pages: Map<string, () => Response>;
  /** Paths, in the order of requests. */
  asked: string[];
  /** Publishes a document. @returns its address */
  publish(document?: object, answer?: (body: object) => Response): string;
}

export function newSite(): Site {
  const pages = new Map<string, () => Response>();
  const asked: string[] = [];
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, tls: certificate },
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      return pages.get(pathname)?.() ?? new Response("Not here", { status: 404 });
    },
  });
  const host = `localhost:${server.port}`;
  return {
    ...{ host, pages, asked },
    publish(document = {}, answer = (body) => Response.json(body)) {
      const path = `/${Bun.randomUUIDv7()}.json`;
      const url = `https://${host}${path}`;
      pages.set(path, () => answer({ ...documentOf(url), ...document }));
      return url;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export const documentOf = (url: string) => ({
  client_id: url,
  client_name: `Assistant ${url.slice(-17, -5)}`,
  client_uri: "https://app.example",
  logo_uri: "https://app.example/logo.png",
  redirect_uris: [REDIRECT],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  scope: "openid profile",
});

export interface Installation extends AsyncDisposable {
  database: KeyDatabase;
  url: string;
  tenant: NewTenant;
  admin: Api;
  /** Requests to its host are permitted. */
  site: Site;
}

export async function newInstallation(): Promise<Installation> {
  const database = await newKeyDatabase();
  const site = newSite();
  const tenant = await createTenant(database.sql, "tenant");
  const url = `http://127.0.0.1:${await nextFreePort(0, "127.0.0.1", new Set())}`;
  const child = startProcess("server/serve.ts", {
    ...{ DATABASE_URL: database.url, MASTER_KEY: database.masterKeyText },
    ...{ PORT: new URL(url).port, PUBLIC_URL: url, LOG_LEVEL: "info" },
    ...{ RATE_LIMIT: "100000", RATE_LIMIT_BURST: "100000" },
    // No other address of this machine is permitted.
    ...{ EGRESS_ALLOW: "127.0.0.0/8, ::1/128", EGRESS_ALLOW_STRANGERS: site.host },
    EGRESS_CA_FILE: `${setting("GATEHOUSE_TEST_DATA_DIR")}/receiver/ca.pem`,
  });
  await child.said((message) => message === "api ready");
  return {
    ...{ database, url, tenant, site },
    admin: await signIn(url, tenant),
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

export async function set({ admin }: Installation, mode: "On" | "Off", scopes = ["openid", "profile"]): Promise<void> {
  await ok(admin.patch("/TenantSettings", { ClientIdMetadataDocuments: mode, RegistrationScopes: scopes }));
}

/** One person and one application of an installation. */
export class Comer {
  readonly visitor: Visitor;
  readonly pkce = newPkce();

  constructor(
    readonly installation: Installation,
    readonly clientId: string,
  ) {
    this.visitor = new Visitor(installation.url);
  }

  open(fields: Fields = {}): Promise<View> {
    const all = {
      ...{ response_type: "code", client_id: this.clientId, redirect_uri: REDIRECT, scope: "openid profile" },
      ...{ state: "some state", ...this.pkce.challenge, ...fields },
    };
    return this.visitor.open(`/oauth2/authorize?${form(all)}`);
  }

  /** The consent page. */
  async consent(fields: Fields = {}): Promise<View> {
    const view = await this.open(fields);
    return view.heading === "Sign in" ? this.visitor.submit(view, this.installation.tenant.admin) : view;
  }

  async code(fields: Fields = {}): Promise<string> {
    const view = await this.consent(fields);
    const last = view.heading === "Allow access" ? await this.visitor.submit(view, { decision: "allow" }) : view;
    return answerOf(last).code!;
  }

  redeem(code: string, fields: Fields = {}): ReturnType<typeof requestAt> {
    const own = { client_id: this.clientId, redirect_uri: REDIRECT, code_verifier: this.pkce.verifier };
    return this.token({ grant_type: "authorization_code", code, ...own, ...fields });
  }

  token(fields: Fields): ReturnType<typeof requestAt> {
    return requestAt(this.installation.url, "POST", "/oauth2/token", { body: form(fields) });
  }
}

export function form(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
