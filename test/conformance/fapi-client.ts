// A client of the FAPI 2.0 Security Profile: pushed requests, private_key_jwt, PKCE, DPoP-bound access tokens, and
// ES256 id_tokens.

import { expect } from "bun:test";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import type { Answer } from "../world/api.ts";
import {
  CALLBACK,
  type Client,
  issuer,
  newClient,
  newPkce,
  RFC_PATH,
  RFC_TOKEN_PATH,
  setCredentials,
} from "../world/client.ts";
import { form } from "../world/grants.ts";
import { assertion, assertionClaims, DpopKey, newSigner, type ProofParts, type Signer } from "../world/signer.ts";
import { request } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";
import { USERINFO_PATH } from "./relying-party.ts";

export const PAR = "/oauth2/par";

type Fields = Record<string, string | undefined>;
/** Replaces parts of a proof, or the whole proof; undefined: none. */
type Proof = Omit<ProofParts, "path"> | undefined;

export class FapiClient {
  readonly browser = new Visitor();
  readonly pkce = newPkce();

  private constructor(
    readonly client: Client,
    readonly signer: Signer,
    /** Makes the DPoP proofs. */
    public key: DpopKey,
  ) {}

  /** @param alg the algorithm of its assertions */
  static async of(client: Client, alg = "ES256"): Promise<FapiClient> {
    const signer = await newSigner(alg);
    const declared = {
      ...{ require_par: true, dpop_bound: true, security_profile: "FAPI2" },
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [{ ...signer.jwk, alg }] },
      id_token_alg: "ES256",
    };
    await setCredentials(client.id, declared);
    return new FapiClient(client, signer, await DpopKey.make());
  }

  /** The claims of its assertion, extended or replaced; undefined removes one. */
  async assertion(claims: JWTPayload = {}): Promise<Fields> {
    return assertion(await this.signer.sign({ ...assertionClaims(this.client.id, issuer()), ...claims }));
  }

  async push(fields: Fields = {}, claims: JWTPayload = {}, proof?: Proof): Promise<Answer> {
    const asked = {
      ...{ client_id: this.client.id, response_type: "code", redirect_uri: CALLBACK, scope: "openid profile" },
      ...{ state: "some state", nonce: "n-0S6_WzA2Mj", ...this.pkce.challenge },
    };
    return this.post(PAR, { ...asked, ...fields }, claims, proof);
  }

  /** The browser's path after a push. */
  async pushed(fields: Fields = {}, proof?: Proof): Promise<string> {
    const answer = await this.push(fields, {}, proof);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
    return this.address(answer.body.request_uri);
  }

  address(request_uri: string, beside: Record<string, string> = {}): string {
    return `${RFC_PATH}?${new URLSearchParams({ client_id: this.client.id, request_uri, ...beside })}`;
  }

  /** Signs the user in, and allows the request. */
  async visit(path: string): Promise<View> {
    return this.client.goThrough(this.browser, await this.browser.open(path));
  }

  async code(fields: Fields = {}, proof?: Proof): Promise<string> {
    return this.answerOf(await this.visit(await this.pushed(fields, proof))).code!;
  }

  /** The redirect's query parameters, including the issuer (RFC 9207). */
  answerOf(view: View, state: string | undefined = "some state"): Record<string, string> {
    expect(view.status).toBe(302);
    expect(view.location!.hash).toBe("");
    const answer = Object.fromEntries(view.location!.searchParams);
    expect({ iss: answer.iss, state: answer.state }).toEqual({ iss: issuer(), state: state as string });
    return answer;
  }

  async redeem(code: string, fields: Fields = {}, claims: JWTPayload = {}, proof: Proof = {}): Promise<Answer> {
    const grant = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    return this.post(RFC_TOKEN_PATH, { ...grant, code_verifier: this.pkce.verifier, ...fields }, claims, proof);
  }

  refresh(refresh_token: string, fields: Fields = {}): Promise<Answer> {
    return this.post(RFC_TOKEN_PATH, { grant_type: "refresh_token", refresh_token, ...fields }, {}, {});
  }

  userinfo(accessToken: string, proof: Proof = {}, scheme = "DPoP"): Promise<Answer> {
    return this.proving(USERINFO_PATH, { method: "GET", accessToken, ...proof }, (dpop) =>
      request("GET", USERINFO_PATH, { headers: { ...dpop, authorization: `${scheme} ${accessToken}` } }),
    );
  }

  private post(path: string, fields: Fields, claims: JWTPayload, proof: Proof): Promise<Answer> {
    return this.proving(path, proof, async (headers) =>
      request("POST", path, { headers, body: form({ ...(await this.assertion(claims)), ...fields }) }),
    );
  }

  /** Repeats the request with the nonce if one is required (RFC 9449 8). */
  private async proving(
    path: string,
    proof: Proof,
    send: (headers: Record<string, string>) => Promise<Answer>,
  ): Promise<Answer> {
    if (!proof) return send({});
    const attempt = async () => send({ dpop: await this.key.proof({ path, ...proof }) });
    const answer = await attempt();
    const isAsked = answer.body.error === "use_dpop_nonce" || /use_dpop_nonce/.test(challengeOf(answer));
    if (!isAsked || this.key.nonce) return answer;
    this.key.nonce = answer.headers.get("dpop-nonce")!;
    return attempt();
  }

  async idTokenOf(answer: Answer): Promise<JWTPayload> {
    const keys = createRemoteJWKSet(new URL(`${this.browser.origin}/.well-known/jwks.json`));
    const expected = { issuer: issuer(), audience: this.client.id, algorithms: ["ES256"] };
    return (await jwtVerify(answer.body.id_token, keys, expected)).payload;
  }

  /** The request and the complete flow. */
  async flow(fields: Fields = {}) {
    const answer = await this.redeem(await this.code(fields));
    expect({ status: answer.status, body: answer.body }).toMatchObject({
      ...{ status: 200, body: { expires_in: 3600, token_type: "DPoP" } },
    });
    const claims = await this.idTokenOf(answer);
    const userinfo = await this.userinfo(answer.body.access_token);
    expect(userinfo.body.sub).toBe(claims.sub);
    return { answer, claims, userinfo: userinfo.body as Record<string, unknown> };
  }
}

/** In a new tenant. */
export async function newFapiClient(alg?: string): Promise<FapiClient> {
  return FapiClient.of(await newClient(), alg);
}

export function challengeOf({ headers }: Answer): string {
  return headers.get("www-authenticate") ?? "";
}
