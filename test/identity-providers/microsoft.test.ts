// Microsoft's addresses for all organisations, whose metadata has no single issuer.

import { expect, test } from "bun:test";
import { createProtocol } from "../../server/identity/signin/upstream/protocol.ts";
import type { Provider } from "../../server/identity/signin/upstream/providers/contract.ts";
import type { EgressFetch } from "../../server/platform/egress/index.ts";
import { createVault } from "../../server/platform/vault.ts";
import { certificate } from "../support/certificate.ts";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { setting } from "../world/tenant.ts";

const MICROSOFT = "https://login.microsoftonline.com";
const ORGANISATION = "0a1b2c3d-0000-4000-8000-000000000001";
const CHECKS = { state: "a state", nonce: "a nonce", codeVerifier: "v".repeat(43) };
const WISH = { maxAge: undefined, loginHint: "" };

const forged = closedAfterAll(await startForgedProvider());

/** Requests to Microsoft go to the forged provider, also by HTTPS, because tests cannot use its name and port. */
const fetchThere: EgressFetch = (_, address, { method, headers, body }) => {
  const path = new URL(address).pathname.replace(/^\/(common|organizations)(\/v2\.0)?/, "");
  return fetch(forged.issuer + path, { method, headers, body, redirect: "manual", tls: { ca: certificate.ca } });
};

function atMicrosoft(audience: string): Provider {
  const issuer = `${MICROSOFT}/${audience}/v2.0`;
  forged.behaviour.metadata = {
    issuer: `${MICROSOFT}/{tenantid}/v2.0`,
    authorization_endpoint: `${MICROSOFT}/${audience}/authorize`,
    token_endpoint: `${MICROSOFT}/${audience}/token`,
    jwks_uri: `${MICROSOFT}/${audience}/jwks`,
    userinfo_endpoint: undefined,
  };
  return {
    ...{ id: 1, name: "Microsoft", externalId: null, type: "OpenIDConnect", issuer, clientId: "gatehouse" },
    ...{ authorizationEndpoint: null, tokenEndpoint: null, userinfoEndpoint: null, clientSecret: null },
    ...{ tokenEndpointAuthMethod: null, scopes: ["openid"], mapping: {}, provisioning: "Create", allowedDomains: [] },
    ...{ allowedTenants: [ORGANISATION], requireVerifiedEmail: false, allowLocal: false, isActive: true },
    ...{ clientKey: null, authorizationParameters: {}, signOut: false },
    ...{ metadataUri: null, idTokenAlg: null, emailsEndpoint: null },
  };
}

/** Signs in there, and returns with an id_token with these claims. */
async function signIn(provider: Provider, claims: Record<string, unknown>) {
  const vault = createVault(setting("GATEHOUSE_TEST_MASTER_KEY"));
  const { authorizationUrl, identify } = createProtocol(fetchThere, vault, "https://gatehouse.example");
  const location = new URL(await authorizationUrl("tenant" as never, provider, CHECKS, WISH));
  expect(location.origin).toBe(MICROSOFT);
  forged.behaviour.idToken = claims;
  const query = new URL(sentBack(forged, location), "https://gatehouse.example").search;
  return identify("tenant" as never, provider, CHECKS, query, WISH, 0);
}

test.each(["common", "organizations"])(
  "at %s a user belongs to the organisation named in the id_token",
  async (where) => {
    const iss = `${MICROSOFT}/${ORGANISATION}/v2.0`;
    const { subject, tenants } = await signIn(atMicrosoft(where), { iss, tid: ORGANISATION });
    expect({ subject, tenants }).toEqual({ subject: "somebody", tenants: [ORGANISATION] });
  },
);

test("an organisation that differs from the issuer's is rejected, and so is a missing one", async () => {
  const iss = `${MICROSOFT}/${ORGANISATION}/v2.0`;
  for (const claims of [{ iss, tid: "another" }, { iss }, { iss: "https://evil.example", tid: ORGANISATION }]) {
    await expect(signIn(atMicrosoft("common"), claims)).rejects.toMatchObject({ kind: "untrusted" });
  }
});

test("an issuer that imitates Microsoft's is a different one", async () => {
  const provider = { ...atMicrosoft("common"), issuer: forged.issuer };
  await expect(signIn(provider, {})).rejects.toMatchObject({ kind: "misconfigured" });
});
