// The scopes in token responses at both doors (RFC 6749 5.1).

import { describe, expect, test } from "bun:test";
import { TOKEN_PATH } from "../world/api.ts";
import { newScene } from "../world/apis.ts";
import { answerOf, type Client, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { DOORS, postAs } from "../world/grants.ts";
import { Visitor } from "../world/visitor.ts";

const credentialsOf = ({ tenant }: Client) => tenant.client;
const own = (client: Client, path: string, fields: Record<string, string | undefined> = {}) =>
  postAs(credentialsOf(client), path, { grant_type: "client_credentials", ...fields });

describe.each(DOORS)("`scope` in the token answer at %s", (path) => {
  const isSpec = path === TOKEN_PATH;

  test("of a client credentials token names the granted scopes if fewer than requested", async () => {
    const { client, orders } = await newScene({ scopes: ["openid", "profile", "name", "orders:read"] });
    const given = async (fields: Record<string, string>) => (await own(client, path, fields)).body.scope;
    expect(await given({ scope: "openid name groups" })).toBe("openid name");
    expect(await given({ scope: "openid name" })).toBe(isSpec ? undefined : "openid name");
    expect(await given({})).toBe(isSpec ? undefined : "openid profile name");
    expect(await given({ scope: "*" })).toBe(isSpec ? undefined : "openid profile name");
    expect(await given({ scope: "openid orders:read", resource: orders.audience })).toBe("orders:read");
  });

  test("of a code or refresh token does the same", async () => {
    const { client } = await newScene({ scopes: ["openid", "profile", "name"] });
    for (const [scope, said] of [
      ["openid groups", "openid"],
      ["openid", isSpec ? undefined : "openid"],
    ] as const) {
      const visitor = new Visitor();
      const authorize = client.authorize({ scope }, isSpec ? SPEC_PATH : RFC_PATH);
      const { code } = answerOf(await client.goThrough(visitor, await visitor.open(authorize)));
      const tokens = (await client.token(code!, {}, path)).body;
      expect({ scope, said: tokens.scope }).toEqual({ scope, said });
      const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
      const again = (await postAs(credentialsOf(client), path, refresh)).body;
      expect({ scope, said: again.scope }).toEqual({ scope, said: isSpec ? undefined : "openid" });
      const fewer = { ...refresh, refresh_token: again.refresh_token, scope: "openid profile" };
      expect((await postAs(credentialsOf(client), path, fewer)).body.scope).toBe("openid");
    }
  });
});
