// Consent covers exactly what the page showed: changes between the page and the click are not granted.

import { describe, expect, test } from "bun:test";
import { digestOf } from "../../server/identity/signin/opaque.ts";
import { ok } from "../world/api.ts";
import { newScene, type Scene } from "../world/apis.ts";
import { answerOf, CALLBACK, type Client, newClient, otherClient, SPEC_PATH, setCredentials } from "../world/client.ts";
import { beginDevice, toQuestion } from "../world/device.ts";
import { rowsOf } from "../world/rows.ts";
import { type View, Visitor } from "../world/visitor.ts";

const GRANTS = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:device_code",
];
const OWN = ["openid", "profile", "orders:read", "stock:read"];
const allow = { decision: "allow" };

interface Way {
  /** Opens the page that asks for all scopes of the application at its two APIs. */
  ask(scene: Scene, visitor: Visitor): Promise<{ page: View; tokens: (answer: View) => Promise<string> }>;
}

/** The ways to that page. */
const WAYS: [string, Way][] = [
  [
    "a browser's request",
    {
      async ask({ client, orders, stock }, visitor) {
        const more = [orders, stock].map(({ audience }) => `&resource=${encodeURIComponent(audience)}`).join("");
        const page = await visitor.open(client.authorize({ scope: "openid *" }) + more);
        return {
          page: await visitor.submit(page, client.tenant.admin),
          tokens: async (answer) => granted(client, answerOf(answer).code!),
        };
      },
    },
  ],
  [
    "a device",
    {
      async ask({ client, orders }, visitor) {
        const device = await beginDevice(client, { scope: "openid *", resource: orders.audience });
        return {
          page: await toQuestion(visitor, device, client),
          async tokens() {
            const { body } = await device.poll();
            return `${body.scope}`;
          },
        };
      },
    },
  ],
];

async function granted(client: Client, code: string): Promise<string> {
  const [row] = await rowsOf<{ scopes: string[] }>("authorization_codes", {
    client_id: client.id,
    digest: digestOf(code),
  });
  return row!.scopes.join(" ");
}

const credentials = ({ admin, client }: Scene, changes: object) =>
  ok(admin.patch(`/Application/${client.id}/Credentials`, changes));

/** Changes of the page's content after it was shown. */
const CHANGES: [string, (scene: Scene) => Promise<unknown>][] = [
  ["the application has more scopes", (scene) => credentials(scene, { Scopes: [...OWN, "orders:write"] })],
  [
    "the application has fewer scopes",
    (scene) => credentials(scene, { Scopes: ["openid", "orders:read", "stock:read"] }),
  ],
  [
    "the application has another name",
    ({ admin, client }) => ok(admin.patch("/Application", { Id: client.id, Name: `Bank ${client.id}` })),
  ],
  ["the application has another logo", (scene) => credentials(scene, { LogoUri: "https://bank.example/logo.png" })],
  ["the API has another name", ({ admin, orders }) => ok(admin.patch("/Api", { Id: orders.id, Name: "Payments" }))],
  [
    "the API's scope allows something else",
    ({ admin, orders }) =>
      ok(
        admin.patch("/Api", {
          Id: orders.id,
          Scopes: [{ Name: "orders:read", Description: "Pay" }, { Name: "orders:write" }],
        }),
      ),
  ],
  ["the user has fewer roles", ({ admin }) => ok(admin.patch("/Role", { Name: "clerk", Scopes: ["stock:read"] }))],
  [
    "the user has another name",
    async ({ admin }) => {
      const { Items } = await ok(admin.get("/User?Username=admin"));
      await ok(admin.patch("/User", { Id: Items[0].Id, Name: "Somebody Else" }));
    },
  ],
];

/** Ways to withdraw consent. */
const WITHDRAWALS: [string, (scene: Scene, visitor: Visitor) => Promise<unknown>][] = [
  [
    "in the account",
    async ({ client }, visitor) => {
      const account = await visitor.open("/account");
      const form = account.forms.find(({ action }) => action.endsWith("/grants/revoke"))!;
      return visitor.submit({ ...account, forms: [form] }, { client_id: client.id });
    },
  ],
  [
    "by an administrator",
    async ({ admin, client }) => {
      const { Items } = await ok(admin.get("/User?Username=admin"));
      await ok(admin.remove(`/User/${Items[0].Id}/Grants/${client.id}`));
    },
  ],
];

