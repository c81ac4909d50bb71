// The gate of every look-up, write, relation and stored payload of all entities in Entities, for a client that may not
// see some records.

import { beforeAll, describe, expect, test } from "bun:test";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { type Answer, API, ok, unique } from "../world/api.ts";
import {
  type Described,
  entitiesOf,
  hide,
  type Item,
  newRecord,
  newWorld,
  READING,
  referencesOf,
  send,
  shownOf,
  textsOf,
  UNKNOWN,
  type World,
} from "../world/spy.ts";
import { newMember, newTenant, request, savePolicy } from "../world/tenant.ts";

describe("every entity", () => {
  let world: World;
  let entities: Described[];

  beforeAll(async () => {
    world = await newWorld();
    entities = await entitiesOf(world.admin);
  });

  /** A record that the spy may not read. */
  async function hiddenRecord(entity: Described, actions = READING): Promise<Item> {
    const record = await ok(world.admin.patch(`/${entity.Name}`, newRecord(entity)));
    await hide(world, [{ type: entity.Name, id: String(record.Id) }], actions);
    return record;
  }

  test("is not found by the values of hidden records: by filter, Search, look-up or foreign key", async () => {
    for (const entity of entities) {
      const record = await hiddenRecord(entity, "action");
      for (const field of textsOf(entity).filter((name) => record[name] !== "")) {
        const secret = record[field];
        const asks: Record<string, (value: string) => Promise<Answer>> = {
          filter: (value) => world.spy.get(`/${entity.Name}?${field}=${value}`),
          search: (value) => world.spy.get(`/${entity.Name}?Search=${value}`),
          "look-up": (value) => world.spy.get(`/${entity.Name}/${value}?Name=${field}`),
          deletion: (value) => world.spy.remove(`/${entity.Name}/${value}?Name=${field}`),
        };
        for (const [by, ask] of Object.entries(asks)) {
          const where = { entity: entity.Name, field, by };
          const [found, absent] = [await ask(secret), await ask(UNKNOWN)];
          expect({ ...where, ...shownOf(found, secret) }).toEqual({ ...where, ...shownOf(absent, UNKNOWN) });
        }
      }
    }
  });

  test("is not an ambiguous match if hidden, so the visible record is found", async () => {
    const user = entities.find(({ Name }) => Name === "User")!;
    const record = await hiddenRecord(user);
    const seen = await ok(world.admin.patch("/User", { Name: record.Name }));
    expect((await ok(world.spy.get(`/User/${record.Name}?Name=Name`))).Id).toBe(seen.Id);
    expect((await world.admin.get(`/User/${record.Name}?Name=Name`)).body.Type).toBe("/Errors/Multible Rows");
  });

  test("answers writers without read permission with Id and the sent fields, without ETag", async () => {
    for (const entity of entities) {
      const record = await hiddenRecord(entity);
      const path = `/${entity.Name}`;
      const [field = ""] = textsOf(entity);
      const identifier = { [field]: record[field] };
      const { Id } = record;
      const writes: [string, Promise<Answer>, unknown][] = [
        ["nothing changed", world.spy.patch(path, { Id, ...identifier }), { Id, ...identifier }],
        ["something changed", world.spy.patch(path, { Id, Name: `changed ${Id}` }), { Id, Name: `changed ${Id}` }],
        ["an array", world.spy.patch(path, [{ Id }, { Id, ...identifier }]), [{ Id }, { Id, ...identifier }]],
      ];
      for (const [what, write, expected] of writes) {
        const { status, body, headers } = await write;
        expect({ path, what, status, body, etag: headers.get("etag") }).toEqual({
          ...{ path, what, status: 200, body: expected },
          etag: null,
        });
      }
      const whole = await world.admin.get(`${path}/${Id}`);
      const changed = await world.spy.remove(`${path}/${Id}`);
      expect({ path, body: changed.body, etag: changed.headers.get("etag") }).toEqual({
        path,
        body: { Id },
        etag: null,
      });
      expect(whole.headers.get("etag")).toBeString();
    }
  });

  test("lets callers without permission to change or read it verify no value", async () => {
    for (const entity of entities) {
      const dates = entity.Fields.filter(({ Type }) => Type === "string (date-time)").map(({ Name }) => Name);
      const record = await hiddenRecord(entity);
      const path = `/${entity.Name}`;
      const etag = (await world.admin.get(`${path}/${record.Id}`)).headers.get("etag")!;
      for (const actions of [READING, "action"]) {
        await hide(world, [{ type: entity.Name, id: String(record.Id) }], actions);
        for (const name of dates) {
          const guess = (value: string) => world.spy.patch(path, { Id: record.Id, [name]: value });
          const where = { entity: entity.Name, name, actions };
          const [right, wrong] = [await guess(record[name]), await guess("2001-01-01T00:00:00Z")];
          expect({ ...where, ...shownOf(right, record[name]) }).toEqual({
            ...where,
            ...shownOf(wrong, record[name]),
          });
          expect(right.status).toBe(actions === READING ? 400 : 403);
        }
        for (const header of ["if-match", "if-none-match"]) {
          const conditional = async (value: string) =>
            (await send(world.spy, "PATCH", path, { Id: record.Id }, { [header]: value })).status;
          const [right, wrong] = [await conditional(etag), await conditional('"AAAAAAAAAAAAAAAAAAAAAA"')];
          expect({ path, header, actions, right }).toEqual({ path, header, actions, right: wrong });
        }
      }
    }
  });

  test("shows a foreign key of a hidden record as Id and Type only, in every answer", async () => {
    for (const entity of entities) {
      for (const reference of referencesOf(entity)) {
        const { record, target } = await pointing(entity, reference);
        if (!record) continue;
        const alone = { Id: record[reference].Id, Type: record[reference].Type };
        const answers: Record<string, Item> = {
          read: await ok(world.spy.get(`/${entity.Name}/${record.Id}`)),
          list: (await ok(world.spy.get(`/${entity.Name}?Limit=200`))).Items.find(({ Id }: Item) => Id === record.Id),
          write: await ok(world.spy.patch(`/${entity.Name}`, { Id: record.Id })),
          array: (await ok(world.spy.patch(`/${entity.Name}`, [{ Id: record.Id }])))[0],
        };
        const { Items } = await ok(world.spy.get(`/WebhookEvent?EventRecord=${entity.Name}&Limit=200`));
        const { EventId } = Items.find(({ RecordId }: Item) => RecordId === String(record.Id));
        answers.payload = (await ok(world.spy.get(`/WebhookEvent/${EventId}`))).Payload.Data;
        for (const [where, answer] of Object.entries(answers)) {
          const key = { entity: entity.Name, reference, where };
          expect({ ...key, shown: answer[reference] }).toEqual({ ...key, shown: alone });
        }
        // A name that only a hidden record has does not set it.
        for (const by of ["Name", "ExternalId"]) {
          const secret = target[by] ?? target.External_Id;
          const set = (Value: string) =>
            world.spy.patch(`/${entity.Name}`, { Id: record.Id, [reference]: { FieldType: by, Value } });
          const [found, absent] = [await set(secret), await set(UNKNOWN)];
          expect({ reference, by, ...shownOf(found, secret) }).toEqual({
            reference,
            by,
            ...shownOf(absent, UNKNOWN),
          });
          expect(absent.status).toBe(400);
        }
      }
    }
  });

  /** A record with a foreign key to one that the spy may not read; undefined if responses omit the foreign key. */
  async function pointing(entity: Described, reference: string): Promise<{ record?: Item; target: Item }> {
    if (reference === "CreatedBy" || reference === "ModifiedBy") {
      // The tenant's admin made it.
      const record = await ok(world.admin.patch(`/${entity.Name}`, newRecord(entity)));
      const target = await ok(world.admin.get(`/Application/${world.admin.clientId}`));
      await hide(world, [{ type: "Application", id: world.admin.clientId }], READING);
      return { record, target: { ...target, ExternalId: UNKNOWN } };
    }
    for (const candidate of entities) {
      const target = await ok(world.admin.patch(`/${candidate.Name}`, newRecord(candidate)));
      const body = { ...newRecord(entity), [reference]: { Id: target.Id, Type: candidate.Name } };
      const { status, body: record } = await world.admin.patch(`/${entity.Name}`, body);
      if (status !== 200) continue;
      await hide(world, [{ type: candidate.Name, id: String(target.Id) }], READING);
      return { record: record[reference] ? record : undefined, target };
    }
    return { target: {} };
  }

  test("in a payload is hidden like the record, in objects and arrays, with the receivers' answers", async () => {
    for (const entity of entities) {
      const record = await hiddenRecord(entity);
      const seen = await ok(world.admin.patch(`/${entity.Name}`, newRecord(entity, "seen")));
      await ok(
        world.admin.patch(
          `/${entity.Name}`,
          [record, seen].map(({ Id }) => ({ Id, Name: `changed ${Id}` })),
        ),
      );
      const { Items } = await ok(world.spy.get(`/WebhookEvent?EventRecord=${entity.Name}&Limit=200`));
      const about = (id: unknown) => Items.find(({ RecordId }: Item) => RecordId === String(id)).EventId;
      const bulk = Items.find(({ RecordCount }: Item) => RecordCount === 2).EventId;
      for (const [EventId, isShown] of [
        [about(record.Id), false],
        [bulk, false],
        [about(seen.Id), true],
      ] as const) {
        const event = await ok(world.spy.get(`/WebhookEvent/${EventId}`));
        expect({ entity: entity.Name, data: "Data" in event.Payload, why: event.Withheld === null }).toEqual({
          ...{ entity: entity.Name, data: isShown },
          why: isShown,
        });
        expect(JSON.stringify(event).includes(record[textsOf(entity)[0]!])).toBe(false);
        expect(event.Payload.EventId).toBe(EventId);
      }
    }
  });
});

