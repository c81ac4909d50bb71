// Normalisation of typed text: trailing spaces and composed letters make no difference in any field of any record, in
// look-ups, filters and sign-in.

import { describe, expect, test } from "bun:test";
import { SETTINGS } from "../../server/identity/settings.ts";
import { ok, unique } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { newColleague } from "../world/console.ts";
import { tenantOf } from "../world/planted.ts";
import { entitiesOf, textsOf } from "../world/spy.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PLAIN = "Café Ünïon";
const WRITTEN = [
  PLAIN,
  ` ${PLAIN}`,
  `${PLAIN} `,
  `\u00a0${PLAIN}\u3000`,
  PLAIN.normalize("NFD"),
  `\t${PLAIN.normalize("NFD")}\n`,
  // As copied from web pages, spreadsheets and Windows dialogs.
  PLAIN.replace(" ", "\u00a0"),
  PLAIN.replace(" ", "\u2009"),
  `\u200e${PLAIN}\u200e`,
  `\u202a${PLAIN}\u202c `,
  `\ufeff${PLAIN}\u200b`,
  PLAIN.replace("f", "\u00adf\u200b\u2060"),
];
/** Fields that accept only an address or a date, not such a text. */
const SHAPED = new Set(["Email", "Picture", "Website", "Profile", "WebSiteURL", "BirthDate", "Locale", "ZoneInfo"]);

const textsWithout = (entity: Parameters<typeof textsOf>[0]) => textsOf(entity).filter((name) => !SHAPED.has(name));

test("every text of every entity is normalized, and found in any composition", async () => {
  const admin = await newTenant();
  for (const entity of await entitiesOf(admin)) {
    for (const name of textsWithout(entity)) {
      const { Id } = await ok(admin.patch(`/${entity.Name}`, {}));
      for (const written of WRITTEN) {
        const record = await ok(admin.patch(`/${entity.Name}`, { Id, [name]: written }));
        expect({ entity: entity.Name, name, written, is: record[name] }).toEqual({
          ...{ entity: entity.Name, name, written, is: PLAIN },
        });
        const { Filter } = entity.Fields.find((one) => one.Name === name)!;
        const { Items } = await ok(admin.get(`/${entity.Name}?${new URLSearchParams([[name, written]])}`));
        if (Filter) expect(Items.map((item: { Id: unknown }) => item.Id)).toEqual([Id]);
        const path = `/${entity.Name}/base64%7C${Buffer.from(written).toString("base64url")}?Name=${name}`;
        expect((await ok(admin.get(path))).Id).toBe(Id);
      }
      expect((await ok(admin.patch(`/${entity.Name}`, { Id, [name]: " \u00a0 " })))[name]).toBe("");
    }
  }
});

test("settings cannot have the same name in another composition", async () => {
  const admin = await newTenant();
  const more: Record<string, () => object> = {
    Role: () => ({}),
    Policy: () => ({ Policy: "permit (principal, action, resource) when { context.hour == 1 };" }),
    Api: () => ({ Audience: `urn:${Bun.randomUUIDv7()}` }),
    IdentityProvider: () => ({ Type: "OpenIDConnect", Issuer: "https://id.example.com", ClientId: "x" }),
    WebhookConnection: () => ({
      URL: "https://receiver.example/",
      Entities: ["User"],
      Events: ["Created"],
      State: "Paused",
    }),
  };
  for (const blank of [" ", "\u00a0", "\u200b", "\u200e \u00ad"]) {
    expect({ blank, status: (await admin.patch("/Role", { Name: blank })).status }).toEqual({ blank, status: 400 });
  }
  const named = Object.values(SETTINGS).filter(({ type }) => type.identifiers.includes("Name"));
  const kinds = [...named.map(({ type }) => type.name), "WebhookConnection"];
  for (const kind of kinds) {
    const made = await ok(admin.patch(`/${kind}`, { Name: PLAIN, ...more[kind]!() }));
    for (const written of WRITTEN) {
      const { body } = await admin.patch(`/${kind}`, { Name: written, ...more[kind]!() });
      expect({ kind, written, id: body.Id, name: body.Name }).toEqual({ kind, written, id: made.Id, name: PLAIN });
      const { Items } = await ok(admin.get(`/${kind}?${new URLSearchParams({ Name: written })}`));
      expect(Items.map(({ Id }: { Id: string }) => Id)).toEqual([made.Id]);
    }
  }
});

describe.concurrent("a unique text", () => {
  test.each([
    "Department Name",
    "Department ExternalId",
    "Application Name",
    "Application ApplicationKey",
    "User External_Id",
  ])("%s conflicts in any composition, also within one array", async (which) => {
    const [kind = "", field = ""] = which.split(" ");
    const admin = await newTenant();
    await ok(admin.patch(`/${kind}`, { [field]: PLAIN }));
    for (const written of WRITTEN) {
      const other = await ok(admin.patch(`/${kind}`, { Name: unique("other") }));
      const change = { Id: other.Id, [field]: written };
      expect((await admin.patch(`/${kind}`, change)).status).toBe(409);
      expect((await admin.patch(`/${kind}`, [change])).status).toBe(409);
    }
  });

  test("is found by a foreign key", async () => {
    const admin = await newTenant();
    const department = await ok(admin.patch("/Department", { Name: PLAIN, ExternalId: PLAIN }));
    for (const written of WRITTEN) {
      for (const reference of [{ FieldType: "Name", Value: written }, { ExternalId: written }]) {
        const user = await ok(admin.patch("/User", { Name: "Ana", Department: reference }));
        expect(user.Department.Id).toBe(department.Id);
      }
    }
  });
});

test("a user signs in with any composition of the user name, and no second user can have it", async () => {
  const admin = await newTenant();
  const colleague = await newColleague(admin, "auditor");
  for (const username of [
    ` ${colleague.username}`,
    `${colleague.username}\u00a0`,
    `${colleague.username.toUpperCase()} `,
    `\u200e${colleague.username}\u200b`,
    `${colleague.username.slice(0, 2)}\u200b\u200c\u2066${colleague.username.slice(2)}\u202c`,
  ]) {
    const visitor = new Visitor(issuer());
    const page = await visitor.open(`/settings?organisation=${admin.tenantId}`);
    expect((await visitor.submit(page, { username, password: colleague.password })).heading).toBe("Overview");
  }
  const { Items } = await ok(admin.get(`/User?${new URLSearchParams({ Username: `${colleague.username} ` })}`));
  expect(Items).toHaveLength(1);
  const second = await admin.patch("/User", { Username: `${colleague.username} `, Name: "Another" });
  expect(second.body.Id ?? second.status).toBeOneOf([Items[0].Id, 409]);
});

test("an organisation is found in any composition of its name", async () => {
  const api = await newTenant();
  const { name } = await tenantOf(api);
  const visitor = new Visitor(issuer());
  const query = new URLSearchParams({ organisation: ` ${name} ` });
  const page = await visitor.open(`/settings/sign-in?${query}`);
  expect((await visitor.submit(page, api.tenant.admin)).heading).toBe("Overview");
});
