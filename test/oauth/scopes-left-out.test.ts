// Scopes that are unknown, or that the client does not have, are left out (OIDC Core 3.1.2.1, RFC 6749 3.3). `scope` in
// the answer lists the granted ones. If none remains, the request is rejected.

import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { type Answer, ok } from "../world/api.ts";
import { newScene } from "../world/apis.ts";
import {
  answerOf,
  CALLBACK,
  type Client,
  newClient,
  newPkce,
  otherClient,
  RFC_PATH,
  RFC_TOKEN_PATH,
  SPEC_PATH,
} from "../world/client.ts";
import { beginDevice, DEVICE_PATH, toQuestion } from "../world/device.ts";
import { DOORS, expectRfcError, expectTokenError, postAs } from "../world/grants.ts";
import { clientOf, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const GRANTS = ["authorization_code", "client_credentials", "refresh_token", DEVICE_GRANT, EXCHANGE];
const SCOPES = ["openid", "profile", "AccessManager:Read"];

interface Way {
  /** Requests a scope. @returns the scope of the token */
  ask(client: Client, scope: string): Promise<string>;
  /** The error if no scope remains. */
  refuse(client: Client, scope: string): Promise<void>;
}

const carried = ({ body, status }: Answer): string => {
  expect({ status, body }).toMatchObject({ status: 200 });
  const { scope } = decodeJwt(body.access_token);
  if (body.scope !== undefined) expect(body.scope).toBe(scope);
  return String(scope);
};
const refused = (path: string, answer: Answer) =>
  path === RFC_TOKEN_PATH || path.startsWith("/oauth2")
    ? expectRfcError(answer, 400, "invalid_scope")
    : expectTokenError(answer, 400, "Bad Input", /scope/);

function atAuthorization(path: string): Way {
  return {
    ask: async (client, scope) => carried(await client.token(await client.code(new Visitor(), { scope }, path))),
    async refuse(client, scope) {
      const answer = answerOf(await new Visitor().open(client.authorize({ scope }, path)));
      expect(answer).toMatchObject({ error: "invalid_scope", state: "some state" });
    },
  };
}

const pushed = (client: Client, scope: string) =>
  postAs(client.tenant.client, "/oauth2/par", { response_type: "code", redirect_uri: CALLBACK, scope });

const WAYS: [string, Way][] = [
  ["an authorization request at the RFC door", atAuthorization(RFC_PATH)],
  ["an authorization request at the spec door", atAuthorization(SPEC_PATH)],
  [
    "a pushed request",
    {
      async ask(client, scope) {
        const { body } = await pushed(client, scope);
        const visitor = new Visitor();
        const query = new URLSearchParams({ client_id: client.id, request_uri: body.request_uri });
        const view = await client.goThrough(visitor, await visitor.open(`${RFC_PATH}?${query}`));
        return carried(await client.token(answerOf(view).code!));
      },
      refuse: async (client, scope) => refused("/oauth2/par", await pushed(client, scope)),
    },
  ],
  [
    "a device",
    {
      async ask(client, scope) {
        const device = await beginDevice(client, { scope });
        const visitor = new Visitor();
        await visitor.submit(await toQuestion(visitor, device, client), { decision: "allow" });
        return carried(await device.poll());
      },
      refuse: async (client, scope) => refused(DEVICE_PATH, await postAs(client.tenant.client, DEVICE_PATH, { scope })),
    },
  ],
  [
    "a token exchange",
    {
      ask: async (client, scope) => carried(await exchange(client, scope)),
      refuse: async (client, scope) => refused(RFC_TOKEN_PATH, await exchange(client, scope)),
    },
  ],
  ...DOORS.flatMap((path): [string, Way][] => {
    const own = (client: Client, scope: string) =>
      postAs(client.tenant.client, path, { grant_type: "client_credentials", scope });
    const refresh = async (client: Client, scope: string) => {
      const { body } = await client.token(await client.code(new Visitor(), { scope: "openid profile" }));
      return client.refresh(body.refresh_token, { scope }, path);
    };
    return [
      [
        `a client's own token at ${path}`,
        {
          ask: async (...asked) => carried(await own(...asked)),
          refuse: async (...asked) => refused(path, await own(...asked)),
        },
      ],
      [
        `a refresh at ${path}`,
        {
          ask: async (...asked) => carried(await refresh(...asked)),
          refuse: async (...asked) => refused(path, await refresh(...asked)),
        },
      ],
    ];
  }),
];

async function exchange(client: Client, scope: string): Promise<Answer> {
  const { body } = await client.token(await client.code(new Visitor(), { scope: "openid profile" }));
  const subject = {
    subject_token: body.access_token,
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
  };
  return postAs(client.tenant.client, RFC_TOKEN_PATH, { grant_type: EXCHANGE, ...subject, scope });
}

async function newAsker(): Promise<Client> {
  const first = await newClient();
  const client = await otherClient(first, { scopes: SCOPES, grant_types: GRANTS });
  const permit = `permit (principal == Client::"${client.id}", action == Action::"Tokens:Exchange", resource is User);`;
  await savePolicy(await clientOf(first.tenant), "exchange", permit);
  return client;
}

describe.concurrent.each(WAYS)("%s", (_, { ask, refuse }) => {
  test("omits unknown scopes and those that the client does not have", async () => {
    const client = await newAsker();
    expect(await ask(client, "openid profile email groups offline_access Webhooks:Read")).toBe("openid profile");
  });

  test.each(["groups", "email Webhooks:Read", "constructor __proto__"])(
    "is rejected if of %p none is left",
    async (scope) => {
      await refuse(await newAsker(), scope);
    },
  );
});

describe.concurrent("a request that names an API and no scope", () => {
  test("at the RFC door gets all of that API's scopes that the client has", async () => {
    const { client, orders } = await newScene({ scopes: ["openid", "orders:read", "orders:write", "stock:read"] });
    const visitor = new Visitor();
    const fields = { scope: undefined, resource: orders.audience };
    const page = await visitor.submit(await visitor.open(client.authorize(fields)), client.tenant.admin);
    expect(page.html).toContain("use Orders: Do orders:write for you");
    expect(page.html).not.toContain("know who you are");
    const answer = answerOf(await visitor.submit(page, { decision: "allow" }));
    expect(carried(await client.token(answer.code!))).toBe("orders:read orders:write");
  });

  test.each(DOORS)("gets them in a client credentials token at %s", async (path) => {
    const { client, stock } = await newScene({ scopes: ["openid", "orders:read", "stock:read"] });
    const own = { grant_type: "client_credentials", resource: stock.audience };
    expect(carried(await postAs(client.tenant.client, path, own))).toBe("stock:read");
  });

  test("of a device gets them too", async () => {
    const { client, orders } = await newScene({ grant_types: [DEVICE_GRANT] });
    const device = await beginDevice(client, { resource: orders.audience });
    const visitor = new Visitor();
    await visitor.submit(await toQuestion(visitor, device, client), { decision: "allow" });
    expect(carried(await device.poll())).toBe("orders:read orders:write");
  });

  test("is an error for a user who has none of them, without a consent page", async () => {
    const { admin, client, orders } = await newScene();
    await ok(admin.patch("/Role", { Name: "clerk", Scopes: [] }));
    const visitor = new Visitor();
    const { challenge } = newPkce();
    const fields = { scope: "orders:read", resource: orders.audience, ...challenge };
    const answer = answerOf(await visitor.submit(await visitor.open(client.authorize(fields)), client.tenant.admin));
    expect(answer).toMatchObject({
      error: "invalid_scope",
      error_description: "No role of the user grants the scope orders:read.",
    });
  });
});
