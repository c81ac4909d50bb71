// Addresses for redirects. SPEC.md Endpoints 1: exactly one of the registered addresses, else Not Found, no redirect.

import { describe, expect, test } from "bun:test";
import { answerOf, CALLBACK, newClient, otherClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { Visitor } from "../world/visitor.ts";

const PATHS = [SPEC_PATH, "/oAuth/Authorize", RFC_PATH];

/** For tests that do not change the client. */
const shared = await newClient();

describe.concurrent("an unregistered redirect_uri", () => {
  test.each([
    "https://evil.example/callback",
    "https://app.example/Callback",
    "https://APP.example/callback",
    "HTTPS://app.example/callback",
    "https://app.example/callback/",
    "https://app.example/callbac",
    "https://app.example:8443/callback",
    "https://app.example/callback?x=1",
    "https://app.example/callback#x",
    "https://app.example:443/callback",
    "https://user@app.example/callback",
    "https://app.example@evil.example/callback",
    "https://app.example/callback/../callback",
    "https://app.example/call%62ack",
    "https://app.example.evil.example/callback",
    "http://app.example/callback",
    "//app.example/callback",
    "javascript:alert(1)",
    " https://app.example/callback",
    "https://app.example/callback\0",
    "x".repeat(4_000),
  ])("%p is Not Found at every door, without a redirect", async (redirect_uri) => {
    const client = shared;
    for (const path of PATHS) {
      const view = await new Visitor().open(client.authorize({ redirect_uri, response_type: "nonsense" }, path));
      expect(view).toMatchObject({ status: 404, heading: "Not Found", location: undefined });
      expect(view.headers.get("content-type")).toStartWith("text/html");
    }
  });
});

describe.concurrent("an unknown client", () => {
  test.each(["999999999", "0", "-1", "1e3", "abc", "9".repeat(30), "1'; --", "1\0"])("%p is Not Found", async (id) => {
    const client = shared;
    for (const path of PATHS) {
      const view = await new Visitor().open(client.authorize({ client_id: id }, path));
      expect(view).toMatchObject({ status: 404, heading: "Not Found", location: undefined });
    }
  });

  test("another client's redirect_uri is Not Found", async () => {
    const client = await newClient({ redirect_uris: ["https://one.example/cb"] });
    const other = await otherClient(client, { redirect_uris: ["https://two.example/cb"] });
    const view = await new Visitor().open(client.authorize({ redirect_uri: "https://two.example/cb" }));
    expect(view).toMatchObject({ status: 404, location: undefined });
    expect((await new Visitor().open(other.authorize({ redirect_uri: "https://two.example/cb" }))).status).toBe(200);
  });
});

describe.concurrent("without a redirect URI to answer to, only the user sees the error", () => {
  test.each(["client_id", "redirect_uri"])("%s is missing, empty or repeated", async (name) => {
    const client = shared;
    const requests = [
      client.authorize({ [name]: undefined }),
      client.authorize({ [name]: "" }),
      `${client.authorize()}&${name}=${encodeURIComponent(name === "client_id" ? client.id : CALLBACK)}`,
    ];
    for (const request of requests) {
      const view = await new Visitor().open(request);
      expect(view).toMatchObject({ status: 400, heading: "Bad Request", location: undefined });
      expect(view.html).toContain(name);
    }
  });

  test("the RFC door allows omitting a single redirect_uri, also in the token request", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const back = await client.visit(visitor, { redirect_uri: undefined, scope: "profile" });
    expect(back.location!.href).toStartWith(`${CALLBACK}?code=`);
    expect((await client.token(answerOf(back).code!, { redirect_uri: undefined })).status).toBe(200);
    expect(
      (await visitor.open(client.authorize({ redirect_uri: undefined, scope: "profile" }, SPEC_PATH))).status,
    ).toBe(400);
  });

  test("a request above 8 KiB", async () => {
    const client = shared;
    const view = await new Visitor().open(client.authorize({ state: "x".repeat(8_200) }));
    expect(view).toMatchObject({ status: 400, heading: "Bad Request", location: undefined });
  });
});

describe.concurrent("a registered address", () => {
  test("keeps its own query, to which the answer is added", async () => {
    const redirect_uri = "https://app.example/callback?tenant=a&x=%20y";
    const client = await newClient({ redirect_uris: [redirect_uri] });
    const back = await client.visit(new Visitor(), { redirect_uri });
    expect(back.location!.href).toStartWith(`${redirect_uri}&code=`);
  });

  test("of a native app matches any loopback port (RFC 8252 7.3); other clients' do not", async () => {
    const redirect_uris = ["http://127.0.0.1/callback", "http://[::1]:1/callback"];
    const native = await newClient({ redirect_uris, client_type: "native" });
    const pkce = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
    const status = async (client: typeof native, redirect_uri: string) =>
      (await new Visitor().open(client.authorize({ redirect_uri, ...pkce }))).status;
    expect(await status(native, "http://127.0.0.1:51004/callback")).toBe(200);
    expect(await status(native, "http://[::1]:51004/callback")).toBe(200);
    expect(await status(native, "http://[::1]/callback")).toBe(200);
    expect(await status(native, "http://127.0.0.1:51004/other")).toBe(404);
    expect(await status(native, "http://127.0.0.1:51004@evil.example/callback")).toBe(404);
    expect(await status(native, "http://127.0.0.1.evil.example/callback")).toBe(404);
    expect(await status(native, "https://127.0.0.1:51004/callback")).toBe(404);
    expect(await status(native, "http://localhost:51004/callback")).toBe(404);
    const web = await newClient({ redirect_uris });
    expect(await status(web, "http://127.0.0.1:51004/callback")).toBe(404);
  });
});
