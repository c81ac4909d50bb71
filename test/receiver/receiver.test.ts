import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureReceiverCertificate } from "../../examples/receiver/certificate.ts";
import { createEgress } from "../../server/platform/egress/index.ts";
import type { TenantId } from "../../server/platform/ids.ts";
import { signPayload } from "../../server/webhooks/signature.ts";
import { idOf } from "../world/api.ts";
import { newTenant, setting } from "../world/tenant.ts";

const dataDir = await mkdtemp(join(tmpdir(), "gatehouse-receiver-"));
afterAll(() => rm(dataDir, { recursive: true }));

/** The command on a free port. */
function startReceiver(...flags: string[]) {
  return startReceiverIn(dataDir, ...flags);
}

async function startReceiverIn(directory: string, ...flags: string[]) {
  const command = spawnReceiverIn(directory, "--port", "0", ...flags);
  const reader = command.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let printed = "";
  const printedUntil = async (text: string | RegExp) => {
    while (printed.search(text) < 0) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The receiver ended before it printed ${text}:\n${printed}`);
      printed += value;
    }
    return printed;
  };
  const address = /https:\/\/localhost:(\d+)\//;
  const port = Number(address.exec(await printedUntil(/Ctrl-C\n/))![1]);
  const egress = createEgress({
    allow: [`localhost:${port}`],
    deny: [],
    dns: [],
    caFile: join(directory, "receiver", "ca.pem"),
  });
  return {
    url: `https://localhost:${port}/`,
    printedUntil,
    /** Posts an event. @returns the status, or the failure as a word */
    async post(event: object, { secret, sequence, timeoutMs = 5000 }: PostOptions = {}) {
      const body = JSON.stringify(event);
      const headers = {
        ...(secret && { "X-Signature": signPayload(body, secret) }),
        ...(sequence && { "webhook-sequence": sequence }),
      };
      const outcome = await egress.post({
        tenantId: idOf<TenantId>("tenant"),
        url: `https://localhost:${port}/`,
        headers,
        body,
        timeoutMs,
      });
      if (outcome.kind === "unsent") return outcome.kind;
      return outcome.kind === "response" ? outcome.status : outcome.failure;
    },
    async stop() {
      command.kill("SIGINT");
      return command.exited;
    },
    [Symbol.asyncDispose]: async () => {
      command.kill("SIGKILL");
      await command.exited;
    },
  };
}

interface PostOptions {
  secret?: string;
  sequence?: string;
  timeoutMs?: number;
}

function spawnReceiver(...flags: string[]) {
  return spawnReceiverIn(dataDir, ...flags);
}

function spawnReceiverIn(directory: string, ...flags: string[]) {
  return Bun.spawn([process.execPath, "run", join(import.meta.dir, "../../examples/receiver/main.ts"), ...flags], {
    env: { ...process.env, DATA_DIR: directory, WEBHOOK_SECRET: "" },
    stdout: "pipe",
    stderr: "pipe",
  });
}

const event = (EventId: string) => ({
  EventType: "Updated",
  EventId,
  EventRecord: "Application",
  Data: { Id: "4711", Name: "Zoë" },
});

