// The catalogue of events: schemas that real payloads fit, and examples that fit their schemas.

import { expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { type Api, ok, until } from "../world/api.ts";
import { enterSettings } from "../world/console.ts";
import { readDocument } from "../world/documented.ts";
import { startReceiver } from "../world/receiver.ts";
import { newMember, newTenant } from "../world/tenant.ts";

interface Kind {
  EventRecord: string;
  EventType: string;
  Schema: { $schema: string; $defs: { Record: { properties: Record<string, { properties: object }> } } };
  Example: object;
}

const browser = openWindows();

const kindsOf = async (api: Api) => (await ok(api.get("/EventKind"))).Items as Kind[];
const find = (kinds: Kind[], record: string, type: string) =>
  kinds.find(({ EventRecord, EventType }) => EventRecord === record && EventType === type)!;

function problems(schema: object, value: unknown): unknown {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  return validate(value) ? undefined : validate.errors;
}

test("every kind has a schema that its example fits, and OpenAPI has each by its name", async () => {
  const api = await newTenant();
  const kinds = await kindsOf(api);
  const { webhooks } = await readDocument();
  expect(kinds.length).toBeGreaterThan(12);
  for (const { EventRecord, EventType, Schema, Example } of kinds) {
    expect([EventRecord, EventType, problems(Schema, Example)]).toEqual([EventRecord, EventType, undefined]);
    expect(webhooks[`${EventRecord}.${EventType}`].post.operationId).toBe(`receive${EventRecord}${EventType}`);
  }
});

test("received payloads fit the schemas of their kinds, and of no other", async () => {
  const api = await newTenant();
  await using receiver = startReceiver();
  const Entities = ["Application", "User", "Department", "AuditEvent"];
  const Events = ["Created", "Updated", "Deleted", "Erased"];
  await api.connect(receiver.url, { Entities, Events, Previous: true, ChangedFields: true });
  const { Id } = await api.made("User", { Username: "ana" });
  await api.made("User", { Id, Name: "Ana" });
  await ok(api.patch("/Application", [{ Name: "one" }, { Name: "two" }]));
  await ok(api.call("POST", `/User/${Id}/Erase`, { Deliveries: "Send" }));
  const kinds = await kindsOf(api);
  const calls = await until("the calls", () => receiver.calls.length >= 6 && receiver.calls);
  for (const { payload } of calls) {
    const { Schema } = find(kinds, payload.EventRecord, payload.EventType);
    expect([payload.EventRecord, payload.EventType, problems(Schema, payload)]).toEqual([
      ...[payload.EventRecord, payload.EventType, undefined],
    ]);
    const other = find(kinds, "Department", "Deleted");
    expect(problems(other.Schema, payload)).not.toBeUndefined();
  }
});

test("a tenant sees its own attributes, and no other tenant does", async () => {
  const [api, stranger] = await Promise.all([newTenant(), newTenant()]);
  const UserAttributes = [{ Name: "Badge", Type: "Number", Description: "Its number" }];
  await ok(api.patch("/TenantSettings", { UserAttributes }));
  const attributesOf = async (one: Api) =>
    find(await kindsOf(one), "User", "Created").Schema.$defs.Record.properties.Attributes!.properties;
  expect(await attributesOf(api)).toEqual({ Badge: { type: "number", description: "Its number" } });
  expect(await attributesOf(stranger)).toEqual({});
  // They are read with Users.
  expect(await attributesOf(await newMember(api))).toEqual({});
});

test("Settings shows each kind", async () => {
  const api = await newTenant();
  await using visitor = await enterSettings(browser, api.tenant);
  const { page, open, complaints } = visitor;
  await open("/settings/webhooks");
  await page.getByRole("link", { name: "Kinds of events" }).click();
  await page.getByRole("heading", { name: "Kinds of events", level: 1 }).waitFor();
  await page.getByText("Created", { exact: true }).first().click();
  await page.getByRole("group", { name: "Example of Application Created" }).waitFor();
  await inspect(page, "webhook-kinds");
  expect(complaints).toEqual([]);
});
