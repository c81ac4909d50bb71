import { describe, expect, test } from "bun:test";
import { generate } from "selfsigned";
import { type Attempt, until } from "../world/api.ts";
import { connected, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

const MIB = 1024 * 1024;
/** WEBHOOK_TIMEOUT of the tests' Gatehouse. */
const TIMEOUT_MS = 3_000;

describe.concurrent("a receiver", () => {
  test("that hangs is timed out, logged and retried", async () => {
    const [first, second] = await attemptsAt(["hang", 200]);
    expect(first).toMatchObject({ Number: 1, StatusCode: null, Failure: "timeout" });
    expect(first!.DurationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 10);
    expect(first!.DurationMs).toBeLessThan(10 * TIMEOUT_MS);
    expect(second).toMatchObject({ Number: 2, StatusCode: 200, Failure: null });
  });

  test("that sends its response endlessly is timed out as well", async () => {
    const [first, second] = await attemptsAt(["drip", 200]);
    expect(first).toMatchObject({ StatusCode: null, Failure: "timeout" });
    expect(second).toMatchObject({ StatusCode: 200 });
  });

  test("that answers 10 MiB succeeds, and the log keeps the first 4 KiB", async () => {
    const [only, ...more] = await attemptsAt(new Response(Buffer.alloc(10 * MIB, "x")));
    expect(only).toMatchObject({ StatusCode: 200, Failure: null });
    expect(only!.Response.Body).toBe("x".repeat(4096));
    expect(more).toEqual([]);
  });

  test("that answers binary data succeeds", async () => {
    const [only] = await attemptsAt(new Response(new Uint8Array([0xff, 0, 0xc3, 0x28])));
    expect(only).toMatchObject({ StatusCode: 200, Failure: null });
  });

  test("that answers compressed, or in Latin-1, is logged as text", async () => {
    const text = "La clé de Zoë est refusée";
    const headers = { "content-encoding": "gzip", "content-type": "text/plain; charset=iso-8859-1" };
    const [first, second] = await attemptsAt([
      new Response(Bun.gzipSync(Buffer.from(text, "latin1")), { status: 500, headers }),
      new Response(Buffer.from(text, "latin1"), { status: 200 }),
    ]);
    expect(first).toMatchObject({ StatusCode: 500, Response: { Body: text } });
    expect(first!.Response.Headers).toContain("content-encoding: gzip");
    expect(second).toMatchObject({ StatusCode: 200, Response: { Body: text } });
  });

  test("that names a fraction of seconds in Retry-After gets the next attempt after it", async () => {
    const later = new Response(null, { status: 503, headers: { "retry-after": "1.5" } });
    const [first, second] = await attemptsAt([later, 200]);
    expect(Date.parse(second!.StartedOn) - Date.parse(first!.StartedOn)).toBeGreaterThanOrEqual(1_500);
  });

  test("gets Accept with each call, as of its connection or for anything", async () => {
    const api = await newTenant();
    await using receiver = await connected(api);
    await api.connect(`${receiver.url}?own`, { Headers: { accept: "application/json" } });
    await api.settledChange({ Name: "Gate" });
    const accepted = receiver.calls.map(({ url, headers }) => [url.searchParams.has("own"), headers.get("accept")]);
    expect(accepted.toSorted()).toEqual([
      [false, "*/*"],
      [true, "application/json"],
    ]);
  });

  test("that speaks plain HTTP is logged with the cause and the solution", async () => {
    await using plain = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const api = await newTenant();
    await api.connect(`https://localhost:${plain.port}/`);
    await api.change({ Name: "Gate" });
    const [attempt] = (await api.settledEvent()).Deliveries[0]!.Attempts;
    const cause = "does not speak TLS on this port, but perhaps plain HTTP (ERR_SSL_WRONG_VERSION_NUMBER)";
    const Body = `localhost:${plain.port} ${cause}: enable HTTPS there, or correct the port`;
    expect(attempt).toMatchObject({ StatusCode: null, Failure: "tls", Response: { Headers: "", Body } });
  });

  test("that redirects is not followed", async () => {
    await using elsewhere = startReceiver();
    const redirect = new Response(null, { status: 307, headers: { location: elsewhere.url } });
    const attempts = await attemptsAt(redirect);
    expect(attempts.map((attempt) => attempt.StatusCode)).toEqual([307, 307, 307]);
    expect(attempts[0]!.Response.Headers).toContain(`location: ${elsewhere.url}`);
    expect(elsewhere.calls).toHaveLength(0);
  });

  test("with an untrusted certificate gets nothing", async () => {
    const own = await generate([{ name: "commonName", value: "localhost" }], { keyType: "ec" });
    const api = await newTenant();
    await using receiver = await connected(api, 200, { tls: { cert: own.cert, key: own.private } });
    const event = await api.settledChange({ Name: "Gate" });
    expect(event.State).toBe("Exhausted");
    expect(event.Deliveries[0]!.Attempts.map((attempt) => attempt.Failure)).toEqual(["tls", "tls", "tls"]);
    expect(receiver.calls).toHaveLength(0);
  });

  test("with a certificate for another name gets nothing", async () => {
    const api = await newTenant();
    await using receiver = startReceiver();
    await api.connect(receiver.url.replace("localhost", "127.0.0.2"));
    const event = await api.settledChange({ Name: "Gate" });
    // On systems where this name has no such address, no server listens there.
    expect(["tls", "refused", "unreachable"]).toContain(event.Deliveries[0]!.Attempts[0]!.Failure!);
    expect(receiver.calls).toHaveLength(0);
  });

  test("that does not listen is logged as refused", async () => {
    const gone = startReceiver();
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    const api = await newTenant();
    await api.connect(url);
    const event = await api.settledChange({ Name: "Gate" });
    expect(event.Deliveries[0]!.Attempts.map((attempt) => attempt.Failure)).toEqual(["refused", "refused", "refused"]);
  });

  test("that echoes our ApiKey does not bring it into the log", async () => {
    const api = await newTenant();
    await using receiver = startReceiver(
      ({ url }) => new Response(`you sent ${url}`, { status: 301, headers: { location: `${url}&x=1` } }),
    );
    const connection = await api.connect(receiver.url, { ApiKey: "very/secret+key" });
    const event = await api.settledChange({ Name: "Gate" });
    const logged = JSON.stringify(event);
    expect(logged).toContain("you sent");
    expect(logged).not.toContain(connection.ApiKey);
    expect(logged).not.toContain(encodeURIComponent(connection.ApiKey));
  });

  test("that is slow does not delay the caller", async () => {
    const api = await newTenant();
    await using receiver = await connected(api, "hang");
    const started = performance.now();
    await api.change({ Name: "Gate" });
    // Three timeouts would take longer.
    expect(performance.now() - started).toBeLessThan(3 * TIMEOUT_MS);
    await until("the call", () => receiver.calls.length > 0);
    expect((await api.newestEvent()).State).not.toBe("Delivered");
  });
});

async function attemptsAt(replies: Parameters<typeof startReceiver>[0]): Promise<Attempt[]> {
  const api = await newTenant();
  await using _ = await connected(api, replies);
  const event = await api.settledChange({ Name: "Gate" });
  return event.Deliveries[0]!.Attempts;
}
