// The authorization suite of the Model Context Protocol, with the settings of docs/mcp.md. All of its scenarios for
// authorization servers run. Those for MCP clients and for MCP servers do not apply, because Gatehouse is neither.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { blocksOf } from "../support/pages.ts";
import { ok, requestAt } from "../world/api.ts";
import { newPkce } from "../world/client.ts";
import { type Installation, newInstallation } from "../world/site.ts";
import { Visitor } from "../world/visitor.ts";
import { runSuite, scenarios } from "./mcp-suite.ts";

let installed: Installation;
/** Of the commands in docs/mcp.md. */
let resource: string;
let scope: string;
beforeAll(async () => {
  installed = await newInstallation();
  const commands = blocksOf("docs/mcp.md").find(({ mark }) => mark === "run: call")!.text;
  for (const [, kind, , body] of commands.matchAll(/^api (\w+)( -X PATCH)? -d '(.*?)'$/gms)) {
    const saved = await ok(installed.admin.patch(`/${kind}`, JSON.parse(body!)));
    resource = saved.Audience ?? resource;
    scope = saved.Scopes?.[0].Name ?? scope;
  }
});
afterAll(() => installed[Symbol.asyncDispose]());

const PASSWORD = "correct horse battery staple";

/** A User who is in no list. */
async function newUser() {
  const username = Bun.randomUUIDv7();
  const { admin, url } = installed;
  const { Id } = await ok(admin.patch("/User", { Username: username, Is_Active: true }));
  const link = new URL((await ok(admin.call("POST", `/User/${Id}/PasswordReset`))).Url);
  const visitor = new Visitor(url);
  await visitor.submit(await visitor.open(link.pathname + link.search), { new_password: PASSWORD });
  return { username, password: PASSWORD };
}

/** Signs the user in, and allows the client's request. @returns the client's address */
async function allow(address: URL, user: { username: string; password: string }): Promise<URL> {
  const visitor = new Visitor(installed.url);
  let view = await visitor.open(address.pathname + address.search);
  if (view.heading === "Sign in") view = await visitor.submit(view, user);
  if (view.heading === "Allow access") view = await visitor.submit(view, { decision: "allow" });
  if (!view.location) throw new Error(`Still at Gatehouse: "${view.heading}" ${view.html}`);
  return view.location;
}

const native = (callback: string) => ({
  client_name: "Assistant",
  redirect_uris: [callback],
  application_type: "native",
  token_endpoint_auth_method: "none",
});

async function register(callback: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(native(callback));
  const answer = await requestAt(installed.url, "POST", "/oauth2/register", { headers, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  return answer.body.client_id;
}

/** How a client of MCP gets its client_id. */
const CLIENTS: [string, (callback: string) => Promise<string>][] = [
  ["registers itself", register],
  [
    "has a document at its address",
    async (callback) => installed.site.publish({ ...native(callback), scope: undefined }),
  ],
];

describe.each(CLIENTS)("a client that %s", (_, clientOf) => {
  test("passes every scenario for authorization servers, with a user who is in no list", async () => {
    const [user, port, names] = await Promise.all([newUser(), nextFreePort(0, "127.0.0.1", new Set()), scenarios()]);
    const clientId = await clientOf(`http://127.0.0.1:${port}/callback`);
    const results = await runSuite({ issuer: installed.url, clientId, port, resource }, async (address) => {
      expect((await fetch(await allow(address, user))).status).toBe(200);
    });
    expect([...results.keys()].toSorted()).toEqual(names.toSorted());
    const checks = [...results.values()].flat().map(({ id, status, errorMessage }) => ({ id, status, errorMessage }));
    expect(checks.length).toBeGreaterThanOrEqual(3);
    expect(checks.filter(({ status }) => status !== "SUCCESS")).toEqual([]);
  });

  test("gets a token for the MCP server only, with its scope", async () => {
    const user = await newUser();
    const callback = "http://127.0.0.1:52413/callback";
    const clientId = await clientOf(callback);
    const pkce = newPkce();
    const asked = { response_type: "code", client_id: clientId, redirect_uri: callback, resource, ...pkce.challenge };
    const back = await allow(new URL(`/oauth2/authorize?${new URLSearchParams(asked)}`, installed.url), user);
    const body = new URLSearchParams({
      ...{ grant_type: "authorization_code", code: back.searchParams.get("code")!, redirect_uri: callback },
      ...{ client_id: clientId, code_verifier: pkce.verifier, resource },
    });
    const { status, body: tokens } = await requestAt(installed.url, "POST", "/oauth2/token", { body });
    expect({ status, tokens }).toMatchObject({ status: 200 });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ aud: resource, scope });
  });
});
