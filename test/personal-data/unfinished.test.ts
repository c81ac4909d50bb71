// Authorization requests and sign-ins in progress name a person without the User's Id. An erasure clears them.

import { expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { type Api, ok, until } from "../world/api.ts";
import { postAs } from "../world/grants.ts";
import { newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { countOf, rowsOf } from "../world/rows.ts";
import { db } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

/** All values of the tenant's requests and sign-ins in progress. */
async function unfinished(tenantId: string): Promise<string> {
  const all = ["pushed_requests", "upstream_attempts"].map((table) => rowsOf(table, { tenant_id: tenantId }));
  return JSON.stringify(
    (await Promise.all(all)).flat().map(({ parameters, target, identity }) => [parameters, target, identity]),
  );
}

/** Until it has ended. */
async function erase(caller: Api, userId: unknown): Promise<void> {
  const { Id } = await ok(caller.call("POST", `/User/${userId}/Erase`));
  await until("the end of the erasure", async () => {
    const { body } = await caller.call("GET", `/Erasure/${Id}`);
    return body.State === "Completed";
  });
  const [erasure] = await rowsOf<{ names: string[] | null }>("erasures", { id: Id });
  expect(erasure!.names).toBeNull();
}

test("sign-ins in progress that name an erased person end, and the others continue", async () => {
  const { client, caller } = await newRealTenant(real);
  const word = () => Bun.randomUUIDv7().replaceAll("-", "");
  const [phone, external, other] = ["+49 151/1234 5678", `HR ${word()}`, `${word()}@example.com`];
  const email = `ana+${word()}@example.com`;
  const username = `Ana Silva é ${word()}`;
  const ana = await caller.made("User", {
    ...{ Username: username, Email: email, MobilePhone: phone, External_Id: external, Is_Active: true },
  });
  const asked = (login_hint: string) => {
    const { client_id, ...rest } = Object.fromEntries(
      new URL(client.authorize({ login_hint }), "http://localhost").searchParams,
    );
    return rest;
  };
  const push = async (login_hint: string) => {
    const { status, body } = await postAs(client.tenant.client, "/oauth2/par", asked(login_hint));
    expect(status).toBe(201);
    return `/oauth2/authorize?${new URLSearchParams({ client_id: client.id, request_uri: body.request_uri })}`;
  };
  const pushed = await Promise.all([email, username, phone, external].map(push));
  const others = await push(other);
  // Claims of the provider that name the person, and a hint in the address to resume.
  const { login } = newPerson(real, { email });
  const page = await signIn(new Visitor(), real.visitor(), login, client.authorize({ login_hint: email }));
  expect(page.heading).toBe("Link your account");

  const names = [email, username, phone, external].flatMap((name) => [
    name,
    new URLSearchParams({ name }).toString().slice(5),
  ]);
  const before = await unfinished(caller.tenantId);
  expect(names.filter((name) => before.includes(name)).length).toBeGreaterThanOrEqual(5);
  await erase(caller, ana.Id);
  const after = await unfinished(caller.tenantId);
  expect(names.filter((name) => after.includes(name))).toEqual([]);
  for (const address of pushed) expect((await new Visitor().open(address)).status).toBe(400);
  expect(await new Visitor().open(others)).toMatchObject({ status: 200, heading: "Sign in" });
});

test("a short name ends only what has it as a whole word", async () => {
  const { client, caller } = await newRealTenant(real);
  const user = await caller.made("User", { Username: "os", Is_Active: true });
  const push = async (login_hint: string) => {
    const url = new URL(client.authorize({ login_hint }), "http://localhost");
    url.searchParams.delete("client_id");
    const { body } = await postAs(client.tenant.client, "/oauth2/par", Object.fromEntries(url.searchParams));
    return `/oauth2/authorize?${new URLSearchParams({ client_id: client.id, request_uri: body.request_uri })}`;
  };
  const named = await Promise.all(["os", "OS", "mailto:os@example.com"].map(push));
  const others = await push("rosa@example.com");
  await erase(caller, user.Id);
  for (const address of named) expect((await new Visitor().open(address)).status).toBe(400);
  expect((await new Visitor().open(others)).status).toBe(200);
});

test("thousands of long requests neither fail an erasure nor hide the one that names the person", async () => {
  const { client, caller } = await newRealTenant(real);
  const user = await caller.made("User", {
    ...{ Username: "Ana Silva", Email: "ana@example.com", MobilePhone: "+49 151/1234 5678", External_Id: "HR é 1" },
    Is_Active: true,
  });
  // 60 MB, of 1.3 GB that the limits admit for one application.
  await db()`
    insert into pushed_requests (digest, tenant_id, client_id, parameters, expires_on)
    select sha256(uuid_send(gen_random_uuid())), ${caller.tenantId}, ${client.id},
      repeat(md5(entry::text) || '+', 900)
        || case when entry % 1000 = 0 then '&login_hint=ANA%40example.com' else '' end,
      now() + interval '1 hour'
    from generate_series(1, 2000) entry`;
  await erase(caller, user.Id);
  const all = { tenant_id: caller.tenantId };
  const counts = [await countOf("pushed_requests", { ...all, parameters: "" }), await countOf("pushed_requests", all)];
  expect(counts).toEqual([2, 2_000]);
});
