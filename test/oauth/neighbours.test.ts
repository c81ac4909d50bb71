// Two applications of one tenant with secrets, users and tokens. Changes of one leave the rows of the other.

import { expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { answerOf, newClient, otherClient } from "../world/client.ts";
import { expectLeft, rowsWith } from "../world/neighbours.ts";
import { clientOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

test("changes of one application leave all rows of the other", async () => {
  const first = await newClient();
  const admin = await clientOf(first.tenant);
  const user = await ok(admin.get(`/User/${first.tenant.admin.username}?Name=Username`));
  const visitor = new Visitor();
  const arrange = async () => {
    const client = await otherClient(first);
    const code = async () => answerOf(await client.visit(visitor)).code!;
    const { refresh_token } = await ok(client.token(await code()));
    await ok(client.refresh(refresh_token));
    await code();
    await ok(admin.call("POST", `/Application/${client.id}/Secrets`));
    return client;
  };
  const shop = await arrange();
  const desk = await arrange();
  const path = `/Application/${shop.id}`;
  const rowsOf = ({ id }: typeof shop) => rowsWith(id, ["application_id", "client_id"]);
  const secrets = async () => (await ok(admin.get(`${path}/Secrets`))).Items as { Id: string }[];
  const tables = await expectLeft(
    { own: () => rowsOf(shop), neighbour: () => rowsOf(desk) },
    {
      async "a withdrawn secret"() {
        const [gone, ...left] = await secrets();
        await ok(admin.remove(`${path}/Secrets/${gone!.Id}`));
        expect(await secrets()).toEqual(left);
      },
      "a new secret": () => ok(admin.call("POST", `${path}/Secrets`)),
      "other credentials": () => ok(admin.patch(`${path}/Credentials`, { Scopes: ["openid"] })),
      "a withdrawn grant": () => ok(admin.remove(`/User/${user.Id}/Grants/${shop.id}`)),
      "the removal of the application": () => ok(admin.remove(path)),
    },
  );
  expect(tables).toEqual(
    expect.arrayContaining([
      ...["authorization_codes.client_id", "client_secrets.application_id", "consents.client_id"],
      ...["credentials.application_id", "refresh_families.application_id", "session_clients.client_id"],
    ]),
  );
});
