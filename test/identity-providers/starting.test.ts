// The redirect from the account page to a provider.

import { expect, test } from "bun:test";
import { logOf } from "../world/audit.ts";
import { sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { Person } from "../world/person.ts";
import { linkingForm, newUpstreamTenant, startLinking } from "../world/provider.ts";

test("a sign-in at a provider starts with a form: a GET stores nothing and sends nothing", async () => {
  await using provider = await startForgedProvider();
  const tenant = await newUpstreamTenant({ Issuer: provider.issuer });
  const person = new Person(tenant.client);
  await person.signIn();
  await provider[Symbol.asyncDispose]();
  const logged = async () => (await tenant.caller.get("/AuditEvent?Limit=200")).body.Items.length;
  const before = await logged();
  for (const path of [
    `/account/providers/link?provider=${tenant.provider.Id}`,
    `/account/providers/start?provider=${tenant.provider.Id}`,
  ]) {
    expect((await person.visitor.open(path)).status).toBe(405);
  }
  await person.visitor.open("/account");
  expect(provider.calls).toEqual([]);
  expect(await logged()).toBe(before);
  // The form starts it, and reports that the provider is down.
  const { action, fields } = linkingForm(await person.account(), tenant)!;
  const refused = await person.visitor.post(action, fields);
  expect(refused).toMatchObject({ status: 502, heading: "Linking did not work" });
  expect(await logged()).toBe(before + 1);
});

test("a failing provider is reported and logged with its application", async () => {
  await using forged = await startForgedProvider({ idToken: { nonce: "another" } });
  const tenant = await newUpstreamTenant({ Issuer: forged.issuer });
  const person = new Person(tenant.client);
  await person.signIn();
  const { visitor } = person;
  const view = await visitor.open(sentBack(forged, await startLinking(visitor, tenant)));
  expect(view).toMatchObject({ status: 502, heading: "Linking did not work" });
  const [event] = await logOf(tenant.caller, "Kind=Identity.LinkFailed");
  expect(event).toMatchObject({
    Actor: { Type: "User" },
    Details: { Reason: "ProviderUntrusted", IdentityProviderId: tenant.provider.Id },
  });
});
