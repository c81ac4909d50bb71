// Requirements for every page of Settings: no data of other tenants, CSRF protection, and no shareable responses.

import { beforeAll, describe, expect, test } from "bun:test";
import type { Api } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { arrange, fill, type Ids, PATHS } from "../world/every-path.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const OF_ONE = PATHS.filter((path) => path.includes("/:id"));

interface Person {
  api: Api;
  ids: Ids;
  visitor: Visitor;
  csrf: string;
}

async function comeIn(): Promise<Person> {
  const api = await newTenant();
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${api.tenant.tenantId}`), api.tenant.admin);
  const page = await visitor.open("/settings");
  return { api, ids: await arrange(api), visitor, csrf: page.forms[0]!.fields.csrf! };
}

let own: Person;
let other: Person;
beforeAll(async () => {
  [own, other] = await Promise.all([comeIn(), comeIn()]);
});

/** Like a browser: with its cookies, and without following redirects. */
function send(
  { visitor }: Person,
  method: string,
  path: string,
  fields?: Record<string, string>,
  site?: string,
): Promise<Response> {
  const cookie = visitor.cookieHeader;
  const body = fields && new URLSearchParams(fields);
  return fetch(issuer() + path, {
    method,
    body,
    headers: { cookie, ...(site && { "sec-fetch-site": site }) },
    redirect: "manual",
  });
}

test("there is an Id of the tenant for every page of a record", async () => {
  const missing = OF_ONE.map((path) => path.split("/")[2]!).filter((area) => !own.ids[area]);
  expect(missing).toEqual([]);
  for (const path of OF_ONE.filter((one) => /^\/settings\/[^/]+\/:id$/.test(one))) {
    const { status } = await send(own, "GET", fill(path, own.ids));
    expect({ path, status }).toEqual({ path, status: 200 });
  }
});

describe.each(OF_ONE)("%s", (path) => {
  test("shows nothing of another tenant's record, and changes nothing", async () => {
    const theirs = fill(path, other.ids);
    let looked = await send(own, "GET", theirs);
    // Some redirect to the record's own page.
    if (looked.status === 303)
      looked = await send(own, "GET", new URL(looked.headers.get("location")!, issuer()).pathname);
    expect([404, 405]).toContain(looked.status);
    const sent = await send(own, "POST", theirs, { csrf: own.csrf });
    const text = await sent.text();
    // Some forms report empty fields first, but none is accepted.
    const { status, headers } = sent;
    expect([400, 404, 405]).toContain(status);
    expect(headers.get("location")).toBeNull();
    expect(text).not.toContain("Finance");
  });
});

describe.each(OF_ONE)("%s", (path) => {
  test("answers an invalid Id as a missing record", async () => {
    const ids = (id: string) => Object.fromEntries(Object.keys(own.ids).map((area) => [area, id]));
    for (const id of ["abc", "%00", "a".repeat(5_000), "%E2%80%AE"]) {
      for (const method of ["GET", "POST"]) {
        const fields = method === "POST" ? { csrf: own.csrf, State: "Paused" } : undefined;
        const { status } = await send(own, method, fill(path, ids(id)), fields);
        expect({ id, method, status, isTold: status >= 300 && status < 500 }).toMatchObject({ isTold: true });
      }
    }
  });
});

describe.each(PATHS)("%s", (path) => {
  test("rejects a form without its token, or with another browser's", async () => {
    const mine = fill(path, own.ids);
    for (const csrf of ["", other.csrf]) {
      for (const site of ["cross-site", "same-site", "none"]) {
        expect([403, 405]).toContain((await send(own, "POST", mine, { csrf }, site)).status);
      }
      // The request may come from our own page before a sign-in, and some browsers do not send its origin. So the user
      // is asked.
      for (const site of ["same-origin", undefined]) {
        const answer = await send(own, "POST", mine, { csrf }, site);
        expect([409, 405]).toContain(answer.status);
        if (answer.status === 409) expect(await answer.text()).toContain("so nothing was saved yet");
      }
    }
  });

  test("requires a sign-in, and is not cached, framed or scripted", async () => {
    const mine = fill(path, own.ids);
    const stranger = await fetch(issuer() + mine, { redirect: "manual" });
    // Programs get 405 for a form's address; browsers are redirected (no-dead-ends).
    if (stranger.status === 405) expect(stranger.headers.get("allow")).toBe("POST");
    else expect(stranger.headers.get("location")).toStartWith(`${issuer()}/settings/sign-in?`);
    const { headers } = await send(own, "GET", mine);
    expect(headers.get("cache-control")).toContain("no-store");
    if (!headers.get("content-type")?.startsWith("text/html")) return;
    const policy = headers.get("content-security-policy")!;
    expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(policy).not.toContain("unsafe");
  });
});
