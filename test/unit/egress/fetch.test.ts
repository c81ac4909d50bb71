import { describe, expect, test } from "bun:test";
import { EgressError } from "../../../server/platform/egress/index.ts";
import { closedPort, type Received, startReceiver, TENANT, trustingEgress } from "../../support/egress.ts";

async function fetched(answer: (received: Received) => Response, timeoutMs = 5_000) {
  await using receiver = startReceiver(answer);
  const url = new URL(`https://localhost:${receiver.port}/some?path=1`);
  const request = { method: "GET", headers: { accept: "application/json" }, timeoutMs } as const;
  const response = await trustingEgress([url.host]).fetch(TENANT, url.href, request);
  return { response, received: receiver.received[0]! };
}

async function failureOf(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(EgressError);
  return (error as EgressError).failure;
}

describe.concurrent("a guarded fetch", () => {
  test("returns status, headers and the whole body", async () => {
    const { response, received } = await fetched(() => Response.json({ text: "x".repeat(200_000) }, { status: 201 }));
    expect(response.status).toBe(201);
    expect(((await response.json()) as { text: string }).text).toHaveLength(200_000);
    expect(received.url.search).toBe("?path=1");
    expect(received.headers.get("accept")).toBe("application/json");
    expect(received.headers.get("user-agent")).toBe("Gatehouse/1.0");
  });

  test("posts a body", async () => {
    await using receiver = startReceiver(() => new Response());
    const url = new URL(`https://localhost:${receiver.port}/`);
    await trustingEgress([url.host]).fetch(TENANT, url.href, { method: "POST", body: "a=b", timeoutMs: 5_000 });
    expect(receiver.received).toMatchObject([{ body: "a=b" }]);
  });

  test("follows no redirect", async () => {
    const { response } = await fetched(() => Response.redirect("https://169.254.169.254/latest/meta-data", 302));
    expect(response.status).toBe(302);
  });

  test("rejects an answer above 256 KiB, and one that is too slow", async () => {
    expect(await failureOf(fetched(() => new Response("x".repeat(256 * 1024 + 1))))).toBe("too-large");
    const endless = () => new Response(new ReadableStream({ start: (stream) => stream.enqueue("x") }));
    expect(await failureOf(fetched(endless, 150))).toBe("timeout");
  });

  test("connects only to allowed addresses, and reports an unreachable one", async () => {
    const get = { method: "GET", timeoutMs: 5_000 } as const;
    for (const url of ["https://127.0.0.1/", "https://169.254.169.254/", "https://[::1]/", "https://localhost/"]) {
      expect(await failureOf(trustingEgress([]).fetch(TENANT, url, get))).toBe("blocked-address");
    }
    const url = new URL(`https://localhost:${await closedPort()}/`);
    expect(await failureOf(trustingEgress([url.host]).fetch(TENANT, url.href, get))).toBe("refused");
  });
});
