// The sign-in of the account pages: its organisation, and requests that need none.

import { describe, expect, test } from "bun:test";
import { issuer, otherClient } from "../world/client.ts";
import { newApplication, signedIn } from "../world/person.ts";
import { tenantOf } from "../world/planted.ts";
import { clientOf } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const PAGES = ["/account", "/account/password", "/account/second-factor", "/account/data"];

describe.concurrent("signing in to the account pages", () => {
  test("works while the application of Settings is inactive", async () => {
    const { tenant } = await newApplication();
    const { tenantId, admin } = tenant;
    const { settings } = await tenantOf({ tenantId });
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

describe.concurrent("the account pages of a user of one organisation", () => {
  test("name it", async () => {
    const { visitor, client } = await signedIn();
    const { name } = await tenantOf(client.tenant);
    for (const path of PAGES) {
      const { html } = await visitor.open(path);
      expect({ path, isNamed: html.includes(`<span class="organisation">${name}</span>`) }).toEqual({
        path,
        isNamed: true,
      });
    }
  });

  test("open with its own links, also of an inactive application", async () => {
    const { visitor, client } = await signedIn();
    const { tenantId: id } = client.tenant;
    const { name, settings } = await tenantOf(client.tenant);
    const inactive = await otherClient(client);
    await (await clientOf(client.tenant)).made("Application", { Id: inactive.id, Is_Active: false });
    const questions: Record<string, string>[] = [
      { client_id: client.id },
      { client_id: inactive.id },
      { client_id: settings },
      { organisation: id },
      { organisation: name },
    ];
    for (const asked of questions) {
      const view = await visitor.open(`/account?${new URLSearchParams(asked)}`);
      expect({ asked, heading: view.heading }).toEqual({ asked, heading: "Your account" });
    }
  });

  test("report a link for a different organisation, existing or not, and lead there or stay", async () => {
    const { visitor, client } = await signedIn();
    const { name } = await tenantOf(client.tenant);
    const other = await newApplication();
    const { name: theirs } = await tenantOf(other.tenant);
    const questions: Record<string, string>[] = [
      { client_id: other.id },
      { client_id: "x" },
      { organisation: theirs },
      { organisation: "Nowhere" },
    ];
    const seen = new Set<string>();
    for (const asked of questions) {
      const view = await visitor.open(`/account/password?${new URLSearchParams(asked)}`);
      expect({ asked, heading: view.heading }).toEqual({ asked, heading: "Another organisation" });
      expect(view.html).toContain(`<strong>${name}</strong>`);
      seen.add(view.html.replace(/href="[^"]*sign-in[^"]*"|name="page" value="[^"]*"/g, ""));
      const links = [...view.html.matchAll(/button outline" href="([^"]*)"/g)].map(([, href]) =>
        href!.replaceAll("&amp;", "&"),
      );
      expect(await visitor.open(links[1]!)).toMatchObject({ status: 200, heading: "Change your password" });
      expect(await visitor.open(links[0]!)).toMatchObject({ status: 200, heading: "Sign in" });
    }
    expect(seen.size).toBe(1);
    const there = await visitor.open(`/account/password?client_id=${other.id}`);
    const href = /button outline" href="([^"]*)"/.exec(there.html)![1]!.replaceAll("&amp;", "&");
    const page = await visitor.submit(await visitor.open(href), other.tenant.admin);
    expect(page.heading).toBe("Change your password");
    expect(page.html).toContain(theirs);
  });
});
