import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ensureReceiverCertificate } from "../../examples/receiver/certificate.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { StartCommand } from "./start-command.ts";

test("ports in use are skipped, and PUBLIC_URL follows", async () => {
  // Ports used by another test's `start` count as used, but may be released meanwhile.
  await using temporal = await listener(7233);
  await using ui = await listener(8233);
  await using api = await listener(3000);
  await using start = new StartCommand();
  const url = await start.ready();
  const ports = [url, start.address("Temporal UI"), `http://${start.address("Temporal")}`].map((address) =>
    Number(new URL(address).port),
  );
  expect(ports[0]).toBeGreaterThan(api.held ? 3000 : 2999);
  // The demo client's application listens there.
  expect(ports[0]).not.toBe(3001);
  expect(ports[1]).toBeGreaterThan(ui.held ? 8233 : 8232);
  expect(ports[2]).toBeGreaterThan(temporal.held ? 7233 : 7232);
  const discovery = await fetch(`${url}/.well-known/openid-configuration`);
  if (discovery.ok) expect((await discovery.json()) as object).toMatchObject({ issuer: url });
});

test("an explicit PORT that is in use is an error", async () => {
  await using taken = await listener(0);
  await using start = new StartCommand(undefined, { PORT: String(taken.port) });
  expect(await start.ended()).toBe(1);
  expect(start.output).toContain(`PORT is ${taken.port}, which is already in use.`);
});

test("--allow-receiver lets webhooks reach the example receiver in addition to EGRESS_ALLOW", async () => {
  const dataDir = temporaryDirectory("start");
  const own = (await ensureReceiverCertificate(temporaryDirectory("own"))).caFile;
  await using start = new StartCommand(dataDir, { EGRESS_CA_FILE: own, LOG_LEVEL: "silent" }, ["--allow-receiver"]);
  await start.prints("webhooks may reach localhost:8443 (--allow-receiver; leave it out in production)");
  const merged = readFileSync(join(dataDir, "receiver", "egress-ca.pem"), "utf8");
  expect(merged).toContain(readFileSync(own, "utf8"));
  expect(merged).toContain(readFileSync(join(dataDir, "receiver", "ca.pem"), "utf8"));
});

test("an unknown option is an error, --help explains", async () => {
  await using wrong = new StartCommand(undefined, {}, ["--alow-receiver"]);
  expect(await wrong.ended()).toBe(2);
  expect(wrong.output).toContain("Unknown option --alow-receiver");
  await using help = new StartCommand(undefined, {}, ["--help"]);
  expect(await help.ended()).toBe(0);
  expect(help.output).toContain("Usage: bun run start");
});

test("an external database requires an explicit MASTER_KEY", async () => {
  await using start = new StartCommand(undefined, { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" });
  expect(await start.ended()).toBe(2);
  expect(start.output).toContain("MASTER_KEY is missing");
  expect(existsSync(join(start.dataDir, "start.lock"))).toBe(false);
});

/** A listener on the port; a port already in use serves as well. */
async function listener(port: number): Promise<AsyncDisposable & { port: number; held: boolean }> {
  const server = createServer();
  const listening = await new Promise<boolean>((done) => {
    server.once("error", () => done(false));
    server.listen({ port, host: "127.0.0.1" }, () => done(true));
  });
  return {
    held: listening,
    port: listening ? (server.address() as { port: number }).port : port,
    async [Symbol.asyncDispose]() {
      if (listening) server.close();
    },
  };
}
