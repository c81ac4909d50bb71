// `bun run apply --export`: the file that a tenant already equals.

import { expect, test } from "bun:test";
import { parse, stringify } from "yaml";
import { blockMarked } from "../support/pages.ts";
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