describe.each(WAYS)("%s", (way, { ask }) => {
  // A device's request is fixed when it begins.
  const changes = CHANGES.filter(([change]) => way !== "a device" || !change.includes("more scopes"));

  test.concurrent.each(changes)("asks again if meanwhile %s, and then grants what is shown", async (_, change) => {
    const scene = await newScene({ scopes: OWN, grant_types: GRANTS });
    const visitor = new Visitor();
    const { page, tokens } = await ask(scene, visitor);
    expect(page).toMatchObject({ status: 200, heading: "Allow access" });
    await change(scene);
    const again = await visitor.submit(page, allow);
    expect(again).toMatchObject({ status: 409, heading: "Allow access", location: undefined });
    expect(again.html).toContain("The request has changed since this page was shown");
    expect(await rowsOf("consents", { client_id: scene.client.id })).toHaveLength(0);
    // The former page's seal is invalid for the new one.
    const replayed = await visitor.submit(again, { ...allow, shown: page.forms[0]!.fields.shown });
    expect(replayed.status).toBe(409);
    const answer = await visitor.submit(replayed, allow);
    expect(await tokens(answer)).not.toContain("undefined");
  });

  test.concurrent("that an administrator makes FirstParty meanwhile grants what was shown", async () => {
    const scene = await newScene({ scopes: OWN, grant_types: GRANTS });
    const visitor = new Visitor();
    const { page, tokens } = await ask(scene, visitor);
    await credentials(scene, { FirstParty: true });
    const shown = await visitor.submit(page, allow);
    await credentials(scene, { Scopes: [...OWN, "orders:write"] });
    expect(await tokens(shown)).not.toContain("orders:write");
    expect(await tokens(shown).catch(() => "")).not.toContain("orders:write");
  });

  test.concurrent.each(WITHDRAWALS)("asks again after Back when the grant was revoked %s", async (_, withdraw) => {
    const scene = await newScene({ scopes: OWN, grant_types: GRANTS });
    const visitor = new Visitor();
    const { page } = await ask(scene, visitor);
    await visitor.submit(page, allow);
    await withdraw(scene, visitor);
    const again = await visitor.submit(page, allow);
    expect(again).toMatchObject(way === "a device" ? { status: 400 } : { status: 409, heading: "Allow access" });
    expect(await rowsOf("consents", { client_id: scene.client.id })).toHaveLength(0);
    if (way === "a device") return;
    expect(answerOf(await visitor.submit(again, allow)).code).toBeString();
    // Repeats it with a grant from the second page.
    await withdraw(scene, visitor);
    expect((await visitor.submit(again, allow)).status).toBe(409);
  });

  test.concurrent("can be denied after any change", async () => {
    const scene = await newScene({ scopes: OWN, grant_types: GRANTS });
    const visitor = new Visitor();
    const { page } = await ask(scene, visitor);
    await credentials(scene, { Scopes: [...OWN, "orders:write"] });
    const denied = await visitor.submit(page, { decision: "deny" });
    expect(denied.location?.searchParams.get("error") ?? denied.heading).toMatch(/access_denied|is not signed in/);
  });

  test.concurrent("requires the seal of its own page", async () => {
    const scene = await newScene({ scopes: OWN, grant_types: GRANTS });
    const visitor = new Visitor();
    const { page } = await ask(scene, visitor);
    const other = await otherClient(scene.client);
    const foreign = await visitor.open(other.authorize());
    for (const shown of [undefined, "", "x", page.forms[0]!.fields.csrf, foreign.forms[0]!.fields.shown]) {
      expect(await visitor.submit(page, { ...allow, shown })).toMatchObject({ status: 409, heading: "Allow access" });
    }
  });
});

