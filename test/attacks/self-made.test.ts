// Records that strangers to the tenant make, planted under a name that an administrator is about to use. No name finds
// them: no upsert, no foreign key, no file of `bun run apply`, no selection in Settings. An Id does.

import { afterAll, describe, expect, test } from "bun:test";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { user } from "../../server/records/entities/user.ts";
import { ACTOR_FIELDS, SELF_MADE } from "../../server/records/index.ts";
import { findReferenced } from "../../server/records/rows.store.ts";
import { openWindows } from "../support/browser.ts";
import { ok, unique } from "../world/api.ts";
import { applierOf, KINDS } from "../world/apply.ts";
import { enterSettings } from "../world/console.ts";
import { sentBack, startForgedProvider } from "../world/forged-provider.ts";
import { newUpstreamTenant, toProvider } from "../world/provider.ts";
import { metadata, REGISTER, send } from "../world/registrar.ts";
import { db } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

type Json = Record<string, unknown>;

/** Requests of strangers that make a record with these values. */
const WAYS: { kind: string; fields: string[]; plant(values: Json): Promise<unknown> }[] = [
  { kind: "Application", fields: ["Name"], plant: ({ Name }) => registered(String(Name)) },
  { kind: "User", fields: ["Name", "Username", "External_Id"], plant: signedIn },
];

const browser = openWindows();

const provider = await startForgedProvider();
const Mapping = { Name: "name", Username: "preferred_username", External_Id: "employee" };
const tenant = await newUpstreamTenant({ Issuer: provider.issuer, ClientSecret: "a secret", Mapping });
await tenant.caller.made("TenantSettings", { ClientRegistration: "Open", RegistrationScopes: ["openid"] });
const applier = applierOf(tenant.caller);
afterAll(() => provider[Symbol.asyncDispose]());

const path = () => `${REGISTER}/${tenant.client.tenant.tenantId}`;

async function registered(client_name: string) {
  const answer = await send("POST", path(), undefined, metadata({ client_name }));
  expect(answer.status).toBe(201);
  return answer;
}

/** For the first time, by an account whose owner chose all claims. */
async function signedIn({ Name: name, Username: preferred_username, External_Id: employee }: Json) {
  provider.behaviour.idToken = { sub: crypto.randomUUID(), name, preferred_username, employee };
  const visitor = new Visitor();
  const location = await toProvider(visitor, await visitor.open(tenant.client.authorize()));
  return visitor.open(sentBack(provider, location));
}

interface Planted {
  kind: string;
  Id: string | number;
  values: [name: string, value: string][];
}

async function listOf(kind: string, query: Json = {}): Promise<Json[]> {
  return (await ok(tenant.caller.get(`/${kind}?${new URLSearchParams({ ...query, Limit: "200" } as never)}`))).Items;
}

/** Records of every kind that has names. */
async function everything(): Promise<{ kind: string; record: Json }[]> {
  const kinds = KINDS.filter(({ identifiers }) => identifiers.length > 0);
  const lists = kinds.map(async ({ name }) => (await listOf(name)).map((record) => ({ kind: name, record })));
  return (await Promise.all(lists)).flat();
}

async function planted({ kind, fields, plant }: (typeof WAYS)[number]): Promise<Planted> {
  const values = Object.fromEntries(fields.map((name) => [name, unique("hr")]));
  await plant(values);
  const [[name, value] = []] = Object.entries(values);
  const [{ Id } = {}] = await listOf(kind, { [name!]: value });
  return { kind, Id: Id as Planted["Id"], values: Object.entries(values) };
}

/** Tests that do not change it share one, because registrations are limited. */
const shared = new Map<string, Promise<Planted>>();
function plantedOnce(way: (typeof WAYS)[number]): Promise<Planted> {
  const one = shared.get(way.kind) ?? planted(way);
  shared.set(way.kind, one);
  return one;
}

