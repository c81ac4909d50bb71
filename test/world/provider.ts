// A real second provider, oidc-provider, over HTTPS on loopback, and tenants whose users sign in there.

import { expect } from "bun:test";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { decodeJwt, exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { certificate } from "../support/certificate.ts";
import { type Api, unique } from "./api.ts";
import { type Client, newClient } from "./client.ts";
import { sentBack, startForgedProvider } from "./forged-provider.ts";
import { clientOf } from "./tenant.ts";
import { type View, Visitor } from "./visitor.ts";

/** Claims of users at the provider, by login. */
export type People = Record<string, Record<string, unknown>>;

export interface RealProvider extends AsyncDisposable {
  issuer: string;
  people: People;
  /** Registers Gatehouse as a client there. */
  register(redirectUri: string, more?: Record<string, unknown>): Promise<{ ClientId: string; ClientSecret: string }>;
  /** A browser at the provider's own pages. */
  visitor(): Visitor;
}

export async function startRealProvider(): Promise<RealProvider> {
  const server = createServer(certificate);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const people: People = {};
  const provider = new Provider(issuer, {
    features: { registration: { enabled: true } },
    claims: {
      openid: ["sub"],
      profile: ["name", "preferred_username"],
      email: ["email", "email_verified"],
      phone: ["phone_number", "phone_number_verified"],
    },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ ...people[id], sub: id }) }),
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256", "EdDSA"] },
    jwks: { keys: await Promise.all(["RS256", "ES256", "EdDSA"].map(newKey)) },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 60, IdToken: 60 },
    cookies: { keys: [crypto.randomUUID()] },
  });
  server.on("request", provider.callback());
  return {
    issuer,
    people,
    visitor: () => new Visitor(issuer, certificate.ca),
    async register(redirectUri, more = {}) {
      const response = await fetch(`${issuer}/reg`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        // Gatehouse uses http on loopback here, which only a native application may do.
        body: JSON.stringify({ redirect_uris: [redirectUri], application_type: "native", ...more }),
        tls: { ca: certificate.ca },
      });
      const { client_id, client_secret } = (await response.json()) as Record<string, string>;
      return { ClientId: client_id!, ClientSecret: client_secret! };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function newKey(alg: string) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, use: "sig", kid: alg };
}

/** A user at the provider. */
export function newPerson({ people }: RealProvider, claims: Record<string, unknown> = {}) {
  const login = unique("person");
  const [username, email] = [`${login}-name`, `${login}@example.com`];
  people[login] = { name: "Ana Silva", preferred_username: username, email, email_verified: true, ...claims };
  return { login, username, email };
}

export interface UpstreamTenant {
  client: Client;
  caller: Api;
  /** The IdentityProvider in the API. */
  provider: Record<string, unknown> & { Id: string; Name: string; RedirectUri: string };
}

/** @param fields replace those of an OpenID Connect provider with Provisioning Create */
export async function newUpstreamTenant(fields: Record<string, unknown>): Promise<UpstreamTenant> {
  const client = await newClient({ first_party: true });
  const caller = await clientOf(client.tenant);
  const provider = await addProvider(caller, fields);
  return { client, caller, provider };
}

export function addProvider(caller: Api, fields: Record<string, unknown>): Promise<UpstreamTenant["provider"]> {
  return caller.made("IdentityProvider", {
    Name: "Example ID",
    Type: "OpenIDConnect",
    ClientId: "gatehouse",
    Provisioning: "Create",
    Is_Active: true,
    ...fields,
  });
}

/** Like newUpstreamTenant, but registered at the real provider. */
export async function newRealTenant(
  real: RealProvider,
  fields: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): Promise<UpstreamTenant> {
  const tenant = await newUpstreamTenant({ Issuer: real.issuer, ...fields });
  const { Id, RedirectUri } = tenant.provider;
  const registered = await real.register(RedirectUri, metadata);
  return { ...tenant, provider: await tenant.caller.made("IdentityProvider", { Id, ...registered }) };
}

