// `bun run apply --export`: the file that a tenant already equals.

import { expect, test } from "bun:test";
import { parse, stringify } from "yaml";
import { BRANDING_NAMES } from "../../server/identity/branding/fields.ts";
import { blockMarked } from "../support/pages.ts";
import { picture } from "../support/picture.ts";
import { ok } from "../world/api.ts";
import { newApplyTenant, SECRETS } from "../world/apply.ts";

const NOTHING = /^No changes\. \d+ as in the file\.$/m;

test.concurrent("an exported tenant equals its file, which has all kinds and no secrets", async () => {
  const { example, apply, exported, api } = await newApplyTenant();
  await apply(example);
  await api.made("Department", { Name: "007", ParentId: { FieldType: "Name", Value: "Payroll" } });
  await api.made("User", { Username: "true", Name: 'ﷺ: # "it\'s"', Address: " a\n\n  b: [c]\n", Is_Active: true });
  const { code, out, err } = await exported();
  expect([code, err]).toEqual([0, ""]);
  for (const secret of Object.values(SECRETS)) expect(out).not.toContain(secret);
  expect(Object.keys(parse(out))).toEqual(
    expect.arrayContaining([...Object.keys(parse(blockMarked("run: apply").text))]),
  );
  const again = await apply(out, ["--plan", "--prune"]);
  expect([again.code, again.err]).toEqual([0, ""]);
  expect(again.out).toMatch(NOTHING);
  expect((await exported()).out).toBe(out);

  const { WebhookConnection, Application, Role, User } = parse(out);
  expect(out).toMatch(/# A file cannot have the values of Headers\./);
  expect(WebhookConnection[0]).not.toContainAnyKeys(["Secret", "ApiKey", "Headers", "State"]);
  expect(Application).toContainEqual(expect.objectContaining({ AuthenticationId: { Name: "Example ID" } }));
  expect(Role.find(({ Name }: { Name: string }) => Name === "clerk").Members).toEqual([
    { Type: "User", Username: "ana" },
    { Type: "Application", Name: "payroll" },
  ]);
  expect(User.map(({ Username }: { Username: string }) => Username)).toContain("true");
});

test.concurrent("an exported file makes the same records in another tenant", async () => {
  const [one, other] = [await newApplyTenant(), await newApplyTenant()];
  const file = `Department:
  - { Name: Above }
  - { Name: Below, ParentId: { Name: Above }, ExternalId: "1e3" }
User:
  - { Username: bo, Department: { Name: Below }, Is_Active: true }
Role:
  - { Name: reader, Scopes: ["AccessManager:Read"], Members: [{ Type: User, Username: bo }] }
`;
  expect((await one.apply(file)).err).toBe("");
  const { out } = await one.exported("Department", "User", "Role");
  const { Tenant: _, ...kept } = parse(out);
  kept.Role = kept.Role.filter(({ Name }: { Name: string }) => Name === "reader");
  const made = await other.apply(stringify(kept));
  expect([made.code, made.err]).toEqual([0, ""]);
  const again = parse((await other.exported("Department", "User", "Role")).out);
  expect(again).toMatchObject({ Department: kept.Department, User: kept.User });
  expect(again.Role).toContainEqual(kept.Role[0]);
});

test.concurrent("a tenant's face is in the file, and another tenant gets it from there", async () => {
  const [one, other] = [await newApplyTenant(), await newApplyTenant()];
  const face = await ok(
    one.api.patch("/TenantSettings", {
      DisplayName: "Acme: & Söhne",
      Welcome: "Staff # and partners.",
      Logo: await picture(600, 120),
      DarkLogo: await picture(300, 60, "webp"),
      Favicon: await picture(200, 200, "jpeg"),
      Accent: "#7a1fa2",
      DarkBackground: "#0d1117",
      HelpUri: "https://acme.example/help?a=1&b=2",
    }),
  );
  const { code, err, out } = await one.exported("TenantSettings");
  expect([code, err]).toEqual([0, ""]);
  expect((await one.apply(out, ["--plan"])).out).toMatch(NOTHING);
  const { Tenant: _, ...kept } = parse(out);
  const made = await other.apply(stringify(kept));
  expect([made.code, made.err]).toEqual([0, ""]);
  const names = BRANDING_NAMES.map((name) => [name, face[name]]);
  expect(names.filter(([, value]) => value)).toHaveLength(8);
  expect(await ok(other.api.get("/TenantSettings"))).toMatchObject(Object.fromEntries(names));
  expect((await other.apply(stringify(kept))).out).toMatch(NOTHING);
  expect((await ok(other.api.get("/TenantSettings/Branding"))).Items).toHaveLength(1);
  const without = { TenantSettings: Object.fromEntries(BRANDING_NAMES.map((name) => [name, null])) };
  expect((await other.apply(stringify(without))).code).toBe(0);
  const gone = await ok(other.api.get("/TenantSettings"));
  expect(BRANDING_NAMES.filter((name) => gone[name] !== "")).toEqual([]);
  const wrong = await other.apply(stringify({ TenantSettings: { Accent: "#ffcc00" } }));
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/Accent: #ffcc00 has a contrast of/)]);
});

test.concurrent("a held connection is not resumed, and a paused one stays paused", async () => {
  const { example, apply, exported, api } = await newApplyTenant();
  await apply(example);
  const [connection] = (await api.get("/WebhookConnection")).body.Items;
  await api.made("WebhookConnection", { Id: connection.Id, State: "Paused" });
  const { out } = await exported("WebhookConnection");
  expect(parse(out).WebhookConnection[0].State).toBe("Paused");
  expect((await apply(out, ["--plan"])).code).toBe(0);
});

test.concurrent("a member without a name leaves its list out, and the comment says so", async () => {
  const { apply, exported, api } = await newApplyTenant();
  const nameless = await api.made("User", { Name: "Only a full name" });
  await api.made("Role", { Name: "odd", Members: [{ Type: "User", Id: nameless.Id }] });
  const { out } = await exported("Role", "User");
  expect(out).toStartWith(`# Without a name of their own, so not here: User "${nameless.Id}".`);
  expect(out).toMatch(/# A file cannot have the values of Members\.\n {2}- Name: odd$/m);
  expect((await apply(out, ["--plan"])).out).toMatch(NOTHING);
});

test.concurrent("wrong kinds are named, with the right ones", async () => {
  const { exported } = await newApplyTenant();
  const { code, out, err } = await exported("Users");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toStartWith("Users is not a kind of record. Choose TenantSettings, ");
});