test("whatever a stranger makes is of a kind that says so", async () => {
  const keyOf = ({ kind, record }: Awaited<ReturnType<typeof everything>>[number]) => `${kind} ${record.Id}`;
  for (const way of WAYS) {
    const before = new Set((await everything()).map(keyOf));
    const { kind, Id } = await planted(way);
    const made = (await everything()).filter((one) => !before.has(keyOf(one)));
    expect(made.map(keyOf)).toEqual([`${kind} ${Id}`]);
    const both = [await listOf(kind, { Id, [SELF_MADE]: true }), await listOf(kind, { Id, [SELF_MADE]: false })];
    expect(both.map(({ length }) => length)).toEqual([1, 0]);
  }
  expect(WAYS.map(({ kind }) => kind).toSorted()).toEqual(
    ENTITIES.flatMap(({ name, selfMade }) => (selfMade ? [name] : [])).toSorted(),
  );
  // Others have made these.
  expect((await listOf("User", { Username: "admin", [SELF_MADE]: false })).length).toBe(1);
  expect((await listOf("Application", { Id: tenant.caller.clientId, [SELF_MADE]: false })).length).toBe(1);
});

test("however many strangers share a name, a reference by it finds the tenant's own record", async () => {
  const { values } = await planted(WAYS[1]!);
  const [, Name] = values.find(([name]) => name === "Name")!;
  const own = await tenant.caller.made("User", { Name, Username: unique("own") });
  // The first of all, because only a number of them is read.
  const [first] = await findReferenced(db(), tenant.client.tenant.tenantId, user, "Name", Name, 1);
  expect(first).toMatchObject({ id: Number(own.Id), isSelfMade: false });
});

test.each(WAYS)("an upsert finds no $kind by what its maker chose, but by its Id", async (way) => {
  const { kind, Id, values } = await planted(way);
  const { identifiers } = ENTITIES.find(({ name }) => name === kind)!;
  const chosen = values.filter(([name]) => identifiers.includes(name));
  expect(chosen.length).toBeGreaterThan(0);
  const bodies = [...chosen.map(([name, value]) => ({ [name]: value })), Object.fromEntries(chosen)];
  for (const given of bodies) {
    for (const body of [given, { ...given, Is_Active: false }, [given], [{ Name: unique("other") }, given]]) {
      for (const method of ["PATCH", "POST"]) {
        const { status, body: answer } = await tenant.caller.call<Json>(method, `/${kind}`, body);
        const by = identifiers.filter((one) => one in given);
        expect([status, answer.Type]).toEqual([409, "/Errors/Conflict"]);
        for (const part of [...by, String(Id)]) expect(String(answer.Errors)).toContain(part);
      }
    }
    const headers = { "if-none-match": "*", "content-type": "application/json" };
    const isNew = { headers, body: JSON.stringify(given) };
    expect((await tenant.caller.send("PATCH", `/${kind}`, isNew)).status).toBe(412);
  }
  expect(await ok(tenant.caller.patch(`/${kind}`, { Id, Is_Active: false }))).toMatchObject({ Is_Active: false });
});

const ACTORS = ["User", "Application"];
const REFERENCES = ENTITIES.flatMap(({ name, references }) => [
  ...references.map(({ name: field, target }) => ({ of: name, field, targets: [target] })),
  ...ACTOR_FIELDS.map(({ name: field }) => ({ of: name, field, targets: ACTORS })),
]);

