// Logouts of one client or tenant do not delay others.

import { expect, test } from "bun:test";
import { MAX_UNDER_WAY } from "../../server/identity/logouts/store.ts";
import { until } from "../world/api.ts";
import { type Client, otherClient } from "../world/client.ts";
import { logoutClient, logoutsOf, setCredentials, signIn, signOut } from "../world/logouts.ts";
import { plantLogouts } from "../world/planted.ts";
import { startReceiver } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";

/** Ended sessions of the client up to the limit of logouts, each with its logout. */
const endSessions = (client: Client, count: number) => plantLogouts(client.tenant, client.id, count);

interface Waiting {
  client_id: number;
  attempts: number;
  lease_until: Date;
  retry_on: Date | null;
}

/** A lease of minus infinity is none. */
const isLeased = ({ lease_until }: Waiting) => Number.isFinite(+lease_until);

const underWay = async (client: Client): Promise<Record<keyof typeof MAX_UNDER_WAY, number>> => {
  const open = { tenant_id: client.tenant.tenantId, state: ["Pending", "Retrying"] };
  const all = await rowsOf<Waiting>("logouts", open);
  // On a slow machine, the first ones already wait for their retries.
  const leased = all.filter((one) => isLeased(one) && !(one.retry_on && +one.retry_on > Date.now()));
  return {
    ofTenant: leased.length,
    ofClient: leased.filter(({ client_id }) => String(client_id) === client.id).length,
    starting: leased.filter(({ attempts }) => attempts === 0).length,
  };
};

test("a client with a hanging receiver has few in flight; other clients and tenants are notified at once", async () => {
  await using hanging = startReceiver("hang");
  await using quick = startReceiver(200);
  const { api, client } = await logoutClient(hanging.url);
  const neighbour = await otherClient(client);
  await setCredentials(api, neighbour, { BackchannelLogoutUri: quick.url });
  const stranger = (await logoutClient(quick.url)).client;
  await endSessions(client, 10 * MAX_UNDER_WAY.ofClient);

  const [own, other] = [await signIn(neighbour), await signIn(stranger)];
  await signOut(own.visitor, own.idToken);
  await signOut(other.visitor, other.idToken);
  expect((await logoutsOf(quick, 2)).toSorted()).toEqual([own.sid, other.sid].toSorted());
  await until("the receiver to hang", () => hanging.calls.length > 0);
  expect((await underWay(client)).ofClient).toBe(MAX_UNDER_WAY.ofClient);
});

test("a tenant with hanging receivers has only its share in flight, and another tenant is notified at once", async () => {
  await using hanging = startReceiver("hang");
  await using quick = startReceiver(200);
  const { api, client } = await logoutClient(hanging.url);
  const clients = Math.ceil(MAX_UNDER_WAY.ofTenant / MAX_UNDER_WAY.ofClient) + 5;
  for (let made = 1; made < clients; made++) {
    const another = await otherClient(client);
    await setCredentials(api, another, { BackchannelLogoutUri: hanging.url });
    await endSessions(another, 2 * MAX_UNDER_WAY.ofClient);
  }
  const stranger = (await logoutClient(quick.url)).client;
  const { visitor, idToken, sid } = await signIn(stranger);
  await until("the tenant's share to be under way", async () => {
    const { ofTenant, starting } = await underWay(client);
    return ofTenant >= MAX_UNDER_WAY.ofTenant || starting >= MAX_UNDER_WAY.starting;
  });
  await signOut(visitor, idToken);
  expect(await logoutsOf(quick, 1)).toEqual([sid]);
  // Logouts that wait for a retry need no place.
  const pending = await rowsOf<Waiting>("logouts", { tenant_id: client.tenant.tenantId, state: "Pending" });
  expect(pending.some((one) => !isLeased(one))).toBe(true);
});

test("waiting ones are sent eventually", async () => {
  await using receiver = startReceiver(200);
  const { client } = await logoutClient(receiver.url);
  await endSessions(client, 3 * MAX_UNDER_WAY.ofClient);
  await logoutsOf(receiver, 3 * MAX_UNDER_WAY.ofClient);
});
