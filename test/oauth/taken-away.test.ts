// Access that an administrator removes from an application also ends for unfinished flows: unredeemed codes, pushed
// requests, and approved devices.

import { describe, expect, test } from "bun:test";
import { DEVICE_GRANT, STANDARD_GRANT_TYPES } from "../../server/identity/oauth/contract.ts";
import { type Api, ok } from "../world/api.ts";
import { answerOf, CALLBACK, type Client, newClient, otherClient, RFC_PATH, RFC_TOKEN_PATH } from "../world/client.ts";
import { allowDevice, beginDevice } from "../world/device.ts";
import { DOORS, postAs } from "../world/grants.ts";
import { clientOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

interface Scene {
  admin: Api;
  client: Client;
}

const GRANT_TYPES = [...STANDARD_GRANT_TYPES, DEVICE_GRANT];

async function arrange(): Promise<Scene> {
  const first = await newClient();
  const client = await otherClient(first, { grant_types: GRANT_TYPES, redirect_uris: [CALLBACK, `${CALLBACK}/other`] });
  return { admin: await clientOf(first.tenant), client };
}

const change = (fields: object) => (scene: Scene) =>
  ok(scene.admin.patch(`/Application/${scene.client.id}/Credentials`, fields));
const without = (grant: string) => change({ GrantTypes: GRANT_TYPES.filter((one) => one !== grant) });

const LOSSES = {
  "its redirect URI": change({ RedirectUris: [`${CALLBACK}/other`] }),
  "its response type": change({ ResponseTypes: ["code id_token"] }),
  "the code grant": without("authorization_code"),
  "the device grant": without(DEVICE_GRANT),
  "being active": ({ admin, client }: Scene) => ok(admin.patch("/Application", { Id: client.id, Is_Active: false })),
};
type Loss = keyof typeof LOSSES;

/** Unfinished flows: each starts one, and returns a function that continues it and returns its error, or undefined. */
const UNDER_WAY: [
  string,
  (scene: Scene) => Promise<() => Promise<string | undefined>>,
  Partial<Record<Loss, string>>,
][] = [
  [
    "a code at SPEC.md's door",
    async ({ client }) => {
      const code = await client.code(new Visitor());
      return async () => (await client.token(code, {}, DOORS[0])).body.error;
    },
    {
      "its redirect URI": "Bad Input",
      "its response type": "Bad Input",
      "the code grant": "Permission",
      "being active": "Unauthorized",
    },
  ],
  [
    "a code at the RFC door",
    async ({ client }) => {
      const code = await client.code(new Visitor());
      return async () => (await client.token(code, {}, RFC_TOKEN_PATH)).body.error;
    },
    {
      "its redirect URI": "invalid_grant",
      "its response type": "invalid_grant",
      "the code grant": "unauthorized_client",
      "being active": "invalid_client",
    },
  ],
  [
    "a pushed request",
    async ({ client }) => {
      const visitor = new Visitor();
      await client.code(visitor);
      const asked = { response_type: "code", redirect_uri: CALLBACK, scope: "openid profile", state: "s" };
      const { body } = await postAs(client.tenant.client, "/oauth2/par", asked);
      const parameters = new URLSearchParams({ client_id: client.id, request_uri: body.request_uri });
      return async () => {
        const view = await visitor.open(`${RFC_PATH}?${parameters}`);
        if (view.location?.href.startsWith(CALLBACK)) return answerOf(view).error;
        return String(view.status);
      };
    },
    {
      "its redirect URI": "404",
      "its response type": "unauthorized_client",
      "the code grant": "unauthorized_client",
      "being active": "404",
    },
  ],
  [
    "a device's code",
    async ({ client }) => {
      const device = await beginDevice(client, { scope: "openid" });
      await allowDevice(device, client);
      return async () => (await device.poll()).body.error;
    },
    { "the device grant": "unauthorized_client", "being active": "invalid_client" },
  ],
];

describe.concurrent.each(UNDER_WAY)("%s", (_, begin, refusals) => {
  test.each(Object.keys(LOSSES) as Loss[])("continues only while the application has %s", async (loss) => {
    const scene = await arrange();
    const goOn = await begin(scene);
    await LOSSES[loss](scene);
    expect(await goOn()).toBe(refusals[loss]);
  });
});
