// A client of a new tenant, and its requests.

import { createHash, randomBytes } from "node:crypto";
import { digestOf } from "../../server/identity/signin/opaque.ts";
import type { NewTenant } from "../../server/identity/tenants/index.ts";
import type { Answer } from "./api.ts";
import { addRows, setRows } from "./rows.ts";
import { newTenant, request, shared } from "./tenant.ts";
import type { View, Visitor } from "./visitor.ts";

export const SPEC_PATH = "/oauth/authorize";
export const RFC_PATH = "/oauth2/authorize";
export const RFC_TOKEN_PATH = "/oauth2/token";
export const CALLBACK = "https://app.example/callback";

type Fields = Record<string, string | undefined>;

/** Credentials fields that tests set. */
export interface Credentials {
  backchannel_logout_uri: string;
  client_type: "confidential" | "public" | "native";
  grant_types: string[];
  scopes: string[];
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  first_party: boolean;
  logo_uri: string;
  policy_uri: string;
  tos_uri: string;
  id_token_alg: string;
  access_token_type: string;
  access_token_lifetime: number;
  refresh_token_lifetime: number;
}

export class Client {
  constructor(readonly tenant: NewTenant) {}

  get id(): string {
    return this.tenant.client.clientId;
  }

  /** The path and query of an authorization request; undefined leaves a parameter out. */
  authorize(fields: Fields = {}, path = RFC_PATH): string {
    return `${path}?${parameters({
      response_type: "code",
      client_id: this.id,
      redirect_uri: CALLBACK,
      scope: "openid profile",
      state: "some state",
      ...fields,
    })}`;
  }

  /** Signs the tenant's admin in, and allows the request. */
  async visit(visitor: Visitor, fields: Fields = {}, path = RFC_PATH): Promise<View> {
    return this.goThrough(visitor, await visitor.open(this.authorize(fields, path)));
  }

  /** A code of the tenant's admin. */
  async code(visitor: Visitor, fields: Fields = {}, path = RFC_PATH): Promise<string> {
    return answerOf(await this.visit(visitor, fields, path)).code!;
  }

  /** From the sign-in page, or the browser's current page, to the client's own address. */
  async goThrough(visitor: Visitor, page: View): Promise<View> {
    let view = page;
    if (view.heading === "Sign in") view = await visitor.submit(view, this.tenant.admin);
    if (view.heading === "Allow access") view = await visitor.submit(view, { decision: "allow" });
    return view;
  }

  /** The code grant of RFC 6749 4.1.3, with additional or replaced fields. */
  token(code: string, fields: Fields = {}, path = RFC_TOKEN_PATH): Promise<Answer> {
    return this.ask(path, { grant_type: "authorization_code", code, redirect_uri: CALLBACK, ...fields });
  }

  refresh(refreshToken: string, fields: Fields = {}, path = RFC_TOKEN_PATH): Promise<Answer> {
    return this.ask(path, { grant_type: "refresh_token", refresh_token: refreshToken, ...fields });
  }

  private ask(path: string, fields: Fields): Promise<Answer> {
    const credentials = { client_id: this.id, client_secret: this.tenant.client.clientSecret };
    return request("POST", path, { body: parameters({ ...credentials, ...fields }) });
  }
}

export async function newClient(credentials: Partial<Credentials> = {}): Promise<Client> {
  const { tenant } = await newTenant();
  await setCredentials(tenant.client.clientId, { redirect_uris: [CALLBACK], ...credentials });
  return new Client(tenant);
}

/** Sets columns of a client's credentials, without the API's rules for changes. */
export async function setCredentials(id: string | number, credentials: Record<string, unknown>): Promise<void> {
  await setRows("credentials", { application_id: id }, credentials);
}

/** A second application of the same tenant. */
export async function otherClient({ tenant }: Client, credentials: Partial<Credentials> = {}): Promise<Client> {
  const clientSecret = randomBytes(32).toString("base64url");
  const all = {
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    scopes: ["openid", "profile"],
    ...credentials,
  };
  const application = { tenant_id: tenant.tenantId, name: Bun.randomUUIDv7(), is_active: true };
  const [row] = await addRows<{ id: number }>("applications", application);
  const of = { application_id: row!.id };
  await addRows("credentials", { ...of, ...all });
  await addRows("client_secrets", { id: Bun.randomUUIDv7(), ...of, digest: digestOf(clientSecret) });
  return new Client({ ...tenant, client: { clientId: String(row!.id), clientSecret, redirectUris: [CALLBACK] } });
}

/** PUBLIC_URL. The tests use the same server by its address. */
export function issuer(): string {
  return shared().url.replace("127.0.0.1", "localhost");
}

function parameters(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The address of a page that carries an authorization request inside. */
export function carrying(path: string, request: string): string {
  return `${path}?request=${Buffer.from(request).toString("base64url")}`;
}

/** RFC 7636 4.1 and 4.2. */
export function newPkce() {
  const verifier = randomBytes(32).toString("base64url");
  const code_challenge = createHash("sha256").update(verifier).digest("base64url");
  return { verifier, challenge: { code_challenge, code_challenge_method: "S256" } };
}

/** The parameters in the query or fragment of the client's address. */
export function answerOf({ location, status, heading, html }: View): Record<string, string> {
  if (!location) throw new Error(`Still at Gatehouse: ${status} "${heading}" ${html.slice(0, 2_000)}`);
  return Object.fromEntries(new URLSearchParams(location.hash ? location.hash.slice(1) : location.search));
}
