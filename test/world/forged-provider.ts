// A provider with the real protocol and configurable faults. The test itself is its authorization endpoint.

import { createHash } from "node:crypto";
import { createRemoteJWKSet, exportJWK, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { certificate } from "../support/certificate.ts";

type Json = Record<string, unknown>;

export interface Behaviour {
  /** Overrides metadata; undefined removes a member. */
  metadata?: Json;
  /** Overrides claims of the id_token. */
  idToken?: Json;
  /** Replaces the signed id_token. */
  sign?: (claims: JWTPayload, provider: ForgedProvider) => Promise<string | undefined>;
  /** Replaces the token endpoint's response. */
  token?: (answer: Json) => Json;
  /** Overrides its published key; undefined removes a member. */
  jwk?: Json;
  /** Replaces an endpoint's answer. */
  answers?: Partial<Record<string, (request: Request) => Response | Promise<Response>>>;
  userinfo?: Json;
  /** The only accepted authentication method of a client, whose secret is "a secret"; or the address of its keys. */
  takes?: "client_secret_basic" | "client_secret_post" | URL;
}

export interface ForgedProvider extends AsyncDisposable {
  issuer: string;
  behaviour: Behaviour;
  /** The requested paths, with their forms. */
  calls: { path: string; form: Json }[];
  /** The parameters of the browser's request; used in the next id_token. */
  asked: URLSearchParams;
  /** Makes a new signing key, and removes the former one. */
  rotate(): Promise<void>;
  signed(claims: JWTPayload, header?: Json): Promise<string>;
}

/** Providers share a key until they rotate it, because generating one is slow. */
const firstKeys = newKeys();

export async function startForgedProvider(behaviour: Behaviour = {}): Promise<ForgedProvider> {
  let keys = await firstKeys;
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: certificate, fetch: (request) => answer(request) });
  // A port may be reused while its former owner's metadata is cached.
  const root = `/${crypto.randomUUID()}`;
  const issuer = `https://localhost:${server.port}${root}`;
  const provider: ForgedProvider = {
    issuer,
    behaviour,
    calls: [],
    asked: new URLSearchParams(),
    rotate: async () => {
      keys = await newKeys();
    },
    signed: (claims, header) =>
      new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: keys.jwk.kid, ...header }).sign(keys.privateKey),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
  return provider;

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.replace(root, "");
    const form = Object.fromEntries(new URLSearchParams(await request.text()));
    provider.calls.push({ path, form });
    const own = provider.behaviour.answers?.[path];
    if (own) return own(request);
    switch (path) {
      case "/.well-known/openid-configuration":
        return Response.json({ ...metadata(), ...provider.behaviour.metadata });
      case "/jwks":
        return Response.json({ keys: [{ ...keys.jwk, ...provider.behaviour.jwk }] });
      case "/token":
        if (!(await isAuthenticated(request, form))) return Response.json({ error: "invalid_client" }, { status: 401 });
        return token(form);
      case "/me":
        return Response.json({ sub: "somebody", ...provider.behaviour.userinfo });
      default:
        return new Response(null, { status: 404 });
    }
  }

  async function isAuthenticated(request: Request, form: Json): Promise<boolean> {
    const { takes } = provider.behaviour;
    if (takes === undefined) return true;
    if (takes instanceof URL) {
      // RFC 7523 3, by the published key.
      const checks = { issuer: "gatehouse", subject: "gatehouse", audience: issuer, requiredClaims: ["jti", "exp"] };
      const verified = jwtVerify(String(form.client_assertion), createRemoteJWKSet(takes), checks);
      return verified.then(
        () => form.client_secret === undefined,
        () => false,
      );
    }
    const basic = `Basic ${btoa("gatehouse:a+secret")}`;
    if (takes === "client_secret_basic") return request.headers.get("authorization") === basic;
    return form.client_id === "gatehouse" && form.client_secret === "a secret" && !request.headers.has("authorization");
  }

  function metadata(): Json {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/me`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    };
  }

  async function token(form: Json): Promise<Response> {
    // RFC 7636 4.6.
    const { code_verifier: verifier } = form;
    const challenge = verifier ? createHash("sha256").update(String(verifier)).digest("base64url") : null;
    if (challenge !== provider.asked.get("code_challenge"))
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: "gatehouse",
      sub: "somebody",
      iat: now,
      exp: now + 300,
      nonce: provider.asked.get("nonce"),
      ...provider.behaviour.idToken,
    } as JWTPayload;
    const id_token = await (provider.behaviour.sign ?? ((all) => provider.signed(all)))(claims, provider);
    const answer = { access_token: "opaque", token_type: "Bearer", expires_in: 60, id_token };
    return Response.json(provider.behaviour.token?.(answer) ?? answer);
  }
}

async function newKeys() {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), alg: "RS256", use: "sig", kid: crypto.randomUUID() };
  return { privateKey, jwk };
}

/** Its authorization endpoint redirects every browser back with a code. @returns path and query at Gatehouse */
export function sentBack(
  provider: ForgedProvider,
  location: URL,
  more: Record<string, string | undefined> = {},
): string {
  provider.asked = location.searchParams;
  const back = new URL(location.searchParams.get("redirect_uri")!);
  const answer = { code: "a code", state: location.searchParams.get("state")!, ...more };
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) back.searchParams.set(name, value);
  return back.pathname + back.search;
}
