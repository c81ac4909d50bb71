// Scopes that a client or its user has lost are left out of new tokens, and earlier tokens no longer grant them.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { DEVICE_GRANT, STANDARD_GRANT_TYPES } from "../../server/identity/oauth/contract.ts";
import { type Answer, API, type Api, ok } from "../world/api.ts";
import { type Client, newClient, otherClient, RFC_TOKEN_PATH } from "../world/client.ts";
import { allowDevice, beginDevice } from "../world/device.ts";
import { DOORS, postAs } from "../world/grants.ts";
import { clientOf, request, roleOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const SCOPES = ["openid", "profile", "AccessManager:Read", "Webhooks:Read"];
const scope = SCOPES.join(" ");

interface Scene {
  /** A client with the administrator's role. */
  admin: Api;
  client: Client;
  /** As a caller sends them. */
  credentials: { clientId: string; clientSecret: string };
}

const GRANT_TYPES = [...STANDARD_GRANT_TYPES, DEVICE_GRANT] as const;

async function arrange(): Promise<Scene> {
  const first = await newClient();
  const client = await otherClient(first, { scopes: SCOPES, grant_types: [...GRANT_TYPES] });
  return { admin: await clientOf(first.tenant), client, credentials: client.tenant.client };
}

/** The remaining part of SCOPES. */
const LOSSES: [string, (scene: Scene) => Promise<unknown>, string[], string[]][] = [
  [
    "a scope that the client has lost",
    ({ admin, client }) =>
      ok(admin.patch(`/Application/${client.id}/Credentials`, { Scopes: ["openid", "Webhooks:Read"] })),
    ["openid", "Webhooks:Read"],
    ["openid", "Webhooks:Read"],
  ],
  [
    "a scope that no role gives the user any more",
    async ({ admin }) => {
      const { Members } = await roleOf(admin, "admin");
      const clients = Members.filter(({ Type }: { Type: string }) => Type === "Application");
      await ok(admin.patch("/Role", { Name: "admin", Members: clients }));
    },
    ["openid", "profile"],
    SCOPES,
  ],
];

/** Begins a grant. @returns the function that issues its token */
const ISSUANCES: Record<(typeof GRANT_TYPES)[number], (scene: Scene, path: string) => Promise<() => Promise<Answer>>> =
  {
    async authorization_code({ client }, path) {
      const code = await client.code(new Visitor(), { scope });
      return () => client.token(code, {}, path);
    },
    async client_credentials({ credentials }, path) {
      return () => postAs(credentials, path, { grant_type: "client_credentials", scope: "*" });
    },
    async [DEVICE_GRANT]({ client }) {
      const device = await beginDevice(client, { scope });
      const visitor = new Visitor();
      await client.code(visitor, { scope });
      await allowDevice(device, client, visitor);
      return () => device.poll();
    },
    async refresh_token({ client }, path) {
      const { body } = await client.token(await client.code(new Visitor(), { scope }));
      return () => client.refresh(body.refresh_token, {}, path);
    },
  };

/** A device uses only the RFC door. */
const issuances = DOORS.flatMap((path) =>
  GRANT_TYPES.filter((grant) => grant !== DEVICE_GRANT || path === RFC_TOKEN_PATH).map(
    (grant) => [grant, path] as const,
  ),
);

describe.concurrent.each(LOSSES)("%s", (_, lose, ofUser, ofClient) => {
  test.each(issuances)("is not issued by %s at %s", async (grant, path) => {
    const scene = await arrange();
    const issue = await ISSUANCES[grant](scene, path);
    await lose(scene);
    const { status, body } = await issue();
    expect(status).toBe(200);
    const left = grant === "client_credentials" ? ofClient : ofUser;
    expect(String(decodeJwt(body.access_token).scope).split(" ")).toEqual(left);
    // SPEC.md's door returns a scope only if it differs from the request.
    expect(body.scope).toBe(path === DOORS[0] && grant === "client_credentials" ? undefined : left.join(" "));
  });

  test("is not granted by any earlier token, from the next request on", async () => {
    const scene = await arrange();
    const { admin, client } = scene;
    const { access_token, refresh_token } = (await client.token(await client.code(new Visitor(), { scope }))).body;
    const headers = { authorization: `Bearer ${access_token}` };
    const read = () => request("GET", `${API}/User`, { headers });
    const userinfo = () => request("GET", "/oauth2/userinfo", { headers });
    const seen = async (token: string) => (await postAs(scene.credentials, "/oauth2/introspect", { token })).body.scope;
    expect((await read()).status).toBe(200);
    expect((await userinfo()).body.name).toBe("Administrator");
    expect([await seen(access_token), await seen(refresh_token)]).toEqual([scope, scope]);

    await lose(scene);
    const refused = await read();
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toBe(
      'Bearer error="insufficient_scope", scope="AccessManager:Read"',
    );
    expect((await userinfo()).body.name).toBe(ofUser.includes("profile") ? "Administrator" : undefined);
    expect([await seen(access_token), await seen(refresh_token)]).toEqual([ofUser.join(" "), ofUser.join(" ")]);
    expect((await admin.get("/User")).status).toBe(200);
  });

  test("is not granted on request", async () => {
    const scene = await arrange();
    const { body } = await scene.client.token(await scene.client.code(new Visitor(), { scope }));
    await lose(scene);
    const asked = await scene.client.refresh(body.refresh_token, { scope: "AccessManager:Read" });
    expect(asked).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    expect((await scene.client.refresh(body.refresh_token)).status).toBe(200);
  });
});

describe.concurrent("a token of a user", () => {
  test("is rejected while its client is inactive", async () => {
    const { admin, client } = await arrange();
    const { access_token } = (await client.token(await client.code(new Visitor(), { scope }))).body;
    const headers = { authorization: `Bearer ${access_token}` };
    const statuses = async () => [
      (await request("GET", `${API}/User`, { headers })).status,
      (await request("GET", "/oauth2/userinfo", { headers })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await ok(admin.patch("/Application", { Id: client.id, Is_Active: false }));
    expect(await statuses()).toEqual([401, 401]);
    await ok(admin.patch("/Application", { Id: client.id, Is_Active: true }));
    expect(await statuses()).toEqual([200, 200]);
  });

  test("has a new role's scopes only once its grant has them", async () => {
    const { admin, client } = await arrange();
    const { body } = await client.token(await client.code(new Visitor(), { scope: "openid" }));
    const next = await client.refresh(body.refresh_token);
    expect(next.body.scope).toBe("openid");
    await ok(admin.patch("/Role", { Name: "more", Scopes: ["AccessManager:Read"] }));
    expect((await client.refresh(next.body.refresh_token)).body.scope).toBe("openid");
  });
});
