// The sign-in of the account pages: its organisation, and requests that need none.

import { describe, expect, test } from "bun:test";
import { issuer } from "../world/client.ts";
import { newApplication, signedIn } from "../world/person.ts";
import { rowsOf } from "../world/rows.ts";
import { clientOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

describe.concurrent("signing in to the account pages", () => {
  test("works while the application of Settings is inactive", async () => {
    const { tenant } = await newApplication();
    const { tenantId, admin } = tenant;
    const [{ settings_client_id: settings }] = await rowsOf("tenants", { id: tenantId });
    await (await clientOf(tenant)).made("Application", { Id: String(settings), Is_Active: false });
    const visitor = new Visitor();
    for (const address of [`/account?organisation=${tenantId}`, "/account", `/account?client_id=${settings}`]) {
      const page = await visitor.open(address);
      expect({ address, heading: page.heading }).toEqual({ address, heading: "Sign in" });
      const account = await visitor.submit(page, admin);
      expect({ address, heading: account.heading }).toEqual({ address, heading: "Your account" });
      visitor.cookies.delete("gatehouse-session");
    }
    // Settings itself stays closed.
    const other = new Visitor(issuer());
    const refused = await other.submit(await other.open(`/settings?organisation=${tenantId}`), admin);
    expect(refused).toMatchObject({ status: 422, heading: "Sign in" });
  });

  test("needs no consent: its form leads to the account", async () => {
    const { visitor, client } = await signedIn();
    const { csrf } = (await visitor.open("/account/password")).forms[0]!.fields;
    for (const decision of ["allow", "deny"]) {
      const request = `/account/sign-in?application=${client.id}`;
      const view = await visitor.post("/consent", { request, decision, csrf: csrf!, shown: "any" });
      expect(view).toMatchObject({ status: 200, heading: "Your account" });
      expect(visitor.trail.at(-1)!.url).not.toContain("error=");
    }
  });
});
