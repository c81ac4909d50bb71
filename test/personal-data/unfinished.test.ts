// Authorization requests and sign-ins in progress name a person without the User's Id. An erasure clears them.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { Visitor } from "../authorize/visitor.ts";
import { db } from "../entities/client.ts";
import { newPerson, type RealProvider, startRealProvider } from "../identity-providers/real-provider.ts";
import { newRealTenant, signIn } from "../identity-providers/tenant.ts";
import { postAs } from "../oauth/client.ts";
import { ok } from "../policies/people.ts";

let real: RealProvider;
beforeAll(async () => {
  real = await startRealProvider();
});
afterAll(() => real[Symbol.asyncDispose]());

/** All values of the tenant's requests and sign-ins in progress. */
async function unfinished(tenantId: string): Promise<string> {
  const rows = await db()<{ text: string }[]>`
    select parameters as text from pushed_requests where tenant_id = ${tenantId}
    union all
    select concat_ws(' ', target, identity) from upstream_attempts where tenant_id = ${tenantId}`;
  return rows.map(({ text }) => text).join("\n");
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
  await ok(caller.call("POST", `/User/${ana.Id}/Erase`));
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
  await ok(caller.call("POST", `/User/${user.Id}/Erase`));
  for (const address of named) expect((await new Visitor().open(address)).status).toBe(400);
  expect((await new Visitor().open(others)).status).toBe(200);
});
