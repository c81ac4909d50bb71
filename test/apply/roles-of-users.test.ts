// A file's role of all users, and one of an identity provider that the same file has.

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
