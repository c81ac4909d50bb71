// A process may not know yet that a different one has changed a client. The use of an assertion, and the look-up of a
// pushed request, tell it the client's present version.

import { expect, test } from "bun:test";
import pino from "pino";
import { createPushedRequests } from "../../server/identity/oauth/authorize/pushed.ts";
import { authenticateClient } from "../../server/identity/oauth/clients/client-authentication.ts";
import { createClientKeys } from "../../server/identity/oauth/clients/client-keys.ts";
import { createKnownClients } from "../../server/identity/oauth/clients/known-clients.ts";
import { clientVersion } from "../../server/identity/oauth/clients/store.ts";
import { createUseJwt } from "../../server/identity/oauth/clients/used-jwts.ts";
import { createMtls } from "../../server/identity/oauth/mtls.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import { createVault } from "../../server/platform/vault.ts";
import { createTenantCache } from "../../server/records/access/decisions/tenant-cache.ts";
import { CALLBACK, issuer, newClient } from "../world/client.ts";
import { metadata, newRegistrar, register } from "../world/registrar.ts";
import { addRows, setRows } from "../world/rows.ts";
import { assertion, assertionClaims, newSigner, provesBy } from "../world/signer.ts";
import { db, newTenant, setting } from "../world/tenant.ts";

/** A process that hears of no change. */
function deafProcess() {
  const keepOfClients: Parameters<typeof createKnownClients>[1]["keepOfClients"] = (load) => {
    const cache = createTenantCache(load);
    cache.clear(true);
    return cache;
  };
  const findClient = createKnownClients(db(), { keepOfClients }, async () => new Uint8Array(32));
  const egress = createEgress({ allow: [], deny: [], dns: [], caFile: undefined });
  const proving = {
    issuer: issuer(),
    mtls: createMtls(issuer(), undefined),
    findClient,
    isSignedByClient: createClientKeys(egress, pino({ enabled: false })),
    useOnce: createUseJwt(db()),
    onRefused() {},
    onSecretUsed() {},
  };
  const vault = createVault(setting("GATEHOUSE_TEST_MASTER_KEY"));
  const pushed = createPushedRequests({ sql: db(), vault, findClient });
  return { findClient, pushed, proving };
}

test("a key that a client has just lost authenticates it no more, and its present fields count", async () => {
  const [client, key, next] = await Promise.all([newTenant(), newSigner(), newSigner()]);
  await provesBy(client, key);
  const { proving } = deafProcess();
  const authenticate = async (by: typeof key) =>
    authenticateClient(
      proving,
      new Request(`${issuer()}/oauth2/token`),
      assertion(await by.sign(assertionClaims(client.clientId, issuer()))),
    );
  await setRows("credentials", { application_id: client.clientId }, { first_party: false });
  expect((await authenticate(key)).firstParty).toBe(false);
  await setRows("credentials", { application_id: client.clientId }, { first_party: true });
  expect((await authenticate(key)).firstParty).toBe(true);
  await provesBy(client, next);
  await expect(authenticate(key)).rejects.toThrow("not signed by a key");
  expect((await authenticate(next)).firstParty).toBe(true);
  await setRows("applications", { id: client.clientId }, { is_active: false });
  await expect(authenticate(next)).rejects.toThrow("Client authentication failed");
});

test("a pushed request is opened with the client's present fields", async () => {
  const client = await newClient({ first_party: true });
  const { findClient, pushed } = deafProcess();
  const known = (await findClient(client.id))!;
  const push = () => pushed.push(known, `client_id=${client.id}`, undefined);
  const open = async () => {
    const sent = { client_id: client.id, request_uri: await push() };
    return (await pushed.open({ sent, repeated: [], text: "" } as never)).client;
  };
  expect((await open())!.redirectUris).toEqual([CALLBACK]);
  await setRows("credentials", { application_id: client.id }, { redirect_uris: ["https://other.example/"] });
  expect((await open())!.redirectUris).toEqual(["https://other.example/"]);
});

test("a client's version changes with each row that it is made of", async () => {
  const registrar = await newRegistrar("Open", ["openid"]);
  const { body } = await register(registrar, metadata());
  const id = Number(body.client_id);
  const { tenantId } = registrar;
  const name = Bun.randomUUIDv7();
  const texts = { name, type: "OpenIDConnect", client_id: "c", provisioning: "LinkOnly", scopes: [], mapping: {} };
  const sql = db();
  const all = { ...texts, tenant_id: tenantId, allow_local: true, is_active: true };
  const [provider] = await addRows<{ id: number }>("identity_providers", all);
  const version = async () =>
    (await sql<{ version: string }[]>`select ${clientVersion(sql, id)} as version`)[0]!.version;
  const changes = [
    ["applications", { id }, { authentication_id: provider!.id }],
    ["credentials", { application_id: id }, { first_party: true }],
    ["registered_clients", { application_id: id }, { administrator_set: ["Name"] }],
    ["tenants", { id: tenantId }, { client_registration: "Off" }],
    ["identity_providers", { name }, { allow_local: false }],
  ] as const;
  let before = await version();
  for (const [table, where, values] of changes) {
    await setRows(table, where, values);
    const after = await version();
    expect([table, after === before]).toEqual([table, false]);
    before = after;
  }
});