describe("bun run receiver", () => {
  test("prints each call with its findings, and stops at Ctrl-C", async () => {
    await using receiver = await startReceiver("--secret", "new", "--secret", "old");
    expect(await receiver.post(event("e-1"), { secret: "old" })).toBe(200);
    expect(await receiver.post(event("e-1"), { secret: "new" })).toBe(200);
    expect(await receiver.post(event("e-2"), { secret: "guess" })).toBe(200);
    expect(await receiver.post(event("e-3"))).toBe(200);
    const printed = await receiver.printedUntil("not signed\n[^]*\n  }\n");
    expect(printed).toContain("Updated Application 4711  event e-1  attempt 1  answered 200  signature valid");
    expect(printed).toContain("Updated Application 4711  event e-1  attempt 2  answered 200  signature valid");
    expect(printed).toContain("event e-2  attempt 1  answered 200  signature WRONG");
    expect(printed).toContain("event e-3  attempt 1  answered 200  not signed");
    for (const line of JSON.stringify(event("e-3"), null, 2).split("\n")) expect(printed).toContain(`\n  ${line}\n`);
    expect(printed).toContain("--allow-receiver");
    expect(await receiver.stop()).toBe(0);
  });

  test("--fail answers the first calls of each event with 500", async () => {
    await using receiver = await startReceiver("--fail", "2");
    const statuses = [];
    for (const id of ["e-1", "e-1", "e-2", "e-1", "e-2", "e-2"])
      statuses.push(await receiver.post(event(id), { secret: "s" }));
    expect(statuses).toEqual([500, 500, 500, 200, 500, 200]);
    expect(await receiver.printedUntil(/e-2 {2}attempt 3/)).toContain("no --secret given, not verified");
  });

  test("--fail answers a share of all calls with 500", async () => {
    await using always = await startReceiver("--fail", "100%");
    await using never = await startReceiver("--fail", "0%");
    await using half = await startReceiver("--fail", "50%");
    for (let call = 0; call < 5; call++) {
      expect(await always.post(event("e-1"))).toBe(500);
      expect(await never.post(event("e-1"))).toBe(200);
    }
    const statuses = new Set<unknown>();
    while (statuses.size < 2) statuses.add(await half.post(event("e-1")));
    expect(statuses).toEqual(new Set([200, 500]));
  });

  test("--status answers always with it, --delay after a while, --hang never", async () => {
    await using gone = await startReceiver("--status", "410");
    expect(await gone.post(event("e-1"))).toBe(410);
    await using slow = await startReceiver("--delay", "60");
    expect(await slow.post(event("e-1"), { timeoutMs: 200 })).toBe("timeout");
    await using silent = await startReceiver("--hang");
    // Long enough for the request to arrive on a busy machine: nothing is printed without it.
    expect(await silent.post(event("e-1"), { timeoutMs: 3_000 })).toBe("timeout");
    expect(await silent.printedUntil(/attempt 1 .*\n/)).toContain("attempt 1  not answered  not signed");
  });

  test("reports that it cannot store its certificate in DATA_DIR", async () => {
    const file = join(dataDir, "a file");
    await writeFile(file, "");
    const command = spawnReceiverIn(file);
    const complaint = await new Response(command.stderr).text();
    expect(complaint).toStartWith(`DATA_DIR is "${file}"; it must be a directory that this user can write to (EEXIST`);
    expect(complaint.trim().split("\n")).toHaveLength(1);
    expect(await command.exited).toBe(1);
  });

  test("exits with 2 on a wrong command line, and prints the usage", async () => {
    const mistakes = [
      ["--nonsense"],
      ["--port", "70000"],
      ["--fail", "-1"],
      ["--status", "99"],
      ["--fail", "101%"],
      ["--delay", "long"],
      ["stray"],
    ];
    await Promise.all(
      mistakes.map(async (flags) => {
        const command = spawnReceiver(...flags);
        expect(await command.exited).toBe(2);
        expect(await new Response(command.stderr).text()).toContain("--port PORT");
      }),
    );
    const help = spawnReceiver("--help");
    expect(await new Response(help.stdout).text()).toContain("--delay SECONDS");
    expect(await help.exited).toBe(0);
  });

  test("keeps the newest change of each record and drops older ones", async () => {
    await using receiver = await startReceiver("--secret", "s");
    const told = async (id: string, sequence: string, records: object[], secret = "s") => {
      const Data = records.length === 1 ? records[0] : records;
      expect(await receiver.post({ ...event(id), Data }, { secret, sequence })).toBe(200);
      const line = new RegExp(`event ${id}  .*\n`);
      return line
        .exec(await receiver.printedUntil(line))![0]
        .trim()
        .split("  ")
        .slice(4);
    };
    const [one, two] = [{ Id: "1" }, { Id: "2" }];
    const dropped = "dropped: not newer than an earlier one";
    expect(await told("e-1", "2", [one])).toEqual(["sequence 2, kept"]);
    expect(await told("e-2", "1", [one])).toEqual([`sequence 1, ${dropped}`]);
    expect(await told("e-3", "2", [one])).toEqual([`sequence 2, ${dropped}`]);
    expect(await told("e-4", "3,1", [one, two])).toEqual(["sequence 3,1, kept"]);
    expect(await told("e-5", "3,2", [one, two])).toEqual(["sequence 3,2, 1 of 2 kept"]);
    // Invented values have no effect.
    expect(await told("e-6", "9", [one], "guess")).toEqual([]);
    expect(await told("e-7", "4", [one])).toEqual(["sequence 4, kept"]);
    expect(await told("e-8", "not a number", [one])).toEqual([`sequence not a number, ${dropped}`]);
  });

  test("accepts a rejected change when it is resent", async () => {
    await using receiver = await startReceiver("--fail", "1");
    for (const status of [500, 200]) expect(await receiver.post(event("e-1"), { sequence: "1" })).toBe(status);
    expect(await receiver.printedUntil(/attempt 2 .*\n/)).toContain("answered 200  not signed  sequence 1, kept");
  });

  test("drops an older change that is redelivered after a newer one", async () => {
    await using receiver = await startReceiverIn(setting("GATEHOUSE_TEST_DATA_DIR"), "--secret", "s");
    const api = await newTenant();
    await api.connect(receiver.url, { Secret: "s" });
    const created = await api.settledChange({ Name: "Gate" });
    await api.settledChange({ Name: "Gate", Description: "newer" });
    expect((await api.redeliver(created.EventId)).status).toBe(200);
    const printed = await receiver.printedUntil(/attempt 2 .*\n/);
    const verdicts = [...printed.matchAll(/(\w+) Application \d+ .* answered 200 {2}signature valid {2}(.*)/g)];
    expect(verdicts.map(([, type, verdict]) => `${type} ${verdict}`)).toEqual([
      "Created sequence 1, kept",
      "Updated sequence 2, kept",
      "Created sequence 1, dropped: not newer than an earlier one",
    ]);
  });

  test("prints nothing from a call that a terminal would execute", async () => {
    await using receiver = await startReceiver();
    await receiver.post({ EventId: "e\u001b[2J-1\n9", EventType: "\u0007Created\u202e" });
    expect(await receiver.printedUntil(/not signed\n.*\n/)).toContain(
      "Created no EventRecord  event e[2J-1 9  attempt 1",
    );
  });
});

describe("the receiver's certificate", () => {
  test("is kept for the next start, with the key readable by its owner only", async () => {
    const first = await ensureReceiverCertificate(dataDir);
    const before = await readFile(first.certFile, "utf8");
    const again = await ensureReceiverCertificate(dataDir);
    expect(await readFile(again.certFile, "utf8")).toBe(before);
    expect((await stat(again.keyFile)).mode & 0o777).toBe(0o600);
  });

  test("is recreated if it is inconsistent, also by two processes at once", async () => {
    const folder = join(dataDir, "broken");
    const { caFile } = await ensureReceiverCertificate(folder);
    await writeFile(caFile, await readFile((await ensureReceiverCertificate(dataDir)).caFile));
    await Promise.all([ensureReceiverCertificate(folder), ensureReceiverCertificate(folder)]);
    const [ca, cert] = await Promise.all(
      ["ca.pem", "cert.pem"].map((name) => readFile(join(folder, "receiver", name))),
    );
    const openssl = Bun.spawn(["openssl", "verify", "-CAfile", caFile, join(folder, "receiver", "cert.pem")]);
    expect(await openssl.exited).toBe(0);
    expect(ca).not.toEqual(cert);
  });
});
