// Mails that a tenant chooses: about a sign-in on a new device, and about alerts.

import { describe, expect, test } from "bun:test";
import { ok, until } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { arrived, mailsTo, newAddress } from "../world/mailbox.ts";
import { newApplication, Person } from "../world/person.ts";
import { startReceiver } from "../world/receiver.ts";
import { rowsOf } from "../world/rows.ts";
import { clientOf, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const pathOf = (link: string) => link.slice(new URL(link).origin.length);

async function withAddress(settings: Record<string, unknown>) {
  const client = await newApplication();
  const admin = await clientOf(client.tenant);
  const address = newAddress();
  const [user] = (await ok(admin.get("/User?Username=admin"))).Items;
  await ok(admin.patch("/User", { Id: user.Id, Email: address, EmailVerified: true }));
  await ok(admin.patch("/TenantSettings", settings));
  return { client, address };
}

describe.concurrent("a sign-in on a new device", () => {
  test("sends a mail, whose link signs out everywhere and replaces the password", async () => {
    const { client, address } = await withAddress({ NewDeviceMail: "On" });
    const first = new Person(client);
    await first.signIn();
    const thief = new Person(client);
    await thief.signIn();
    const [mail] = await arrived(address);
    expect(mail.subject).toStartWith("New sign-in to test ");
    expect(mail.text).toMatch(/Unknown browser, network address 127\.0\.0\.1, /);
    // The same browser again.
    await thief.visitor.submit(await thief.visitor.open(client.authorize({ prompt: "login" })), client.tenant.admin);
    expect(await rowsOf("mails", { tenant_id: client.tenant.tenantId })).toHaveLength(1);

    const owner = new Visitor();
    const page = await owner.open(pathOf(mail.link));
    expect((await owner.submit(page)).heading).toBe("Your account is protected");
    expect([await first.isSignedIn(), await thief.isSignedIn()]).toEqual([false, false]);
    const [, reset] = await arrived(address, 2);
    expect(reset!.link).toStartWith(`${issuer()}/account/reset?token=`);
  });

  test("sends no mail unless the tenant has chosen so, and at most five in an hour", async () => {
    const { client, address } = await withAddress({});
    await new Person(client).signIn();
    await new Person(client).signIn();
    expect(await rowsOf("mails", { tenant_id: client.tenant.tenantId })).toEqual([]);
    await ok((await clientOf(client.tenant)).patch("/TenantSettings", { NewDeviceMail: "On" }));
    for (let one = 0; one < 7; one++) await new Person(client).signIn();
    expect(await rowsOf("mails", { tenant_id: client.tenant.tenantId })).toHaveLength(5);
    expect(await arrived(address, 5)).toHaveLength(5);
  });
});

test("an alert of a chosen kind is mailed to the chosen addresses", async () => {
  const api = await newTenant();
  const to = [newAddress("ops"), newAddress("duty")];
  const settings = { AlertMailKinds: ["ConnectionHeld"], AlertMailTo: to };
  expect(await ok(api.patch("/TenantSettings", settings))).toMatchObject(settings);
  const [other, silent] = [await newTenant(), newAddress()];
  await ok(other.patch("/TenantSettings", { AlertMailKinds: ["Backlog"], AlertMailTo: [silent] }));
  await using receiver = startReceiver(410);
  for (const one of [api, other]) {
    await one.connect(receiver.url, { Name: "Directory" });
    await one.change({ Name: "Gate" });
  }
  for (const address of to) {
    const [mail] = await arrived(address);
    expect(mail.subject).toContain("ConnectionHeld: ");
    expect(mail.link).toBe(`${issuer()}/settings/alerts`);
  }
  await until("the other's alert", async () => (await ok(other.get("/Alert"))).Items.length > 0);
  expect(await mailsTo(silent)).toEqual([]);
  for (const wrong of [{ AlertMailTo: ["ops"] }, { AlertMailKinds: ["Nothing"] }, { AlertMailTo: times11() }]) {
    expect((await api.patch("/TenantSettings", wrong)).status).toBe(400);
  }
});

const times11 = () => Array.from({ length: 11 }, (_, index) => `ops${index}@mail.test`);
