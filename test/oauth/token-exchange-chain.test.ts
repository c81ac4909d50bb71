// Chained token exchange: results never exceed the first token (RFC 8693 1.1, 5).

import { beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { deleteEndedFamilies } from "../../server/identity/oauth/tokens/families.store.ts";
import { type Answer, ok } from "../world/api.ts";
import { newApi, newScene, type Scene } from "../world/apis.ts";
import { type Client, issuer, otherClient } from "../world/client.ts";
import { expectRfcError, postAs } from "../world/grants.ts";
import { plantScopes } from "../world/planted.ts";
import { expire } from "../world/rows.ts";
import { db, savePolicy } from "../world/tenant.ts";
import { ACCESS_TOKEN, exchange, GRANT, introspect } from "../world/token-exchange.ts";
import { Visitor } from "../world/visitor.ts";

const ENTITY = ["AccessManager:Read", "AccessManager:Update", "Settings:Read", "Settings:Update"];
const OPENID = ["openid", "profile", "name", "email"];

/** Clients with all scopes of every API of the tenant, as has their user. Only their tokens limit them. */
interface World {
  scene: Scene;
  /** By audience: the API's client and all of its scopes. */
  apis: Map<string, { client: Client; scopes: string[] }>;
  own: Client;
}

let world: World;
beforeAll(async () => {
  const scene = await newScene();
  const inner = await newApi(scene.admin, "Inner", ["inner:read", "inner:write"]);
  const { Items } = await ok(scene.admin.get("/User?Username=admin"));
  await ok(
    scene.admin.patch("/Role", {
      Name: "inner",
      Scopes: ["inner:read", "inner:write"],
      Members: [{ Type: "User", Id: Items[0].Id }],
    }),
  );
  const apis: World["apis"] = new Map();
  const mighty = () =>
    otherClient(scene.client, {
      grant_types: ["authorization_code", "refresh_token", "client_credentials", GRANT],
      scopes: [...OPENID, ...ENTITY, "orders:read", "orders:write", "stock:read", "inner:read", "inner:write"],
    });
  for (const [{ id, audience }, scopes] of [
    [scene.orders, ["orders:read", "orders:write"]],
    [scene.stock, ["stock:read"]],
    [inner, ["inner:read", "inner:write"]],
  ] as const) {
    const client = await mighty();
    await ok(scene.admin.patch("/Api", { Id: id, ApplicationId: client.id }));
    apis.set(audience, { client, scopes: [...scopes] });
  }
  const own = await mighty();
  apis.set(issuer(), { client: own, scopes: [...OPENID, ...ENTITY] });
  await savePolicy(scene.admin, "all", `permit (principal, action == Action::"Tokens:Exchange", resource);`);
  world = { scene, apis, own };
});

async function tokensOf(scope: string, resources: string[] = [], resource?: string): Promise<Answer["body"]> {
  const visitor = new Visitor();
  const path = `${world.own.authorize({ scope })}${resources.map((one) => `&resource=${encodeURIComponent(one)}`).join("")}`;
  const view = await world.own.goThrough(visitor, await visitor.open(path));
  const answer = await world.own.token(view.location!.searchParams.get("code")!, { resource });
  expect(answer.status).toBe(200);
  return answer.body;
}

const scopesOf = (token: string) => String(decodeJwt(token).scope).split(" ").filter(Boolean);

/**
 * Exchanges a token for every audience with every permitted client, and the results again, `deep` times.
 * @returns all scopes of any token, by audience
 */
async function reached(
  first: string,
  deep: number,
  fields: Record<string, string> = {},
): Promise<Map<string, Set<string>>> {
  const had = new Map<string, Set<string>>();
  let tokens = [first];
  for (let step = 0; step < deep; step++) {
    const next = new Map<string, string>();
    for (const token of tokens) {
      const { aud, client_id } = decodeJwt(token);
      const holders = [...world.apis].filter(([audience, { client }]) => audience === aud || client.id === client_id);
      for (const { client } of new Set(holders.map(([, one]) => one))) {
        if (client.id !== client_id && aud === issuer()) continue;
        for (const audience of world.apis.keys()) {
          const { status, body } = await exchange(client, token, { resource: audience, scope: "*", ...fields });
          if (status !== 200) {
            expect(body.error).toBe("invalid_scope");
            continue;
          }
          const got = had.get(audience) ?? new Set();
          for (const one of scopesOf(body.access_token)) got.add(one);
          had.set(audience, got);
          next.set(`${client.id} ${audience} ${body.scope}`, body.access_token);
        }
      }
    }
    tokens = [...next.values()];
  }
  return had;
}

const list = (scopes: Set<string> | undefined) => [...(scopes ?? [])].sort();

describe("however a first token is exchanged, and by which client,", () => {
  test("the exchange back grants what it granted: AccessManager:Read stays AccessManager:Read", async () => {
    const { access_token } = await tokensOf("openid AccessManager:Read");
    const stock = await exchange(world.own, access_token, { resource: world.scene.stock.audience });
    expect(stock.body.scope).toBe("stock:read");
    const stockClient = world.apis.get(world.scene.stock.audience)!.client;
    for (const client of [world.own, stockClient]) {
      const back = await exchange(client, stock.body.access_token, { resource: issuer() });
      expect(back.body.scope).toBe("AccessManager:Read");
      const alone = await exchange(client, stock.body.access_token, { resource: issuer(), scope: "Settings:Update" });
      expectRfcError(alone, 400, "invalid_scope");
      // Unavailable scopes are left out.
      for (const scope of ["AccessManager:Read Settings:Update", "openid AccessManager:Read"]) {
        const wider = await exchange(client, stock.body.access_token, { resource: issuer(), scope });
        expect(wider.body.scope).toBe("AccessManager:Read");
      }
    }
  });

  test("no path through the other APIs grants more, three exchanges deep", async () => {
    const had = await reached((await tokensOf("openid profile AccessManager:Read")).access_token, 3);
    expect([...had.keys()].sort()).toEqual([...world.apis.keys()].sort());
    expect(list(had.get(issuer()))).toEqual(["AccessManager:Read", "openid", "profile"]);
  });

  test("a token for an API keeps its narrower scopes there, and the grant's at its other APIs", async () => {
    const { orders, stock } = world.scene;
    const granted = "openid orders:read stock:read AccessManager:Read";
    const { refresh_token } = await tokensOf(granted, [issuer(), orders.audience, stock.audience], issuer());
    const switched = await world.own.refresh(refresh_token, { resource: orders.audience, scope: "orders:read" });
    const had = await reached(switched.body.access_token, 2);
    expect(list(had.get(orders.audience))).toEqual(["orders:read"]);
    expect(list(had.get(stock.audience))).toEqual(["stock:read"]);
    expect(list(had.get(issuer()))).toEqual(["AccessManager:Read"]);
  });

  test("a scope omitted on the way does not return", async () => {
    const { access_token } = await tokensOf("openid AccessManager:Read");
    const [inner, { client, scopes }] = [...world.apis].find(([, one]) => one.scopes.includes("inner:read"))!;
    const whole = await exchange(world.own, access_token, { resource: inner });
    expect(scopesOf(whole.body.access_token)).toEqual(scopes);
    const narrow = await exchange(world.own, access_token, { resource: inner, scope: "inner:read" });
    expect(decodeJwt(narrow.body.access_token).exchange_scope).not.toContain("inner");
    const had = await reached(narrow.body.access_token, 2);
    expect(list(had.get(inner))).toEqual(["inner:read"]);
    expect((await introspect(client, narrow.body.access_token)).body.exchange_scope).toContain("AccessManager:Read");
  });

  test("an actor with more permissions adds nothing", async () => {
    const { access_token } = await tokensOf("openid AccessManager:Read");
    const { body } = await postAs(world.own.tenant.client, "/oauth2/token", {
      ...{ grant_type: "client_credentials", scope: "*" },
    });
    const actor = { actor_token: body.access_token, actor_token_type: ACCESS_TOKEN };
    const stock = await exchange(world.own, access_token, { resource: world.scene.stock.audience, ...actor });
    const back = await exchange(world.own, stock.body.access_token, { resource: issuer(), ...actor });
    expect(back.body.scope).toBe("AccessManager:Read");
  });

  test("after the grant has ended, its tokens are not exchanged, also once the grant is deleted", async () => {
    const { stock } = world.scene;
    const resources = [issuer(), stock.audience];
    const { access_token } = await tokensOf("openid AccessManager:Read stock:read", resources, stock.audience);
    const familyId = String(decodeJwt(access_token).grant_id);
    const client = world.apis.get(stock.audience)!.client;
    const back = () => exchange(client, access_token, { resource: issuer(), scope: "*" });
    expect((await back()).body.scope).toBe("AccessManager:Read");
    await expire("refresh_families", { id: familyId }, "expires_on", "1 second");
    expectRfcError(await back(), 400, "invalid_scope");
    expect(await deleteEndedFamilies(db())).toBeGreaterThan(0);
    expectRfcError(await back(), 400, "invalid_scope");
    expect((await exchange(client, access_token, { resource: stock.audience })).body.scope).toBe("stock:read");
  });

  test("a scope that the client gets later does not widen an earlier chain", async () => {
    const { scene, apis } = world;
    const { access_token } = await tokensOf("openid AccessManager:Read");
    const plain = await otherClient(scene.client, {
      ...{ grant_types: [GRANT], scopes: ["stock:read", "orders:read", "AccessManager:Read"] },
    });
    const first = await exchange(world.own, access_token, { resource: scene.orders.audience, scope: "orders:read" });
    await ok(scene.admin.patch("/Api", { Id: scene.orders.id, ApplicationId: plain.id }));
    const stock = await exchange(plain, first.body.access_token, { resource: scene.stock.audience });
    expect(stock.status).toBe(200);
    await plantScopes(plain.id, ["inner:read", "inner:write", "orders:write"]);
    const [inner] = [...apis].find(([, one]) => one.scopes.includes("inner:read"))!;
    for (const resource of [inner, scene.orders.audience]) {
      const { body } = await exchange(plain, stock.body.access_token, { resource, scope: "*" });
      expect(body.scope ?? body.error).toBe(resource === inner ? "invalid_scope" : "orders:read");
    }
    await ok(
      scene.admin.patch("/Api", { Id: scene.orders.id, ApplicationId: apis.get(scene.orders.audience)!.client.id }),
    );
  });
});
