// A real second provider, oidc-provider, over HTTPS on loopback.

import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { Visitor } from "../authorize/visitor.ts";
import { unique } from "../entities/client.ts";
import { certificate } from "./certificate.ts";

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
