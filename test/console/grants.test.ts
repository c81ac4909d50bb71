// Grants of users to applications in Settings: listed and revoked on the page of the user and of the application.

import { expect, test } from "bun:test";
import { openWindows } from "../support/browser.ts";
import { inspect } from "../support/inspect.ts";
import { CALLBACK, Client } from "../world/client.ts";
import { enterSettings } from "../world/console.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const browser = openWindows();

/** The tenant's admin has signed in to two applications; one does not ask for consent. */
async function arrange() {
  const api = await newTenant();
  const { body } = await api.call("GET", `/User?Username=${api.tenant.admin.username}`);
  const user = (body.Items as { Id: number }[])[0]!.Id;
  const client = new Client(api.tenant);
  const credentials = { RedirectUris: [CALLBACK], FirstParty: true };
  expect((await api.call("PATCH", `/Application/${client.id}/Credentials`, credentials)).status).toBe(200);
  const visitor = new Visitor();
  const tokens = (await client.token(await client.code(visitor))).body;
  return { api, client, user, refreshToken: String(tokens.refresh_token) };
}

test.each([
  ["user", ({ user }: { user: number }) => `/settings/users/${user}`, "Applications with access", "demo-client"],
  [
    "application",
    ({ client }: { client: Client }) => `/settings/applications/${client.id}/grants`,
    "Users it can act for",
    "Administrator",
  ],
])(
  "at the %s, an administrator sees grants that needed no consent, and revokes them",
  async (place, pathOf, title, name) => {
    const scene = await arrange();
    await using visitor = await enterSettings(browser, scene.api.tenant);
    const { page } = visitor;
    await visitor.open(pathOf(scene));
    const row = page.getByRole("table", { name: title }).getByRole("row").filter({ hasText: name });
    await row.getByText("openid profile").waitFor();
    await inspect(page, `grants of the ${place}`);
    await row.getByText("Revoke", { exact: true }).first().click();
    await page.getByRole("button", { name: "Revoke the access" }).click();
    await page.getByRole("status").waitFor();
    expect((await scene.client.refresh(scene.refreshToken)).body).toMatchObject({ error: "invalid_grant" });
    await visitor.open(pathOf(scene));
    await page.getByText(/^(No users yet|No application can act on behalf of this user\.)$/).waitFor();
    expect(visitor.complaints).toEqual([]);
  },
);