const IDENTIFIED = [...ENTITIES, { name: "IdentityProvider", identifiers: ["Name", "ExternalId"] }].flatMap(
  ({ name, identifiers }) =>
    identifiers.flatMap((known) =>
      identifiers.filter((guessed) => guessed !== known).map((guessed) => [name, known, guessed] as const),
    ),
);

describe("a write", () => {
  test("by identifiers tells callers without permission nothing about what the identifiers match", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const provider = { Type: "OpenIDConnect", Issuer: "https://id.example.com", ClientId: "x" };
    for (const [type, known, guessed] of IDENTIFIED) {
      const fields = () => ({ [known]: unique("known"), [guessed]: unique("guessed") });
      const others = type === "IdentityProvider" ? provider : {};
      const [own, other] = [
        await ok(admin.patch(`/${type}`, { ...others, ...fields() })),
        await ok(admin.patch(`/${type}`, { ...others, ...fields() })),
      ];
      const guess = (value: string) => person.patch(`/${type}`, { [known]: own[known], [guessed]: value });
      const told = async () => {
        const answers = [await guess(own[guessed]), await guess(unique("nobody")), await guess(other[guessed])];
        return answers.map(({ status, body }) => ({ type, known, guessed, status, errors: body.Errors }));
      };
      const refused = await told();
      expect(refused[0]).toMatchObject({ status: 403 });
      expect(refused).toEqual(Array(3).fill(refused[0]));
      // Policies about one record's callers and the other record.
      await savePolicy(
        admin,
        "One",
        `permit (principal == Client::"${person.clientId}", action, resource == ${type}::"${own.Id}");`,
      );
      expect((await told()).map(({ status }) => status)).toEqual([200, 200, 403]);
      await savePolicy(
        admin,
        "One",
        `permit (principal == Client::"${person.clientId}", action, resource is ${type});`,
      );
      expect(await guess(other[guessed])).toMatchObject({
        status: 400,
        body: { Errors: [expect.stringMatching(/point at several/)] },
      });
      const { Items } = await ok(admin.get("/Policy?Name=One"));
      await ok(admin.remove(`/Policy/${Items[0].Id}`));
    }
  });

  test("with If-Match tells callers who may not change a record nothing of its version", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    const samples: Record<string, object> = {
      ...Object.fromEntries(ENTITIES.map(({ name }) => [name, {}])),
      Role: {},
      Api: { Audience: `https://${unique("api")}.example` },
      IdentityProvider: { Type: "OpenIDConnect", Issuer: "https://id.example.com", ClientId: "x" },
    };
    for (const [type, fields] of Object.entries(samples)) {
      const { Id } = await ok(admin.patch(`/${type}`, { Name: unique("kept"), ...fields }));
      const version = (await admin.get(`/${type}/${Id}`)).headers.get("etag");
      expect(version).not.toBeNull();
      const body = JSON.stringify({ Id, Name: unique("other") });
      const headers = { authorization: `Bearer ${person.token}`, "content-type": "application/json" };
      const withTag = (tag: string) => ({ ...headers, "if-match": tag });
      for (const ask of [
        (tag: string) => request("PATCH", `${API}/${type}`, { body, headers: withTag(tag) }),
        (tag: string) => request("DELETE", `${API}/${type}/${Id}`, { headers: withTag(tag) }),
      ]) {
        const answers = [await ask(version!), await ask('"guessed"')];
        const told = answers.map(({ status, body }) => ({ type, status, errors: body.Errors }));
        expect(told[0]).toMatchObject({ type, status: 403 });
        expect(told[1]).toEqual(told[0]!);
      }
    }
  });

  test("by identifiers tells callers who may not change the record neither its Id nor its parents", async () => {
    const admin = await newTenant();
    const person = await newMember(admin);
    for (const [type, parent] of [
      ["Department", "ParentId"],
      ["Application", "ApplicationId"],
    ] as const) {
      const made = (fields: object) => ok(admin.patch(`/${type}`, fields));
      const above = await made({ Name: unique("above") });
      const below = await made({ Name: unique("below"), [parent]: { Id: above.Id } });
      const guess = async (Name: string, Id: string | number) => {
        const { status, body } = await person.patch(`/${type}`, { Name, [parent]: { Id } });
        return { type, status, errors: body.Errors };
      };
      const other = await guess(below.Name, above.Id);
      expect(other).toMatchObject({ type, status: 403 });
      expect([await guess(above.Name, above.Id), await guess(above.Name, below.Id)]).toEqual([other, other]);
    }
  });
});