describe.each(WAYS)("$kind of a stranger", (way) => {
  const fields = REFERENCES.filter(({ targets }) => targets.includes(way.kind));

  test.each(fields)("is no $field of $of by a name, but by its Id", async ({ of, field }) => {
    const { kind, Id, values } = await plantedOnce(way);
    const [identifier] = ENTITIES.find(({ name }) => name === of)!.identifiers;
    const save = (reference: unknown) =>
      tenant.caller.patch(`/${of}`, { [identifier!]: unique("record"), [field]: reference });
    for (const [name, value] of values.filter(([name]) => /^(Name|External_?Id)$/.test(name))) {
      const key = name.replace("_", "");
      for (const given of [{ FieldType: key, Value: value }, ...(key === "Name" ? [] : [{ [key]: value }])]) {
        const { status, body } = await save({ ...given, Type: kind });
        expect([status, body.Type]).toEqual([400, "/Errors/Bad Input"]);
        expect(String(body.Errors)).toStartWith(`${field} points at the ${kind} of this ${key}, which `);
        expect(String(body.Errors)).toContain(`Id ${Id} `);
      }
    }
    await ok(save({ Id, Type: kind }));
  });
});

test("a User of a stranger does not hide one of the tenant with the same Name from a foreign key", async () => {
  const [, User] = WAYS;
  const { values } = await planted(User!);
  const Value = Object.fromEntries(values).Name;
  const { Id } = await tenant.caller.made("User", { Username: unique("own"), Name: Value });
  const body = { Name: unique("department"), CreatedBy: { FieldType: "Name", Value, Type: "User" } };
  await tenant.caller.made("Department", body);
  await tenant.caller.made("User", { Username: unique("own"), Name: Value });
  const { status, body: answer } = await tenant.caller.patch("/Department", body);
  expect([status, String(answer.Errors)]).toEqual([
    400,
    "CreatedBy points at several User records. Give the Id of one.",
  ]);
  expect(Id).toBeNumber();
});

interface Naming {
  title: string;
  of: (typeof KINDS)[number];
  field: string;
  named(by: Json): unknown;
}

/** Fields of files that name a record of this kind, with the value that names one. */
function fieldsNaming(kind: string): Naming[] {
  return KINDS.flatMap((of) =>
    [...of.settable].flatMap(([field, { target }]) => {
      const [item] = [(of.contract.example as Json)[field]].flat() as Json[];
      const isMember = item !== null && typeof item === "object" && "Type" in item && "Id" in item && !target;
      const takes = isMember && of.contract.check({ [field]: [{ Type: kind, Id: 7 }] }).problems.length === 0;
      if (target !== kind && !takes) return [];
      return [
        { title: `${of.name}.${field}`, of, field, named: (by: Json) => (isMember ? [{ Type: kind, ...by }] : by) },
      ];
    }),
  );
}

/** A file with one new record, which has these values. */
function fileOf({ name, contract, identifiers }: (typeof KINDS)[number], values: Json): string {
  const needed = contract.namesOf(({ required }) => required).map((one) => [one, (contract.example as Json)[one]]);
  const own = { [identifiers[0]!]: unique("record"), ...(name === "Api" && { Audience: `urn:${Bun.randomUUIDv7()}` }) };
  return JSON.stringify({ [name]: [{ ...Object.fromEntries(needed), ...own, ...values }] }, null, 1);
}