describe.concurrent("a form whose request was exchanged", () => {
  test.each<[string, Record<string, string>]>([
    ["for more scopes", { scope: "openid profile email" }],
    ["for a claim", { claims: '{"userinfo":{"email":null}}' }],
    ["for another address", { redirect_uri: `${CALLBACK}/other` }],
    ["for another state", { state: "another" }],
    ["for another key", { code_challenge: "x".repeat(43), code_challenge_method: "S256" }],
    ["for another response mode", { response_mode: "fragment" }],
  ])("%s is asked again", async (_, fields) => {
    const client = await newClient({ redirect_uris: [CALLBACK, `${CALLBACK}/other`] });
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize({ scope: "openid" })), client.tenant.admin);
    const request = client.authorize({ scope: "openid", ...fields });
    expect(await visitor.submit(page, { ...allow, request })).toMatchObject({ status: 409, heading: "Allow access" });
  });

  test("for one with an unregistered address redirects nowhere", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    await setCredentials(client.id, { redirect_uris: [] });
    expect(await visitor.submit(page, allow)).toMatchObject({ status: 404, location: undefined });
  });

  test("at the other door is asked again", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const page = await visitor.submit(await visitor.open(client.authorize()), client.tenant.admin);
    const answer = await visitor.submit(page, { ...allow, request: client.authorize({}, SPEC_PATH) });
    expect(answer.status).toBe(409);
  });
});

describe.concurrent("a remembered consent", () => {
  const silently = async ({ client }: Scene, visitor: Visitor, fields: Record<string, string>) =>
    answerOf(await visitor.open(client.authorize({ prompt: "none", ...fields })));

  test("covers the APIs that were shown", async () => {
    const scene = await newScene({ scopes: OWN });
    const { client, orders, stock } = scene;
    const visitor = new Visitor();
    await client.visit(visitor, { scope: "openid profile" });
    const asked = { scope: "openid profile", resource: orders.audience };
    expect((await silently(scene, visitor, asked)).error).toBe("consent_required");
    const page = await visitor.open(client.authorize(asked));
    expect(page.html).toContain("tell Orders who you are");
    await visitor.submit(page, allow);
    expect((await silently(scene, visitor, asked)).code).toBeString();
    expect((await silently(scene, visitor, { ...asked, resource: stock.audience })).error).toBe("consent_required");
    expect((await silently(scene, visitor, { scope: "openid profile" })).code).toBeString();
    const account = await visitor.open("/account");
    expect(account.html).toContain("tell Orders who you are");
    expect(account.html).not.toContain("tell Stock who you are");
  });

  test("gives no token for an API that was not shown", async () => {
    const scene = await newScene({ scopes: OWN, first_party: true });
    const { client, orders } = scene;
    const visitor = new Visitor();
    const fields = { scope: "openid orders:read", resource: orders.audience };
    const { body } = await client.token(await client.code(visitor, fields));
    const code = await client.code(visitor, fields);
    await credentials(scene, { FirstParty: false });
    await client.visit(visitor, { scope: "openid" });
    for (const answer of [await client.token(code), await client.refresh(body.refresh_token)]) {
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_target" } });
    }
  });

  test("of a device covers the APIs on its page", async () => {
    const scene = await newScene({ scopes: OWN, grant_types: GRANTS });
    const { client, orders, stock } = scene;
    const body = new URLSearchParams({ client_id: client.id, client_secret: client.tenant.client.clientSecret });
    for (const { audience } of [orders, stock]) body.append("resource", audience);
    body.set("scope", "openid orders:read");
    const begun = await fetch(`${new Visitor().origin}/oauth2/device_authorization`, { method: "POST", body });
    const { device_code, user_code } = await begun.json();
    await credentials(scene, { Scopes: ["openid", "orders:read"] });
    const visitor = new Visitor();
    const page = await toQuestion(visitor, { userCode: user_code } as never, client);
    expect(page.html).not.toContain("Stock");
    await visitor.submit(page, allow);
    await credentials(scene, { Scopes: OWN });
    const poll = (resource: string) =>
      fetch(`${visitor.origin}/oauth2/token`, {
        method: "POST",
        body: new URLSearchParams({
          ...{ client_id: client.id, client_secret: client.tenant.client.clientSecret, device_code, resource },
          grant_type: GRANTS.at(-1)!,
        }),
      });
    expect(await (await poll(stock.audience)).json()).toMatchObject({ error: "invalid_target" });
    expect((await poll(orders.audience)).status).toBe(200);
  });
});
