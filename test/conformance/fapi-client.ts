// A client as the FAPI 2.0 Security Profile has it: it pushes its requests, proves itself by private_key_jwt, uses PKCE,
// and takes id_tokens that are signed by ES256.

import { expect } from "bun:test";
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import { CALLBACK, type Client, issuer, newPkce, RFC_PATH, RFC_TOKEN_PATH } from "../authorize/client.ts";
import { type View, Visitor } from "../authorize/visitor.ts";
import { type Answer, db, request } from "../entities/client.ts";
import { form } from "../oauth/client.ts";
import { assertion, assertionClaims, newSigner, type Signer } from "../oauth/signing-client.ts";
import { USERINFO_PATH } from "./relying-party.ts";

export const PAR = "/oauth2/par";

type Fields = Record<string, string | undefined>;

export class FapiClient {
  readonly browser = new Visitor();
  readonly pkce = newPkce();

  private constructor(
    readonly client: Client,
    readonly signer: Signer,
  ) {}

  /** @param alg what it signs its assertions by */
  static async of(client: Client, alg = "ES256"): Promise<FapiClient> {
    const signer = await newSigner(alg);
    const declared = {
      require_par: true,
      token_endpoint_auth_method: "private_key_jwt",
      jwks: db().json({ keys: [{ ...signer.jwk, alg }] } as never),
      id_token_alg: "ES256",
    };
    await db()`update credentials set ${db()(declared)} where application_id = ${client.id}`;
    return new FapiClient(client, signer);
  }

  /** What its assertion says, with more or other claims; undefined leaves one out. */
  async assertion(claims: JWTPayload = {}): Promise<Fields> {
    return assertion(await this.signer.sign({ ...assertionClaims(this.client.id, issuer()), ...claims }));
  }

  async push(fields: Fields = {}, claims: JWTPayload = {}): Promise<Answer> {
    const asked = {
      ...{ client_id: this.client.id, response_type: "code", redirect_uri: CALLBACK, scope: "openid profile" },
      ...{ state: "some state", nonce: "n-0S6_WzA2Mj", ...this.pkce.challenge },
    };
    return request("POST", PAR, { body: form({ ...asked, ...(await this.assertion(claims)), ...fields }) });
  }

  /** The browser's way after a push. */
  async pushed(fields: Fields = {}): Promise<string> {
    const answer = await this.push(fields);
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
    return this.address(answer.body.request_uri);
  }

  address(request_uri: string, beside: Record<string, string> = {}): string {
    return `${RFC_PATH}?${new URLSearchParams({ client_id: this.client.id, request_uri, ...beside })}`;
  }

  /** Signs the user in, and allows what is asked. */
  async visit(path: string): Promise<View> {
    return this.client.goThrough(this.browser, await this.browser.open(path));
  }

  async code(fields: Fields = {}): Promise<string> {
    return this.answerOf(await this.visit(await this.pushed(fields))).code!;
  }

  /** What the redirect URI is sent: in the query, and with our name (RFC 9207). */
  answerOf(view: View, state: string | undefined = "some state"): Record<string, string> {
    expect(view.status).toBe(302);
    expect(view.location!.hash).toBe("");
    const answer = Object.fromEntries(view.location!.searchParams);
    expect({ iss: answer.iss, state: answer.state }).toEqual({ iss: issuer(), state: state as string });
    return answer;
  }

  async redeem(code: string, fields: Fields = {}, claims: JWTPayload = {}): Promise<Answer> {
    return this.ask(
      { grant_type: "authorization_code", code, redirect_uri: CALLBACK, code_verifier: this.pkce.verifier, ...fields },
      claims,
    );
  }

  refresh(refresh_token: string, fields: Fields = {}): Promise<Answer> {
    return this.ask({ grant_type: "refresh_token", refresh_token, ...fields });
  }

  private async ask(fields: Fields, claims: JWTPayload = {}): Promise<Answer> {
    return request("POST", RFC_TOKEN_PATH, { body: form({ ...(await this.assertion(claims)), ...fields }) });
  }

  userinfo(accessToken: string, scheme = "Bearer"): Promise<Answer> {
    return request("GET", USERINFO_PATH, { headers: { authorization: `${scheme} ${accessToken}` } });
  }

  async idTokenOf(answer: Answer): Promise<JWTPayload> {
    const keys = createRemoteJWKSet(new URL(`${this.browser.origin}/.well-known/jwks.json`));
    const expected = { issuer: issuer(), audience: this.client.id, algorithms: ["ES256"] };
    return (await jwtVerify(answer.body.id_token, keys, expected)).payload;
  }

  /** The request, and all that follows from it. */
  async flow(fields: Fields = {}) {
    const answer = await this.redeem(await this.code(fields));
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200, body: { expires_in: 3600 } });
    const claims = await this.idTokenOf(answer);
    const userinfo = await this.userinfo(answer.body.access_token);
    expect(userinfo.body.sub).toBe(claims.sub);
    return { answer, claims, userinfo: userinfo.body as Record<string, unknown> };
  }
}