describe.each(WAYS)("`bun run apply`, with the name of a stranger's $kind", (way) => {
  const kind = KINDS.find(({ name }) => name === way.kind)!;

  test("changes nothing, and names the Id; with the Id the file changes the record", async () => {
    const { Id, values } = await planted(way);
    for (const [name, value] of values.filter(([name]) => kind.identifiers.includes(name))) {
      const { code, err, out } = await applier.apply(fileOf(kind, { [kind.identifiers[0]!]: null, [name]: value }));
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(`${kind.name} of this ${name} has the Id ${Id}, and ${kind.selfMade!.how}.`);
    }
    const meant = fileOf(kind, { ...Object.fromEntries(values), Id, Is_Active: false });
    const plan = await applier.apply(meant, ["--plan"]);
    expect([plan.code, plan.err]).toEqual([2, ""]);
    expect(plan.out).toContain(`${Id}, ${kind.selfMade!.how}  (acme.yaml:`);
    expect((await applier.apply(meant)).code).toBe(0);
    expect((await listOf(kind.name, { Id }))[0]!.Is_Active).toBe(false);
    expect((await applier.apply(meant, ["--plan"])).code).toBe(0);
  });

  test.each(fieldsNaming(way.kind))("$title refers to it only by its Id", async ({ of, field, named }) => {
    const { Id, values } = await plantedOnce(way);
    for (const [name, value] of values.filter(([name]) => kind.identifiers.includes(name))) {
      for (const options of [["--plan"], ["--yes"]]) {
        const { code, err, out } = await applier.apply(fileOf(of, { [field]: named({ [name]: value }) }), options);
        expect([code, out]).toEqual([2, ""]);
        expect(err).toContain(
          `has the Id ${Id}, and ${kind.selfMade!.how}. If it is meant, refer to it by { Id: ${Id}`,
        );
      }
    }
    const meant = fileOf(of, { [field]: named({ Id }) });
    const { code, out, err } = await applier.apply(meant);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain(`${Id}, ${kind.selfMade!.how}  (acme.yaml:`);
    expect(out).toContain(`${field}: `);
    expect((await applier.apply(meant, ["--plan"])).code).toBe(0);
  });

  test("an Id in a file is that of no other record", async () => {
    const other = await tenant.caller.made(kind.name, { [kind.identifiers[0]!]: unique("own") });
    const { code, err } = await applier.apply(fileOf(kind, { Id: Number(other.Id) }));
    expect([code, err]).toEqual([1, expect.stringContaining(`there is no ${kind.name} ${other.Id} that `)]);
  });
});

test("a name that a stranger takes between the plan and the write is not given the file's permissions", async () => {
  const name = unique("payroll");
  const { caller } = tenant;
  let isTaken = false;
  // The stranger is faster than the first write.
  using proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      headers.delete("host");
      const body = method === "GET" ? null : await request.text();
      if (method === "PATCH" && !isTaken) {
        isTaken = true;
        await registered(name);
      }
      return fetch(caller.url + pathname + search, { method, headers, body, decompress: false });
    },
  });
  const file = JSON.stringify({
    Application: [{ Name: name, Description: "Pays", Credentials: { Scopes: ["AccessManager:Read"] } }],
    Role: [{ Name: unique("role"), Members: [{ Type: "Application", Name: name }] }],
  });
  const { code, err } = await applier.apply(file, ["--yes"], { GATEHOUSE_URL: proxy.url.origin });
  const [record] = await listOf("Application", { Name: name });
  expect([code, isTaken]).toEqual([2, true]);
  expect(err).toContain(`Application of this Name has the Id ${record!.Id}, and registered itself.`);
  expect(record).toMatchObject({ Description: "" });

  const later = unique("payroll");
  const ask = async () => {
    await registered(later);
    return "yes";
  };
  const asked = await applier.apply(JSON.stringify({ Application: [{ Name: later }] }), [], { ask });
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining("registered itself")]);
});

test("Settings offers members with their origin", async () => {
  const name = unique("clerk");
  const { Id: role } = await tenant.caller.made("Role", { Name: unique("role") });
  await tenant.caller.made("Application", { Name: `${name} of ours` });
  for (const { kind, fields, plant } of WAYS) {
    await plant(Object.fromEntries(fields.map((field) => [field, `${name} ${kind}`])));
  }
  const { page, open } = await enterSettings(browser, tenant.caller.tenant, { javaScriptEnabled: false });
  await open(`/settings/roles/${role}/members/add?Search=${encodeURIComponent(name)}`);
  for (const { kind } of WAYS) {
    const { how } = ENTITIES.find((entity) => entity.name === kind)!.selfMade!;
    expect(await page.getByRole("row", { name: `${name} ${kind}` }).textContent()).toContain(how);
  }
  const ours = String(await page.getByRole("row", { name: `${name} of ours` }).textContent());
  expect([ours.includes("registered itself"), ours.includes("was made")]).toEqual([false, false]);
});
