import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Answer, Api } from "../world/api.ts";
import { eventsOf, rowsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const CALLERS = 20;

const statuses = (answers: Answer[]) => [...new Set(answers.map((answer) => answer.status))].sort();
const together = (caller: Api, bodies: unknown[], entity = "Application") =>
  Promise.all(bodies.map((body) => caller.patch(`/${entity}`, body)));

/** The tenant's own applications, except its client and that of Settings. */
async function recordsOf(caller: Api) {
  const all = await rowsOf("applications", { tenant_id: caller.tenantId, is_system: false });
  return all
    .filter(({ id }) => String(id) !== caller.clientId)
    .map(({ id, name, application_key: key, external_id: external }) => ({ id, name, key, external }))
    .toSorted((a, b) => a.id - b.id);
}

describe(`${CALLERS} callers at once`, () => {
  test.each([["Name"], ["ExternalId"], ["ApplicationKey"]])(
    "the same %s: one record, one Created event",
    async (field) => {
      const caller = await newTenant();
      const answers = await together(caller, Array(CALLERS).fill({ [field]: "same", Description: "equal" }));
      expect(statuses(answers)).toEqual([200]);
      expect(new Set(answers.map((answer) => answer.body.Id)).size).toBe(1);
      expect(await recordsOf(caller)).toHaveLength(1);
      expect((await eventsOf(caller.tenantId)).map((event) => event.type)).toEqual(["Created"]);
    },
  );

  test.each([
    ["User", "Username"],
    ["User", "External_Id"],
    ["Department", "Name"],
    ["Department", "ExternalId"],
  ])("a %s of the same %s: one record, one Created event", async (entity, field) => {
    const caller = await newTenant();
    const answers = await together(caller, Array(CALLERS).fill({ [field]: "same", Name: "same" }), entity);
    expect(statuses(answers)).toEqual([200]);
    expect(new Set(answers.map((answer) => answer.body.Id)).size).toBe(1);
    expect((await caller.get(`/${entity}?${field}=same`)).body.Items).toHaveLength(1);
    expect((await eventsOf(caller.tenantId)).map((event) => event.type)).toEqual(["Created"]);
  });

  test("the same identifiers with other descriptions: one Created, and an Updated for each other", async () => {
    const caller = await newTenant();
    const identifiers = { Name: "N", ExternalId: "E", ApplicationKey: "K" };
    const bodies = Array.from({ length: CALLERS }, (_, index) => ({ ...identifiers, Description: `number ${index}` }));
    const answers = await together(caller, bodies);
    expect(statuses(answers)).toEqual([200]);
    expect(await recordsOf(caller)).toHaveLength(1);
    const types = (await eventsOf(caller.tenantId)).map((event) => event.type);
    expect(types.filter((type) => type === "Created")).toHaveLength(1);
    expect(types.filter((type) => type === "Updated")).toHaveLength(CALLERS - 1);
  });

  test("overlapping identifiers of one record: every answer is documented, never a 500", async () => {
    const caller = await newTenant();
    const whole = { Name: "N", ExternalId: "E", ApplicationKey: "K" };
    const subsets = [1, 2, 3, 4, 5, 6, 7].map((mask) =>
      Object.fromEntries(Object.entries(whole).filter((_, bit) => mask & (1 << bit))),
    );
    const bodies = Array.from({ length: CALLERS }, (_, index) => subsets[index % subsets.length]);
    const answers = await together(caller, bodies);
    for (const answer of answers) {
      if (answer.status === 400) expect(answer.body.Type).toBe("/Errors/Bad Input");
      else expect([200, 409]).toContain(answer.status);
    }
    await expectUnique(caller);
  });

  test("two records that exchange names repeatedly stay unique, without a 500", async () => {
    const caller = await newTenant();
    const [one, two] = await together(caller, [{ Name: "one" }, { Name: "two" }]);
    const names = ["one", "two", "three"];
    const bodies = Array.from({ length: CALLERS }, (_, index) => ({
      Id: (index % 2 ? one : two)!.body.Id,
      Name: names[index % names.length],
    }));
    for (const answer of await together(caller, bodies)) expect([200, 409]).toContain(answer.status);
    await expectUnique(caller);
  });

  test("concurrent parents never form a circle, and never cause a 500", async () => {
    const caller = await newTenant();
    const made = await together(caller, [{ Name: "a" }, { Name: "b" }, { Name: "c" }]);
    const ids = made.map((answer) => answer.body.Id);
    const bodies = Array.from({ length: CALLERS }, (_, index) => ({
      Id: ids[index % 3],
      Name: `renamed ${index}`,
      ApplicationId: { Id: ids[(index + 1 + (index % 2)) % 3] },
    }));
    for (const answer of await together(caller, bodies)) expect([200, 400]).toContain(answer.status);
    const own = { tenant_id: caller.tenantId };
    const rows = await rowsOf<{ id: number; parent_id: number | null }>("applications", own);
    const parents = new Map(rows.map(({ id, parent_id }) => [id, parent_id]));
    for (const { id } of rows) {
      let [top, steps]: [number | null | undefined, number] = [id, 0];
      while (top && steps <= rows.length) [top, steps] = [parents.get(top), steps + 1];
      expect(steps).toBeLessThanOrEqual(rows.length);
    }
  });
});

describe("properties", () => {
  const word = fc.constantFrom("a", "b", "c", null, "");
  const upsert = fc.record(
    {
      Name: word,
      ExternalId: word,
      ApplicationKey: word,
      Description: fc.string({ unit: "grapheme", maxLength: 5 }),
      Is_Active: fc.option(fc.boolean()),
      target: fc.option(fc.nat(5), { freq: 3 }),
    },
    { requiredKeys: [] },
  );

  /** @param wave the number of concurrent changes */
  async function run(caller: Api, changes: Record<string, unknown>[], wave: number): Promise<void> {
    const ids: string[] = [];
    for (let start = 0; start < changes.length; start += wave) {
      const bodies = changes.slice(start, start + wave).map(({ target, ...body }) => {
        const Id = typeof target === "number" ? ids[target % Math.max(1, ids.length)] : undefined;
        return Id === undefined ? body : { ...body, Id };
      });
      for (const answer of await together(caller, bodies)) {
        expect([200, 400, 409]).toContain(answer.status);
        if (answer.status === 400) expect(answer.body.Type).toBe("/Errors/Bad Input");
        if (answer.status === 200) ids.push(answer.body.Id);
      }
    }
  }

  test.each([1, 8])(
    "any upserts, %i at once, keep the identifiers unique and have one event per change",
    async (wave) => {
      const caller = await newTenant();
      await fc.assert(
        fc.asyncProperty(fc.array(upsert, { minLength: 1, maxLength: 12 }), async (changes) => {
          await run(caller, changes, wave);
          await expectUnique(caller);
          const created = (await eventsOf(caller.tenantId)).filter((event) => event.type === "Created");
          expect(created).toHaveLength((await recordsOf(caller)).length);
        }),
        { numRuns: 30 },
      );
    },
  );

  test("the last event of a record equals its last answer", async () => {
    const caller = await newTenant();
    await fc.assert(
      fc.asyncProperty(fc.array(upsert, { minLength: 1, maxLength: 8 }), async (changes) => {
        await run(caller, changes, 1);
        const last = new Map((await eventsOf(caller.tenantId)).map((event) => [event.recordId, event.data]));
        for (const [id, data] of last) expect((await caller.get(`/Application/${id}`)).body).toEqual(data);
      }),
      { numRuns: 5 },
    );
  });

  test("any upserts of Users, alone and in arrays, keep External_Id unique without a 500", async () => {
    const caller = await newTenant();
    const user = fc.record({ Username: word, External_Id: word, Name: word }, { requiredKeys: [] });
    const body = fc.oneof(user, fc.array(user, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 8 }), async (bodies) => {
        for (const { status, body } of await together(caller, bodies, "User")) {
          if (status !== 200) expect([400, 409]).toContain(status);
          if (status === 400) expect(body.Type).toBe("/Errors/Bad Input");
        }
        for (const value of ["a", "b", "c"]) {
          const { Items } = (await caller.get(`/User?External_Id=${value}`)).body;
          expect(Items.length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 15 },
    );
  });
});

async function expectUnique(caller: Api): Promise<void> {
  const records = await recordsOf(caller);
  for (const column of ["name", "key", "external"] as const) {
    const held = records.map((record) => record[column]).filter((value) => value !== null);
    expect(new Set(held).size).toBe(held.length);
  }
}
