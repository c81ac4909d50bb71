// Wrong redirect URIs, the choice of account, and users with few fields.

import { describe, expect, test } from "bun:test";
import { answerOf, CALLBACK, type Client, issuer, newClient, otherClient } from "../world/client.ts";
import { plantUser } from "../world/planted.ts";
import { setRows } from "../world/rows.ts";
import { type View, Visitor } from "../world/visitor.ts";

/** A second user of the client's tenant, with a role without permissions in Settings. */
async function addUser({ tenant }: Client, username: string, name: string) {
  const password = "another password";
  await plantUser(tenant, { name, username }, password);
  return { username, password };
}

describe.concurrent("a redirect_uri that is not registered", () => {
  const WRONG = `${CALLBACK}/`;
  const REFERENCE = /Reference for its administrator: ([\w-]+)/;

  test.each<[string, string, string]>([
    ["its path", `${CALLBACK}/`, "its path is /callback/, not /callback"],
    ["its scheme", CALLBACK.replace("https", "http"), "its scheme is http:, not https:"],
    ["its port", "https://app.example:8443/callback", "its port is 8443, not empty"],
    ["its host", "https://app.example.org/callback", "its host is app.example.org, not app.example"],
    ["its query", `${CALLBACK}?a=1`, "its query is ?a=1, not empty"],
    ["its spelling", "HTTPS://APP.example:443/callback", "every character must match"],
    ["everything", "callback", "It is not an absolute URI."],
  ])("is explained to a signed-in administrator: %s", async (_, sent, says) => {
    const client = await newClient();
    const visitor = new Visitor();
    await client.visit(visitor);
    const { status, location, html } = await visitor.open(client.authorize({ redirect_uri: sent }));
    expect({ status, location }).toEqual({ status: 404, location: undefined });
    expect(html).toContain(sent.replaceAll("&", "&amp;"));
    expect(html).toContain(says);
    expect(html).toContain(`/settings/applications/${client.id}`);
  });

  test("is explained to no other user: they get a reference, on the same page as for an unknown client", async () => {
    const [client, stranger] = [await newClient(), await newClient()];
    const [admin, colleague] = [new Visitor(), new Visitor()];
    await stranger.visit(admin);
    const user = await addUser(client, "ada", "Ada");
    await colleague.submit(await colleague.open(client.authorize()), user);
    const pages = [];
    for (const visitor of [new Visitor(), admin, colleague]) {
      for (const path of [client.authorize({ redirect_uri: WRONG }), client.authorize({ client_id: "999999999" })]) {
        const page = await visitor.open(path);
        expect(page.status).toBe(404);
        const reference = REFERENCE.exec(page.html)?.[1];
        expect(page.headers.get("x-request-id")).toBe(reference!);
        expect(page.html).not.toContain("callback");
        pages.push(page.html.replace(reference!, ""));
      }
    }
    expect(new Set(pages).size).toBe(1);
  });
});

describe.concurrent("a chosen account", () => {
  const chosen = ({ html }: View) =>
    /href="(\/oauth2[^"]*chosen_account=[^"]*)"/.exec(html)![1]!.replaceAll("&amp;", "&");

  test("is the one used; if another user has signed in since, the choice is shown again", async () => {
    const client = await newClient({ first_party: true });
    const visitor = new Visitor();
    await client.visit(visitor);
    const page = await visitor.open(client.authorize({ prompt: "select_account" }));
    expect(page.html).toContain("Continue as Administrator (admin)");
    const user = await addUser(client, "ada", "Ada");
    await visitor.submit(await visitor.open(client.authorize({ prompt: "login" })), user);
    const again = await visitor.open(chosen(page));
    expect(again).toMatchObject({ heading: "Choose an account", location: undefined });
    expect(again.html).toContain("Continue as Ada (ada)");
    expect(answerOf(await visitor.open(chosen(again))).code).toBeString();
  });

  test("is not part of the request and stays in its browser", async () => {
    const client = await newClient({ first_party: true });
    const [visitor, other] = [new Visitor(), new Visitor()];
    for (const one of [visitor, other]) await client.visit(one);
    const page = await visitor.open(client.authorize({ prompt: "select_account" }));
    expect((await other.open(chosen(page))).heading).toBe("Choose an account");
    const onward = await visitor.open(`${chosen(page)}&prompt=consent`);
    expect(onward.heading).toBe("Allow access");
    expect(onward.forms[0]!.fields.request).not.toContain("chosen_account");
  });
});

describe.concurrent("a user is displayed by the record's names", () => {
  test.each<[string | null, string | null, string]>([
    ["Corp anna", null, "Corp anna"],
    ["Corp anna", "", "Corp anna"],
    ["", "anna", "anna"],
    [null, "anna", "anna"],
    ["anna", "anna", "anna"],
    ["Anna", "anna", "Anna (anna)"],
    [null, null, "a user without a name"],
  ])("name %p, user name %p: %p", async (name, username, says) => {
    const client = await newClient();
    const visitor = new Visitor(issuer());
    const user = await addUser(client, "someone", "Someone");
    await visitor.submit(await visitor.open(client.authorize()), user);
    await setRows("users", { tenant_id: client.tenant.tenantId, username: "someone" }, { name, username });
    const other = await otherClient(client);
    const pages = [
      await visitor.open(client.authorize({ prompt: "consent" })),
      await visitor.open(other.authorize()),
      await visitor.open(client.authorize({ prompt: "select_account" })),
      await visitor.open("/account"),
      await visitor.open("/oauth2/logout"),
    ];
    for (const { html } of pages) {
      expect(html).toMatch(new RegExp(`(<strong>|Continue as )${RegExp.escape(says)}<`));
      expect(html).not.toContain("()");
    }
  });
});
