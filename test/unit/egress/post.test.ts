import { describe, expect, test } from "bun:test";
import { createEgress, type Resolve } from "../../../server/platform/egress/index.ts";
import { closedPort, failureOf, request, startReceiver, trustingEgress } from "../../support/egress.ts";

const toLoopback: Resolve = async () => ["127.0.0.1"];
const ok = () => new Response("thanks");

describe("a post", () => {
  test("arrives byte for byte, under the name it was sent to", async () => {
    await using receiver = startReceiver(ok);
    const egress = trustingEgress([`localhost:${receiver.port}`]);
    const body = '{"Name":"Zoë 🚪","Nul":"\\u0000"}';
    const outcome = await egress.post(
      request(`https://localhost:${receiver.port}/hook/a%20b?ApiKey=k%26y#part`, {
        body,
        headers: { "X-Signature": "s" },
      }),
    );
    expect(outcome).toMatchObject({ kind: "response", status: 200, body: "thanks" });
    const [call] = receiver.received;
    expect(call!.body).toBe(body);
    expect(call!.url.pathname + call!.url.search).toBe("/hook/a%20b?ApiKey=k%26y");
    expect(call!.headers.get("host")).toBe(`localhost:${receiver.port}`);
    expect(call!.headers.get("user-agent")).toBe("Gatehouse-Webhooks/1.0");
    expect(call!.headers.get("accept-encoding")).toBe("identity");
    expect(call!.headers.get("x-signature")).toBe("s");
  });

  test.each([["127.0.0.1"], ["[::1]"]])("reaches an address in the URL: %s", async (host) => {
    await using receiver = startReceiver(ok, host.replace(/[[\]]/g, ""));
    const url = `https://${host}:${receiver.port}/`;
    const outcome = await trustingEgress([`${host}:${receiver.port}`]).post(request(url));
    expect(outcome).toMatchObject({ kind: "response", status: 200 });
  });

  test("goes to the first address, and to the next only if nothing listens there", async () => {
    await using receiver = startReceiver(ok);
    for (const addresses of [
      ["127.0.0.1", "::1"],
      ["::1", "127.0.0.1"],
      ["::1", "::1", "127.0.0.1", "::1"],
    ]) {
      const egress = trustingEgress(["127.0.0.1", "::1"], async () => addresses);
      expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`)))).toBe("answered 200");
    }
    expect(receiver.received).toHaveLength(3);
  });

  test.each([[204], [302], [404], [410], [500], [503]])("reports status %p as the answer", async (status) => {
    await using elsewhere = startReceiver(ok);
    const headers = { Location: `https://localhost:${elsewhere.port}/`, "Retry-After": "7" };
    await using receiver = startReceiver(() => new Response(null, { status, headers }));
    const egress = trustingEgress([`localhost:${receiver.port}`, `localhost:${elsewhere.port}`]);
    const outcome = await egress.post(request(`https://localhost:${receiver.port}/`));
    expect(outcome).toMatchObject({ kind: "response", status });
    expect(outcome.kind === "response" && outcome.headers.get("retry-after")).toBe("7");
    expect(elsewhere.received).toHaveLength(0);
  });
});

describe("a name that resolves to an address that is not public", () => {
  test("is rejected unless EGRESS_ALLOW names it", async () => {
    await using receiver = startReceiver(ok);
    const url = `https://localhost:${receiver.port}/`;
    expect(failureOf(await trustingEgress([]).post(request(url)))).toBe("blocked-address");
    expect(failureOf(await trustingEgress([`localhost:${receiver.port + 1}`]).post(request(url)))).toBe(
      "blocked-address",
    );
    expect(receiver.received).toHaveLength(0);
    expect(failureOf(await trustingEgress([`localhost:${receiver.port}`]).post(request(url)))).toBe("answered 200");
    expect(failureOf(await trustingEgress(["127.0.0.1", "::1"]).post(request(url)))).toBe("answered 200");
  });

  test("is rejected though another of its addresses is public", async () => {
    await using receiver = startReceiver(ok);
    const egress = trustingEgress([], async () => ["192.0.32.1", "127.0.0.1"]);
    expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`)))).toBe("blocked-address");
    expect(receiver.received).toHaveLength(0);
  });

  test("is rejected at every post after a changed answer, with one look-up per post", async () => {
    await using receiver = startReceiver(ok);
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    const egress = trustingEgress(["127.0.0.1"], async () => answers.shift()!);
    const url = `https://localhost:${receiver.port}/`;
    expect(failureOf(await egress.post(request(url)))).toBe("answered 200");
    expect(failureOf(await egress.post(request(url)))).toBe("blocked-address");
  });

  test("does not reveal the address", async () => {
    const outcome = await trustingEgress([], async () => ["10.20.30.40"]).post(request("https://inside.test/"));
    expect(outcome).toMatchObject({ failure: "blocked-address", detail: expect.stringContaining("inside.test") });
    expect(JSON.stringify(outcome)).not.toContain("10.20.30.40");
  });

  test("a URL that could not be saved is not posted to either", async () => {
    for (const url of [
      "http://example.com/",
      "https://u:p@example.com/",
      "https://example.com:25/",
      "https://0x7f.1/",
    ]) {
      expect(failureOf(await trustingEgress([]).post(request(url)))).toBe("blocked-address");
    }
  });
});

describe("TLS", () => {
  test("fails for an untrusted authority", async () => {
    await using receiver = startReceiver(ok);
    const egress = createEgress({ allow: [`localhost:${receiver.port}`], deny: [], dns: [], caFile: undefined });
    expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`)))).toBe("tls");
    expect(receiver.received).toHaveLength(0);
  });

  test("cannot be weakened by NODE_TLS_REJECT_UNAUTHORIZED", async () => {
    await using receiver = startReceiver(ok);
    const egress = createEgress({ allow: [`localhost:${receiver.port}`], deny: [], dns: [], caFile: undefined });
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
    try {
      expect(failureOf(await egress.post(request(`https://localhost:${receiver.port}/`)))).toBe("tls");
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  test("a pooled connection never serves another name", async () => {
    await using receiver = startReceiver(ok);
    const egress = trustingEgress(["127.0.0.1"], toLoopback);
    const post = async (name: string) => failureOf(await egress.post(request(`https://${name}:${receiver.port}/`)));
    for (let round = 0; round < 5; round++) {
      expect(await post("localhost")).toBe("answered 200");
      expect(await post("other.test")).toBe("tls");
    }
    const many = await Promise.all(Array.from({ length: 20 }, (_, at) => post(at % 2 ? "other.test" : "localhost")));
    expect(many).toEqual(Array.from({ length: 20 }, (_, at) => (at % 2 ? "tls" : "answered 200")));
    expect(new Set(receiver.received.map(({ headers }) => headers.get("host")))).toEqual(
      new Set([`localhost:${receiver.port}`]),
    );
  });

  test("fails where plain HTTP is spoken", async () => {
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: ok });
    const egress = trustingEgress([`localhost:${server.port}`]);
    expect(failureOf(await egress.post(request(`https://localhost:${server.port}/`)))).toBe("tls");
    await server.stop(true);
  });
});

describe("a failure", () => {
  test("is one word for each kind, and its detail keeps the URL's secrets", async () => {
    const port = await closedPort();
    const egress = trustingEgress([`localhost:${port}`], toLoopback);
    const secretPath = "/path-secret?ApiKey=query-secret";
    const unresolvable = trustingEgress([], async () => {
      throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    });
    const outcomes = await Promise.all([
      egress.post(request(`https://localhost:${port}${secretPath}`)),
      unresolvable.post(request(`https://nowhere.test${secretPath}`)),
      trustingEgress([], async () => []).post(request(`https://nowhere.test${secretPath}`)),
      egress.post(request(`https://localhost:${port}${secretPath}`, { headers: { "X-Bad": "header-secret\n" } })),
      egress.post(request(`https://localhost:${port}${secretPath}`, { headers: { "X-Bad": "header-secret\0" } })),
    ]);
    expect(outcomes.map(failureOf).slice(0, 3)).toEqual(["refused", "dns", "dns"]);
    expect(outcomes.every((outcome) => outcome.kind === "failure" && outcome.durationMs >= 0)).toBe(true);
    expect(JSON.stringify(outcomes)).not.toContain("secret");
  });

  test("a name that does not exist", async () => {
    expect(failureOf(await trustingEgress([]).post(request("https://nowhere.invalid/")))).toBe("dns");
  });
});
