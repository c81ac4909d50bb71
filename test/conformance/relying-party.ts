// A relying party with the checks of every module of the OpenID conformance suite
// (openid-certification/conformance-suite, AbstractOIDCCServerTest).

import { expect } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import type { Answer } from "../world/api.ts";
import { CALLBACK, type Client, issuer, newClient, RFC_TOKEN_PATH } from "../world/client.ts";
import { basic, form } from "../world/grants.ts";
import { setUsers } from "../world/planted.ts";
import { elapse } from "../world/rows.ts";
import { request, shared } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

/** The response type and mode of all requests of a test plan. */
export interface Variant {
  plan: string;
  response_type: "code" | "code id_token";
  response_mode: "form_post" | undefined;
}

export const VARIANTS: Variant[] = [
  { plan: "Basic OP", response_type: "code", response_mode: undefined },
  { plan: "Form Post OP, code", response_type: "code", response_mode: "form_post" },
  { plan: "Hybrid OP, code id_token", response_type: "code id_token", response_mode: undefined },
  { plan: "Form Post OP, code id_token", response_type: "code id_token", response_mode: "form_post" },
];

export type Fields = Record<string, string | undefined>;

/** The results of one request. */
export interface Flow {
  /** The redirect's parameters. */
  front: Record<string, string>;
  token: Answer;
  /** Claims of the token endpoint's id_token. */
  claims: JWTPayload;
  userinfo: Record<string, unknown>;
}

export const USERINFO_PATH = "/oauth2/userinfo";
export const ADA = { name: "Ada Lovelace", email: "ada@example.com", phone_number: "+441815" };

export class RelyingParty {
  constructor(
    readonly client: Client,
    readonly variant: Variant,
    /** A user has signed in here. */
    readonly browser: Visitor,
  ) {}

  /** Its user has a value for every claim and has granted every OpenID Connect scope. */
  static async start(variant: Variant): Promise<RelyingParty> {
    const client = await newClient();
    const { name, email, phone_number: mobile_phone } = ADA;
    await setUsers(client.tenant, { name, email, mobile_phone });
    const browser = new Visitor();
    await client.visit(browser, { scope: "openid profile email address phone" });
    return new RelyingParty(client, variant, browser);
  }

  /** Path and query of a request; undefined removes a parameter. */
  request(fields: Fields = {}): string {
    const { response_type, response_mode } = this.variant;
    return this.client.authorize({ scope: "openid", nonce: "n-0S6_WzA2Mj", response_type, response_mode, ...fields });
  }

  /** The redirect's parameters, checked for the requested response mode. */
  answerOf(view: View): Record<string, string> {
    const { response_type, response_mode } = this.variant;
    if (response_mode === "form_post") {
      expect(view).toMatchObject({ status: 200, location: undefined, forms: [{ action: CALLBACK }] });
      return view.forms[0]!.fields;
    }
    expect(view.status).toBe(302);
    const { origin, pathname, search, hash } = view.location!;
    expect(origin + pathname).toBe(CALLBACK);
    expect(response_type === "code" ? hash : search).toBe("");
    return Object.fromEntries(new URLSearchParams(response_type === "code" ? search : hash.slice(1)));
  }

  /** The error of a rejected request. */
  async error(fields: Fields, browser = this.browser): Promise<string> {
    const { error, error_description, ...rest } = this.answerOf(await browser.open(this.request(fields)));
    expect(error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(rest).toEqual({ state: fields.state ?? "some state", iss: issuer() });
    return error!;
  }

  /** A request that is answered at once, and the complete flow after it. */
  async flow(fields: Fields = {}): Promise<Flow> {
    return this.goOn(await this.browser.open(this.request(fields)), fields);
  }

  /** From the redirect on: the code's tokens, and userinfo. */
  async goOn(view: View, fields: Fields = {}): Promise<Flow> {
    const front = this.answerOf(view);
    expect(front).toMatchObject({ state: fields.state ?? "some state", iss: issuer() });
    const isHybrid = this.variant.response_type === "code id_token";
    const nonce = "nonce" in fields ? fields.nonce : "n-0S6_WzA2Mj";
    expect(Object.keys(front).sort()).toEqual(["code", ...(isHybrid ? ["id_token"] : []), "iss", "state"]);

    const token = await this.redeem(front.code!, fields.code_verifier);
    expect(token.status).toBe(200);
    const { access_token, id_token } = token.body;
    const claims = await this.verified(id_token, nonce);
    if (claims.at_hash !== undefined) expect(claims.at_hash).toBe(halfHash(access_token));
    if (isHybrid) {
      const { sub, c_hash, iss } = await this.verified(front.id_token!, nonce);
      expect({ sub, c_hash, iss }).toEqual({ sub: claims.sub, c_hash: halfHash(front.code!), iss: claims.iss });
    }
    const userinfo = await request("GET", USERINFO_PATH, { headers: { authorization: `Bearer ${access_token}` } });
    expect(userinfo.status).toBe(200);
    expect(userinfo.body.sub).toBe(claims.sub);
    return { front, token, claims, userinfo: userinfo.body };
  }

  /** As client_secret_basic. */
  redeem(code: string, code_verifier?: string): Promise<Answer> {
    const { clientId, clientSecret } = this.client.tenant.client;
    const body = form({ grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier });
    return request("POST", RFC_TOKEN_PATH, { headers: basic(clientId, clientSecret), body });
  }

  /** Simulates elapsed time since the user's sign-in. */
  async ageSession(seconds: number): Promise<void> {
    await elapse(`${seconds} seconds`, "sessions", { tenant_id: this.client.tenant.tenantId }, "auth_time");
  }

  /** The suite's PerformStandardIdTokenChecks, including the signature by JWKS. */
  private async verified(idToken: string, nonce: string | undefined): Promise<JWTPayload> {
    const { payload, protectedHeader } = await jwtVerify(idToken, jwks(), {
      issuer: issuer(),
      audience: this.client.id,
      algorithms: ["RS256"],
      requiredClaims: ["iat", "exp", "sub"],
    });
    expect(protectedHeader.kid).toBeString();
    expect(payload.nonce).toBe(nonce);
    expect(payload.sub!.length).toBeWithin(1, 256);
    expect(payload.exp! - payload.iat!).toBeWithin(1, 86_401);
    return payload;
  }
}

let keys: ReturnType<typeof createRemoteJWKSet> | undefined;
function jwks() {
  keys ??= createRemoteJWKSet(new URL(`${shared().url}/.well-known/jwks.json`));
  return keys;
}

/** OIDC Core 3.3.2.11, for RS256. */
function halfHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 16).toString("base64url");
}

/** The request that a form_post page sends to the redirect URI. */
export function formRequest({ forms }: View): Request {
  const { action, fields } = forms[0]!;
  return new Request(action, { method: "POST", body: new URLSearchParams(fields) });
}

/** The longest state in the suite. */
export const LONG_STATE = randomBytes(96).toString("base64url");
