// Audit entries of records that a person creates, changes and deletes.

import { expect, test } from "bun:test";
import type { Api } from "../world/api.ts";
import type { AuditEvent } from "../world/audit.ts";
import { issuer } from "../world/client.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

/** Opens Settings as the tenant's admin, without script. */
async function enter(api: Api) {
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${api.tenant.tenantId}`), api.tenant.admin);
  const { csrf } = (await visitor.open("/settings")).forms[0]!.fields;
  return async (path: string, fields: Record<string, string> = {}) => {
    const first = await visitor.post(path, { csrf: csrf!, ...fields });
    // Confirmations are sent unchanged.
    const asked = first.status === 409 ? first.forms.find((form) => "shown" in form.fields) : undefined;
    const { status, heading } = asked ? await visitor.post(path, asked.fields) : first;
    expect({ path, status, heading }).toEqual({ path, status: 200, heading });
  };
}

const recordsOf = async (api: Api) => {
  const { body } = await api.call<{ Items: AuditEvent[] }>("GET", "/AuditEvent?Limit=200");
  return body.Items.filter(({ Kind }) => Kind.startsWith("Record.")).reverse();
};

const find = async (api: Api, query: string) => {
  const { body } = await api.call<{ Items: { Id: number }[] }>("GET", `/User?${query}`);
  return body.Items[0]!;
};

test("an administrator's changes in Settings are logged with actor, action and subject, without personal values", async () => {
  const api = await newTenant();
  const send = await enter(api);
  await send("/settings/users/add", { Name: "Ana", Username: "ana", Email: "ana@example.com", Is_Active: "true" });
  const [admin, ana] = [await find(api, "Username=admin"), await find(api, "Username=ana")];
  const { body: record } = await api.call("GET", `/User/${ana.Id}`);
  await send(`/settings/users/${ana.Id}/deactivate`);
  await send(`/settings/users/${ana.Id}/delete`);

  const by = { Actor: { Type: "User", Id: String(admin.Id) }, Address: "127.0.0.1", Outcome: "Success" };
  const about = { ...by, Subject: { Type: "User", Id: String(ana.Id) } };
  const told = await recordsOf(api);
  expect(told).toMatchObject([
    { Kind: "Record.Created", ...about, Details: {} },
    { Kind: "Record.Changed", ...about, Details: { Changed: ["Is_Active"], Is_Active: { From: true, To: false } } },
    { Kind: "Record.Deleted", ...about, Details: {} },
  ]);
  expect(record).toMatchObject({ Email: "ana@example.com" });
  expect(JSON.stringify(told)).not.toContain("ana@");
});

test("a client's own changes are recorded as events only", async () => {
  const api = await newTenant();
  await api.change({ Name: "Payroll" });
  await api.change({ Name: "Payroll", Description: "Pays people" });
  expect(await recordsOf(api)).toEqual([]);
});
