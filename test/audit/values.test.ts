// Details have values only of fields that describe settings, never of a person's.

import { expect, test } from "bun:test";
import { CREDENTIALS } from "../../server/identity/oauth/clients/contract.ts";
import { SETTINGS } from "../../server/identity/settings.ts";
import { TENANT_SETTINGS } from "../../server/identity/tenants/contract.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { CONNECTION } from "../../server/webhooks/connection.ts";
import { API, ok } from "../world/api.ts";
import { logOf } from "../world/audit.ts";
import { newClient } from "../world/client.ts";
import { clientOf, request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const KINDS = [
  ...ENTITIES,
  ...Object.values(SETTINGS).map(({ type }) => type),
  CREDENTIALS,
  TENANT_SETTINGS,
  CONNECTION,
];
const USER = ENTITIES.find(({ name }) => name === "User")!;
const FLAGS = ["EmailVerified", "MobilePhoneVerified", "Is_Active"];
/** Other kinds have fields of these names, too. */
const SHARED = ["Id", "Name", "External_Id"];

test("of a User only flags are audited with their values, and no kind audits the value of a personal field", () => {
  expect(KINDS.length).toBeGreaterThan(8);
  expect(USER.namesOf(({ audit }) => audit === "value")).toEqual(FLAGS);
  const personal = USER.namesOf(() => true).filter((name) => ![...FLAGS, ...SHARED].includes(name));
  expect(personal).toContain("Email");
  const told = KINDS.flatMap(({ name, namesOf }) =>
    namesOf(({ audit }) => audit === "value").map((field) => ({ name, field })),
  );
  expect(told.length).toBeGreaterThan(20);
  expect(told.filter(({ field }) => personal.includes(field))).toEqual([]);
});

test("no value of a User that a person creates, changes and deletes is in the log", async () => {
  const client = await newClient();
  const scope = "openid AccessManager:Read AccessManager:Create AccessManager:Update AccessManager:Delete";
  const { access_token } = (await client.token(await client.code(new Visitor(), { scope }))).body;
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const planted: string[] = [];
  const text = (before = "", after = "") => {
    planted.push(Bun.randomUUIDv7());
    return before + planted.at(-1) + after;
  };
  const values = () => ({
    ...{ Name: text(), Username: text(), Email: text("", "@example.com"), MobilePhone: text(), External_Id: text() },
    ...{ GivenName: text(), FamilyName: text(), MiddleName: text(), Nickname: text(), Gender: text(), Address: text() },
    ...{
      Picture: text("https://a.example/"),
      Profile: text("https://a.example/"),
      Website: text("https://a.example/"),
    },
  });
  const send = (body: object) => ok(request("PATCH", `${API}/User`, { headers, body: JSON.stringify(body) }));
  const { Id } = await send(values());
  await send({ Id, ...values() });
  await ok(request("DELETE", `${API}/User/${Id}`, { headers }));
  const entries = await logOf(await clientOf(client.tenant), `SubjectType=User&SubjectId=${Id}`);
  expect(new Set(entries.map(({ Kind }) => Kind))).toContain("Record.Changed");
  const log = JSON.stringify(entries);
  expect(planted.filter((value) => log.includes(value))).toEqual([]);
});
