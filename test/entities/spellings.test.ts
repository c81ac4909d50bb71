// Fields that are compared by a key, such as Username: every spelling is one value, wherever a value finds records.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { searchForm } from "../../server/platform/text.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { type Api, expectError, ok } from "../world/api.ts";
import { eventsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const WRITTEN = "Zoë ana";
const SPELLINGS = [
  "ZOË ANA",
  "zoe\u0308 ana",
  "Ｚｏë ａｎａ",
  "Zoë\u00a0ana",
  "Zo\u200dë ana",
  "\u2067Zoë ana\u2069",
  "zo\ufe0fë \u{e0061}ANA",
];
/** Only invisible characters. */
const INVISIBLE = ["\u200d", "\ufe0f\ufe0f", "\u3164", "\u034f \u{e0061}"];

const FIELDS = ENTITIES.flatMap(({ name: entity, identifiers, fields }) =>
  fields
    .filter(({ compared }) => compared)
    .map(({ name: field }) => ({ entity, field, isIdentifier: identifiers.includes(field) })),
);
const pathOf = (entity: string, field: string, text: string) =>
  `/${entity}/base64%7C${Buffer.from(text).toString("base64url")}?Name=${field}`;
const filtered = async (api: Api, entity: string, query: Record<string, string>) =>
  (await ok(api.get(`/${entity}?${new URLSearchParams(query)}`))).Items;

test("there are such fields, and Username is one", () => {
  expect(FIELDS).toContainEqual({ entity: "User", field: "Username", isIdentifier: true });
});

test.each(FIELDS)("$entity.$field: each spelling finds the record, which stays as it was written", async (of) => {
  const { entity, field, isIdentifier } = of;
  const admin = await newTenant();
  const one = await ok(admin.patch(`/${entity}`, { [field]: WRITTEN }));
  const other = await ok(admin.patch(`/${entity}`, { Name: "Somebody else" }));
  for (const spelling of SPELLINGS) {
    const Name = `found by ${encodeURIComponent(spelling)}`;
    if (isIdentifier) {
      const updated = await ok(admin.patch(`/${entity}`, { [field]: spelling, Name }));
      expect({ spelling, ...updated }).toMatchObject({ spelling, Id: one.Id, Name, [field]: WRITTEN });
      const several = await ok(
        admin.patch(`/${entity}`, [
          { [field]: spelling, Name: "x" },
          { [field]: spelling, Name },
        ]),
      );
      expect(several.map((record: typeof one) => [record.Id, record[field], record.Name])).toEqual([
        [one.Id, WRITTEN, Name],
        [one.Id, WRITTEN, Name],
      ]);
    }
    expect((await filtered(admin, entity, { [field]: spelling })).map(({ Id }: typeof one) => Id)).toEqual([one.Id]);
    expect((await ok(admin.get(pathOf(entity, field, spelling)))).Id).toBe(one.Id);
  }
  expect(await filtered(admin, entity, { [field]: "Zoe ana" })).toEqual([]);
  const respelled = await ok(admin.patch(`/${entity}`, { Id: one.Id, [field]: "ZOË ana" }));
  expect(respelled[field]).toBe("ZOË ana");

  for (const blank of INVISIBLE) {
    const answer = await admin.patch(`/${entity}`, { [field]: blank });
    expectError(answer, 400, "Bad Input", new RegExp(`^${field} needs a visible character`));
    expect(await filtered(admin, entity, { [field]: blank })).toEqual([]);
    expect((await admin.get(pathOf(entity, field, blank))).status).toBe(404);
  }
  expect((await admin.send("DELETE", pathOf(entity, field, SPELLINGS[0]!))).status).toBe(200);
  expect((await admin.get(`/${entity}/${other.Id}`)).status).toBe(200);
});

test.each(FIELDS.filter(({ isIdentifier }) => isIdentifier))(
  "$entity.$field: callers at once with every spelling, alone and in arrays, make one record",
  async ({ entity, field }) => {
    const admin = await newTenant();
    const bodies = SPELLINGS.map((spelling) => ({ [field]: spelling }));
    const answers = await Promise.all([
      ...bodies.map((body) => admin.patch(`/${entity}`, body)),
      admin.patch(`/${entity}`, bodies),
      admin.patch(`/${entity}`, bodies.toReversed()),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.flatMap(({ body }) => [body].flat().map(({ Id }) => Id))).size).toBe(1);
    expect((await eventsOf(admin.tenantId)).map(({ type }) => type)).toEqual(["Created"]);
  },
);

test("any order of upserts in any spelling keeps one record for each name", async () => {
  const admin = await newTenant();
  let run = 0;
  const spelled = fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 3 }), fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(spelled, { minLength: 1, maxLength: 8 }), async (steps) => {
      const prefix = `é${run++} `;
      const written = steps.map(([name, form]) => {
        const text = `${prefix}name${name}`;
        return [text, text.toUpperCase(), text.normalize("NFD"), `${text.slice(0, 1)}\u200d${text.slice(1)}`][form]!;
      });
      const ids = new Map<number, number>();
      for (const [index, [name, , inArray]] of steps.entries()) {
        const body = { Username: written[index] };
        const saved = await ok(admin.patch("/User", inArray ? [body] : body));
        const { Id } = inArray ? saved[0] : saved;
        expect(Id).toBe(ids.get(name) ?? Id);
        ids.set(name, Id);
      }
      expect(new Set(ids.values()).size).toBe(ids.size);
    }),
    { numRuns: 20 },
  );
});

const SEARCHED: [written: string, searches: string[]][] = [
  ["José Núñez", ["jose", "JOSÉ", "e\u0301 nunez", "ｊｏｓｅ", "sé nun"]],
  ["Søren Łukasz Đorđe", ["soren lukasz", "SØREN", "łuk", "dorde"]],
  ["Straße Æsir Œuvre", ["strasse", "STRASSE", "aesir", "œuvre", "oeuvre"]],
  ["Ελένη Οδυσσεύς", ["ελενη", "ΟΔΥΣΣΕΥΣ", "οδυσσευσ"]],
  ["Alëna Йорк", ["alena", "иорк", "ЙОРК"]],
  ["İnci Iğdır", ["inci", "igdir", "IĞDIR"]],
  ["ガス 50％", ["ガス", "ｶﾞｽ", "50%"]],
  ["Zo\u200de a_b\\c", ["zoe", "A_B", "b\\c"]],
];

test.each(ENTITIES.map(({ name }) => [name]))("a Search of %s ignores case, width and accents", async (entity) => {
  const admin = await newTenant();
  const ids = new Map<string, unknown>();
  for (const [Name] of SEARCHED) ids.set(Name, (await ok(admin.patch(`/${entity}`, { Name }))).Id);
  for (const [written, searches] of SEARCHED) {
    for (const Search of searches) {
      const found = (await filtered(admin, entity, { Search })).map(({ Id }: { Id: unknown }) => Id);
      expect([Search, found]).toEqual([Search, [ids.get(written)]]);
      expect(searchForm(written)).toContain(searchForm(Search));
    }
  }
  for (const Search of ["jos%", "j_se", "カス", "zoë_", "%"]) {
    expect([Search, await filtered(admin, entity, { Search })]).toEqual([
      Search,
      Search === "%" ? [expect.objectContaining({ Id: ids.get("ガス 50％") })] : [],
    ]);
  }
});
