// A file's role of all users, one of an identity provider that the same file has, and single members of one.

import { expect, test } from "bun:test";
import { newApplyTenant } from "../world/apply.ts";

const NO_CHANGES = "No changes. 4 as in the file.";

test.concurrent("a role names its provider, and --prune deletes the role before it", async () => {
  const { apply, api } = await newApplyTenant();
  const roles = `Api:
  - Name: Tools
    Audience: https://${crypto.randomUUID()}.example.com
    Scopes: [{ Name: "tools:call" }]
Role:
  - { Name: all, Scopes: ["tools:call"], AllUsers: true }
  - { Name: some, Scopes: ["tools:call"], IdentityProviderId: { Name: Company ID } }
`;
  const provider =
    "  - { Name: Company ID, Type: OpenIDConnect, Issuer: https://id.example.com, ClientId: gatehouse, Provisioning: Create }\n";
  const file = `${roles}IdentityProvider:\n${provider}`;
  expect(await apply(file)).toMatchObject({ code: 0, err: "" });
  expect((await apply(file, ["--plan"])).out).toStartWith(NO_CHANGES);
  const { Items } = (await api.get("/Role?Name=some")).body;
  expect(Items).toMatchObject([{ AllUsers: false, IdentityProviderId: expect.stringMatching(/^\d+$/) }]);

  const without = await apply("Role:\n  - Name: admin\nIdentityProvider: []\n", ["--yes", "--prune"]);
  expect([without.code, without.err]).toEqual([0, ""]);
  expect((await api.get("/IdentityProvider")).body.Items).toEqual([]);
});

test.concurrent("a file may decide about single members, and leave the others", async () => {
  const { apply, api } = await newApplyTenant();
  const [ana, ivo] = [await api.made("User", { Username: "ana" }), await api.made("User", { Username: "ivo" })];
  const member = ({ Id }: { Id: number }) => ({ Type: "User", Id });
  const { Id } = await api.made("Role", { Name: "clerk", Members: [member(ivo)] });
  const file = "Role:\n  - Name: clerk\n    Members: { Add: [{ Type: User, Username: ana }], Remove: [] }\n";
  expect((await apply(file, ["--plan"])).out).toContain("0 to create, 1 to change, 0 to delete.");
  expect(await apply(file)).toMatchObject({ code: 0, err: "" });
  expect((await api.get(`/Role/${Id}`)).body.Members).toEqual([member(ana), member(ivo)]);
  expect((await apply(file, ["--plan"])).out).toStartWith("No changes. 1 as in the file.");
});
