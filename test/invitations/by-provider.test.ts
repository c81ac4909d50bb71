// Invitations accepted at an identity provider: the new User has no password.

import { describe, expect, test } from "bun:test";
import { closedAfterAll } from "../support/closed-after-all.ts";
import { ok } from "../world/api.ts";
import { answerOf } from "../world/client.ts";
import { arrived, newAddress } from "../world/mailbox.ts";
import { alertOf, Person } from "../world/person.ts";
import { comeBack, newPerson, newRealTenant, signIn, signInThere, startRealProvider } from "../world/provider.ts";
import { type Form, type View, Visitor } from "../world/visitor.ts";

const real = closedAfterAll(await startRealProvider());

const pathOf = (link: string) => link.slice(new URL(link).origin.length);

async function invited() {
  const tenant = await newRealTenant(real, { Provisioning: "LinkOnly" });
  const address = newAddress();
  await ok(tenant.caller.patch("/Role", { Name: "keepers", Scopes: ["AccessManager:Read"] }));
  await ok(tenant.caller.patch("/Invitation", { Email: address, Name: "Ana Silva", Roles: ["keepers"] }));
  const [{ link }] = await arrived(address);
  return { ...tenant, address, path: pathOf(link) };
}

/** The form that leads to the provider. */
function startForm({ forms, heading }: View): Form {
  const form = forms.find(({ action }) => action === "/account/invitation/provider");
  if (!form) throw new Error(`"${heading}" has no form for a provider.`);
  return form;
}

/** Signs in at the provider. @returns the page that asks for confirmation */
async function atConfirmation(visitor: Visitor, path: string, login: string): Promise<View> {
  const { action, fields } = startForm(await visitor.open(path));
  const page = await visitor.post(action, fields);
  const location = new URL(/url=(.*)$/.exec(page.headers.get("refresh") ?? "")![1]!);
  return comeBack(visitor, await signInThere(real.visitor(), location, login));
}

describe.concurrent("an invitation", () => {
  test("is accepted at a provider, and the new User signs in there", async () => {
    const { caller, client, address, path } = await invited();
    const person = newPerson(real);
    const visitor = new Visitor();
    const page = await atConfirmation(visitor, path, person.login);
    expect(page.heading).toBe("Make your account");
    for (const text of [person.email, address]) expect(page.html).toContain(text);
    expect(page.forms[0]!.fields).toMatchObject({ name: "Ana Silva", username: person.username });
    expect((await new Visitor().open(path)).status).toBe(200);
    const nameless = await visitor.submit(page, { username: " " });
    expect([nameless.status, alertOf(nameless)]).toEqual([422, expect.stringMatching(/^Enter a user name/)]);
    const username = `ana-${person.username}`;
    expect((await visitor.submit(nameless, { username })).heading).toStartWith("Welcome to");

    const [user] = (await ok(caller.get(`/User?Username=${username}`))).Items;
    expect(user).toMatchObject({ Name: "Ana Silva", Email: address, EmailVerified: true });
    const { Items } = await ok(caller.get("/Role?Name=keepers"));
    expect(Items[0].Members).toEqual([{ Type: "User", Id: user.Id }]);
    expect((await visitor.submit(nameless, { username: "eve" })).status).toBe(400);
    expect((await visitor.open(path)).status).toBe(404);
    const back = await signIn(new Visitor(), real.visitor(), person.login, client.authorize());
    expect(answerOf(back).code).toBeString();
    expect(alertOf(await new Person(client, { username, password: "any" }).signIn())).toMatch(/^Wrong/);
  });

  test("is not accepted with an account of another User, in another browser, or with a forged confirmation", async () => {
    const { path } = await invited();
    const person = newPerson(real);
    const visitor = new Visitor();
    const page = await atConfirmation(visitor, path, person.login);
    const { action, fields } = page.forms[0]!;
    const stranger = new Visitor();
    await stranger.open(path);
    expect((await stranger.post(action, fields)).status).toBe(400);
    const forged = await visitor.post(action, { ...fields, shown: "x" });
    expect([forged.status, alertOf(forged)]).toEqual([409, expect.stringMatching(/have changed/)]);
    expect((await visitor.post(action, { ...fields, csrf: "" })).status).toBe(403);
    expect((await visitor.submit(forged)).heading).toStartWith("Welcome to");
    const second = await invited();
    const start = startForm(await visitor.open(second.path));
    expect((await visitor.post(start.action, { ...start.fields, provider: "1" })).status).toBe(404);
    expect((await visitor.post(start.action, { ...start.fields, token: "x" })).status).toBe(404);
    expect((await visitor.post(start.action, { ...start.fields, csrf: "x" })).status).toBe(403);
  });

  test("is refused for an account that is linked already", async () => {
    const { caller, path } = await invited();
    const person = newPerson(real);
    const first = await atConfirmation(new Visitor(), path, person.login);
    expect(first.heading).toBe("Make your account");
    const visitor = new Visitor();
    const page = await atConfirmation(visitor, path, person.login);
    await visitor.submit(page);
    const address = newAddress();
    await ok(caller.patch("/Invitation", { Email: address }));
    const [{ link }] = await arrived(address);
    const taken = await atConfirmation(new Visitor(), pathOf(link), person.login);
    expect(taken).toMatchObject({ heading: "Linking did not work" });
  });
});