/** Fields of the real provider without OpenID Connect. */
export function plainOAuth({ issuer }: RealProvider) {
  return {
    Type: "OAuth2",
    Issuer: null,
    AuthorizationEndpoint: `${issuer}/auth`,
    TokenEndpoint: `${issuer}/token`,
    UserinfoEndpoint: `${issuer}/me`,
    Scopes: ["openid", "profile"],
    Mapping: { Name: "preferred_username", External_Id: "sub" },
  };
}

/** Sets the provider as the AuthenticationId of the tenant's client. */
export async function force({ caller, client, provider }: UpstreamTenant): Promise<void> {
  await caller.made("Application", { Id: client.id, AuthenticationId: { Id: provider.Id } });
}

/** From the sign-in page to the provider, by its link or by a direct redirect. @returns the address of the redirect */
export async function toProvider(visitor: Visitor, page: View): Promise<URL> {
  const view = page.location ? page : await visitor.open(linksOf(page)[0]!.href);
  if (!view.location) throw new Error(`Still at Gatehouse: ${view.status} "${view.heading}" ${view.html}`);
  return view.location;
}

/** Signs in at the real provider's own pages. @returns the address of the redirect back */
export async function signInThere(atProvider: Visitor, location: URL, login: string): Promise<URL> {
  let view = await atProvider.open(location.pathname + location.search);
  while (!view.location)
    view = await atProvider.submit(view, view.forms[0]!.fields.prompt === "login" ? { login, password: "any" } : {});
  return view.location;
}

export function comeBack(visitor: Visitor, { pathname, search }: URL): Promise<View> {
  return visitor.open(pathname + search);
}

/** One complete sign-in. */
export async function signIn(visitor: Visitor, atProvider: Visitor, login: string, address: string): Promise<View> {
  const location = await toProvider(visitor, await visitor.open(address));
  return comeBack(visitor, await signInThere(atProvider, location, login));
}

export function linksOf({ html }: View): { href: string; text: string }[] {
  const found = html.matchAll(/<a class="button outline" href="([^"]*)"[^>]*>([^<]*)<\/a>/g);
  return [...found].map(([, href, text]) => ({ href: href!.replaceAll("&amp;", "&"), text: text! }));
}

/** The id_token for a code. */
export async function idTokenOf(client: Client, code: string) {
  const token = await client.token(code);
  expect(token.status).toBe(200);
  return { claims: decodeJwt(token.body.id_token), accessToken: token.body.access_token as string };
}

/** The account page's form that leads to the provider; undefined if there is none. */
export function linkingForm({ forms }: View, { provider }: UpstreamTenant) {
  return forms.find(({ action, fields }) => action === "/account/providers/start" && fields.provider === provider.Id);
}

/**
 * Starts at the account page, even if the page no longer offers the provider.
 * @returns the address that the page continues to
 */
export async function startLinking(visitor: Visitor, { provider }: UpstreamTenant): Promise<URL> {
  // The pages of every session have a form with the token.
  const { csrf } = (await visitor.open("/account/second-factor")).forms[0]!.fields;
  const page = await visitor.post("/account/providers/start", { csrf: csrf!, provider: provider.Id });
  return new URL(page.headers.get("refresh")!.replace(/^0; url=/, ""));
}

/** A browser before its redirect back from a provider. */
export async function onTheWay() {
  const provider = await startForgedProvider();
  const tenant = await newUpstreamTenant({ Issuer: provider.issuer });
  const visitor = new Visitor();
  const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
  return { provider, tenant, visitor, location, back: sentBack(provider, location) };
}

/** The response to a browser that returns without having been redirected. */
export function expectNothing(view: View, visitor: Visitor): void {
  expect(view).toMatchObject({ status: 400, location: undefined });
  expect(view.html).toContain("started in a different browser");
  expect(visitor.cookies.has("gatehouse-session")).toBe(false);
}

/** The checks of a provider without a user. */
export async function tested({ caller, provider }: UpstreamTenant) {
  const { status, body } = await caller.send("POST", `/IdentityProvider/${provider.Id}/Test`);
  expect(status).toBe(200);
  return body as { Works: boolean; Checks: { Name: string; Outcome: string; Message: string }[] };
}
