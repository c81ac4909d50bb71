// Sign-in to Settings by our own OpenID provider, and the ends of its session.

import { describe, expect, test } from "bun:test";
import type { Api } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { tenantOf } from "../world/planted.ts";
import { expire } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { type View, Visitor } from "../world/visitor.ts";

/** A browser at the sign-in page, redirected from Settings. */
async function atTheDoor(api: Api, path = "/settings"): Promise<{ visitor: Visitor; page: View }> {
  const visitor = new Visitor(issuer());
  return { visitor, page: await visitor.open(`${path}?organisation=${api.tenant.tenantId}`) };
}

async function comeIn(api: Api, path?: string): Promise<{ visitor: Visitor; page: View }> {
  const { visitor, page } = await atTheDoor(api, path);
  return { visitor, page: await visitor.submit(page, api.tenant.admin) };
}

describe.concurrent("signing in to Settings", () => {
  test("leads through the service's own sign-in and back to the requested page", async () => {
    const { visitor, page } = await comeIn(await newTenant(), "/settings/webhooks");
    expect(page.heading).toBe("Webhooks");
    expect(page.html).toContain("Administrator");
    const asked = visitor.trail.find(({ url }) => url.includes("/oauth2/authorize"))!;
    const parameters = new URL(asked.url).searchParams;
    expect(Object.fromEntries(parameters)).toMatchObject({
      response_type: "code",
      redirect_uri: `${issuer()}/settings/callback`,
      code_challenge_method: "S256",
      nonce: expect.any(String),
    });
  });

  test("needs no consent, and no password in a signed-in browser", async () => {
    const { visitor } = await comeIn(await newTenant());
    visitor.cookies.delete("gatehouse-settings");
    expect((await visitor.open("/settings/webhooks")).heading).toBe("Webhooks");
  });

  test("is for the named organisation, and asks for one if none is known", async () => {
    const api = await newTenant();
    const visitor = new Visitor(issuer());
    const question = await visitor.open("/settings");
    expect(question.heading).toBe("Which organisation?");
    const wrong = await visitor.open("/settings/sign-in?organisation=no%20such%20one");
    expect(wrong.heading).toBe("Sign in");
    expect((await visitor.submit(wrong, api.tenant.admin)).html).toContain("If you entered an organisation");
    const { name } = await tenantOf(api.tenant);
    const page = await visitor.open(`/settings/sign-in?organisation=${encodeURIComponent(name)}`);
    expect((await visitor.submit(page, api.tenant.admin)).heading).toBe("Overview");
    for (const name of ["gatehouse-session", "gatehouse-settings"] as const) visitor.cookies.delete(name);
    // The browser remembers the organisation.
    expect((await visitor.open("/settings")).heading).toBe("Sign in");
  });

  test("uses an application created with the tenant, whatever was changed in it", async () => {
    const api = await newTenant();
    await Promise.all([comeIn(api), comeIn(api)]);
    const { body } = await api.call<{ Items: { Id: string; Is_System: boolean }[] }>(
      "GET",
      "/Application?Name=Gatehouse%20Settings",
    );
    expect(body.Items).toMatchObject([{ Is_System: true }]);
    expect((await api.events("EventRecord=Application")).Items).toEqual([]);
    await api.call("PATCH", `/Application/${body.Items[0]!.Id}/Credentials`, {
      RedirectUris: ["https://elsewhere.example/"],
    });
    expect((await comeIn(api)).page.heading).toBe("Overview");
    expect((await api.call("DELETE", `/Application/${body.Items[0]!.Id}`)).status).toBe(409);
    expect((await comeIn(api)).page.heading).toBe("Overview");
  });

  test("rejects an answer in another browser, and a second use", async () => {
    const api = await newTenant();
    const { visitor } = await comeIn(api);
    const answer = visitor.trail.find(({ url }) => url.includes("/settings/callback"))!.url.slice(issuer().length);
    const stranger = await new Visitor(issuer()).open(answer);
    expect([stranger.status, stranger.heading]).toEqual([400, "Not signed in"]);
    const { visitor: other } = await atTheDoor(api);
    expect((await other.open(answer)).heading).toBe("Not signed in");
    // The same browser is already signed in.
    expect((await visitor.open(answer)).heading).toBe("Overview");
  });

  test("leads to the first page if the address is too long to keep", async () => {
    const api = await newTenant();
    const { visitor } = await comeIn(api);
    for (const name of ["gatehouse-session", "gatehouse-settings"] as const) visitor.cookies.delete(name);
    for (const length of [2_000, 10_000]) {
      const asked = await visitor.open(`/settings/users?Search=${"a".repeat(length)}`);
      expect({ length, heading: asked.heading }).toEqual({ length, heading: "Sign in" });
    }
    expect((await visitor.submit(await visitor.open("/settings"), api.tenant.admin)).heading).toBe("Overview");
  });

  test("redirects to addresses of Settings only", async () => {
    const api = await newTenant();
    for (const next of ["https://evil.example/", "//evil.example", "/settings/../account", "/settings\\..\\account"]) {
      const visitor = new Visitor(issuer());
      const page = await visitor.open(
        `/settings/sign-in?organisation=${api.tenant.tenantId}&next=${encodeURIComponent(next)}`,
      );
      expect((await visitor.submit(page, api.tenant.admin)).heading).toBe("Overview");
    }
  });
});

describe.concurrent("Settings end at once", () => {
  const ended = async (visitor: Visitor) => (await visitor.open("/settings")).heading === "Sign in";
  const endings: [string, (api: Api, visitor: Visitor) => Promise<unknown>][] = [
    [
      "when their user signs out there",
      async (_, visitor) => {
        const page = await visitor.open("/settings");
        const form = page.forms.find(({ action }) => action === "/settings/sign-out")!;
        expect((await visitor.post(form.action, form.fields)).heading).toBe("Signed out");
      },
    ],
    [
      "when their user signs out at the provider",
      async (_, visitor) => visitor.submit(await visitor.open("/oauth2/logout")),
    ],
    [
      "when the sign-in is ended from another browser",
      async (api) => {
        const { visitor: other } = await comeIn(api);
        const account = await other.open("/account");
        const form = account.forms.find(({ fields }) => fields.session === "others")!;
        await other.post(form.action, form.fields);
      },
    ],
    [
      "when another browser sets a new password",
      async (api) => {
        const { visitor: other } = await comeIn(api);
        await other.submit(await other.open("/account/password"), {
          password: api.tenant.admin.password,
          new_password: "correct horse battery staple",
        });
      },
    ],
    [
      "when their user is deactivated",
      async (api) => {
        const { body } = await api.call<{ Items: { Id: number }[] }>("GET", "/User?Username=admin");
        expect((await api.call("PATCH", "/User", { Id: body.Items[0]!.Id, Is_Active: false })).status).toBe(200);
      },
    ],
    [
      "when their grant is revoked",
      async (api) => {
        await expire("refresh_families", { tenant_id: api.tenant.tenantId }, "revoked_on");
      },
    ],
  ];
  test.each(endings)("%s", async (name, end) => {
    const api = await newTenant();
    const { visitor, page } = await comeIn(api);
    expect(page.heading).toBe("Overview");
    await end(api, visitor);
    // A revoked grant is renewed while the user is signed in.
    if (name.includes("grant")) {
      const before = visitor.cookies.get("gatehouse-settings");
      await visitor.open("/settings");
      expect(visitor.cookies.get("gatehouse-settings")).not.toBe(before);
    } else expect(await ended(visitor)).toBe(true);
  });
});
