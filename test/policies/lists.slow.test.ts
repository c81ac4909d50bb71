// A policy changes only the lists that it concerns.

import { beforeAll, describe, expect, test } from "bun:test";
import { SETTINGS } from "../../server/identity/settings.ts";
import { policyTypes } from "../../server/kinds.ts";
import type { Attribute, ResourceType } from "../../server/records/access/decisions/resource-type.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { type Api, ok, unique } from "../world/api.ts";
import { removeRows } from "../world/rows.ts";
import { asked, type Item, listsOf, newWorld, pagesOf, type World } from "../world/spy.ts";
import { newMember, savePolicy } from "../world/tenant.ts";

const TYPES = policyTypes(ENTITIES, SETTINGS);
/** The kinds of policies, and the saved policies themselves, change with each policy. */
const CHANGES = ["Policy", "AuditEvent", "Versions"];

describe("every attribute of every type in a policy", () => {
  let world: World;
  /** Its permit has a condition, so every other permit is considered too. */
  let reader: Api;
  let lists: { path: string; name: string }[];
  let department: Item;
  let events: { first: string; second: string };
  const removed = new Set<string>();

  beforeAll(async () => {
    world = await newWorld();
    reader = await newMember(world.admin);
    await savePolicy(
      world.admin,
      "Reader",
      `permit (principal == Client::"${reader.clientId}", action, resource) when { context.hour >= 0 };`,
    );
    department = await ok(world.admin.patch("/Department", { Name: unique("first") }));
    await ok(world.admin.patch("/Department", { Id: department.Id, Name: unique("second") }));
    lists = (await listsOf(world)).filter(({ name }) => !CHANGES.includes(name));
    const { Items } = await ok(world.admin.get("/WebhookEvent?Limit=200"));
    const own = Items.filter(
      ({ EventRecord, RecordId }: Item) => EventRecord === "Department" && RecordId === String(department.Id),
    );
    events = { second: own[0].EventId, first: own[1].EventId };
    // As by an erasure, or past PAYLOAD_RETENTION.
    for (const [index, { EventId }] of Items.entries()) {
      if (index % 2 === 1 || EventId === events.first) if (EventId !== events.second) removed.add(EventId);
    }
    await removeRows("payloads", { event_id: [...removed] });
  });

  const callers = () => [world.admin, world.spy, reader];

  async function snapshot(): Promise<Record<string, Item>[]> {
    const paths = [...lists.map(({ path }) => asked(path, "Limit=200")), `/WebhookEvent/${events.second}`];
    return Promise.all(
      callers().map(async (caller) =>
        Object.fromEntries(
          await Promise.all(paths.map(async (path) => [path, (await caller.get(path)).body] as const)),
        ),
      ),
    );
  }

  test("changes no list of another type, and no list of another caller", async () => {
    const before = await snapshot();
    expect(lists.length).toBeGreaterThanOrEqual(12);
    for (const type of TYPES) {
      const where = `when { ${type.attributes.map((one) => matchesNothing(one)).join(" || ")} }`;
      const permits = [
        `permit (principal, action, resource is ${type.name}) ${where};`,
        `permit (principal, action, resource) when { resource is ${type.name} } ${where};`,
      ];
      const forbids = [
        `forbid (principal == Client::"0", action, resource is ${type.name}) ${where};`,
        `forbid (principal in Role::"nobody", action, resource is ${type.name}) ${where};`,
      ];
      await savePolicy(world.admin, "Permits", permits.join("\n"));
      await savePolicy(world.admin, "Forbids", forbids.join("\n"));
      for (const [index, found] of (await snapshot()).entries()) {
        for (const [path, body] of Object.entries(found)) {
          expect({ type: type.name, path, body }).toEqual({ type: type.name, path, body: before[index]![path] });
        }
      }
      // A forbid concerns all callers, but only its type.
      if (["WebhookEvent", "WebhookConnection"].includes(type.name)) continue;
      await savePolicy(world.admin, "Forbids", `forbid (principal, action, resource is ${type.name}) ${where};`);
      for (const path of ["/WebhookEvent?Limit=200", `/WebhookEvent/${events.second}`]) {
        const { body } = await world.admin.get(path);
        expect({ type: type.name, body }).toEqual({ type: type.name, body: before[0]![path] });
      }
    }
  });

  test("a policy that looks into events leaves out those without a payload; lists say how many, and others are shown", async () => {
    const all = (await pagesOf(world.admin, "/WebhookEvent", 200)).flatMap(({ Items }) => Items);
    await savePolicy(
      world.admin,
      "Forbids",
      'forbid (principal, action, resource is WebhookEvent) when { resource has Department && resource.Department.Name == "no such" };',
    );
    const isLeft = ({ EventId, EventRecord }: Item) => EventRecord !== "Department" || !removed.has(EventId);
    const hidden = all.filter((event) => !isLeft(event)).length;
    expect(hidden).toBeGreaterThan(0);
    for (const limit of [200, 1, 7]) {
      const pages = await pagesOf(world.admin, "/WebhookEvent", limit);
      expect(pages.flatMap(({ Items }) => Items)).toEqual(all.filter(isLeft));
      expect({ limit, hidden: pages.reduce((sum, { Hidden }: Item) => sum + Hidden, 0) }).toEqual({ limit, hidden });
    }
    // With a filter the number could reveal what a hidden record contains.
    expect((await ok(world.admin.get("/WebhookEvent?EventRecord=User"))).Hidden).toBe(null);
    // The event before is no longer kept; this one is shown.
    const event = await ok(world.admin.get(`/WebhookEvent/${events.second}`));
    expect(event).toMatchObject({ BeforeEventId: null, Withheld: null });
  });
});

/** A condition about the attribute that holds for no record. */
function matchesNothing(attribute: Attribute, path = "resource"): string {
  const one = `${path}.${attribute.name}`;
  switch (attribute.type) {
    case "text":
      return `${one} == "no such"`;
    case "texts":
      return `${one}.contains("no such")`;
    case "number":
      return `${one} == -1`;
    case "boolean":
      return `(${one} && !${one})`;
    case "dateTime":
      return `${one} == datetime("1800-01-01")`;
    case "reference":
      return `(${path} has ${attribute.name} && ${one}.Name == "no such")`;
    case "record":
      return `(${path} has ${attribute.name} && ${matchesNothing(firstText(attribute.of), one)})`;
  }
}

const firstText = ({ attributes }: ResourceType) => attributes.find(({ type }) => type === "text")!;
