// Runs the receiver of docs/for-receivers.md with calls of Gatehouse.

import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nextFreePort } from "../../server/appliance/embedded/ports.ts";
import { generateSecret } from "../../server/webhooks/signature.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blockMarked } from "../support/pages.ts";
import { until } from "../world/api.ts";
import { type Call, startReceiver } from "../world/receiver.ts";
import { newTenant } from "../world/tenant.ts";

test("the receiver processes each change once, rejects older and unsigned ones, and remembers them after a restart", async () => {
  const secret = generateSecret();
  const { application, calls, ping } = await threeChanges(secret);
  const [created, updated, last] = calls as [Call, Call, Call];
  const folder = temporaryDirectory("receiver");
  await writeFile(join(folder, "verify.py"), blockMarked("verify: python").text);
  await writeFile(join(folder, "receiver.py"), blockMarked("receiver: Python").text);
  const printed: string[] = [];
  const workedOff = async (count: number) => {
    await until("the work to be done", () => printed.join("").split("\n").length > count);
    const lines = printed.join("").trimEnd().split("\n");
    expect(lines).toEqual(Array(count).fill(`Updated Application ${application} Payroll`));
  };
  {
    await using receiver = await run(folder, secret, printed);
    expect(await receiver.post(updated)).toBe(204);
    await workedOff(1);
    expect(await receiver.post(updated)).toBe(204);
    expect(await receiver.post(created)).toBe(204);
    expect(await receiver.post(ping)).toBe(204);
    expect(await receiver.post({ ...last, bytes: Buffer.concat([last.bytes, Buffer.from(" ")]) })).toBe(401);
  }
  await using receiver = await run(folder, secret, printed);
  for (const call of [created, updated, last]) expect(await receiver.post(call)).toBe(204);
  await workedOff(2);
});

async function threeChanges(secret: string): Promise<{ application: unknown; calls: Call[]; ping: Call }> {
  await using receiver = startReceiver(200);
  const api = await newTenant();
  const { Id } = await api.connect(receiver.url, { Secret: secret });
  const application = (await api.change({ Name: "Payroll" })).Id;
  await api.settledEvent();
  for (const Description of ["Pays people", "Pays people on time"]) {
    await api.settledChange({ Name: "Payroll", Description });
  }
  await api.settled(await api.ping(Id));
  return { application, calls: receiver.calls.slice(0, 3), ping: receiver.calls[3]! };
}

/** @param printed receives the output */
async function run(folder: string, secret: string, printed: string[]) {
  const port = await nextFreePort(0, "127.0.0.1", new Set());
  const env = { ...process.env, PORT: String(port), SECRET: secret };
  const child = Bun.spawn(["python3", "receiver.py"], { cwd: folder, env, stdout: "pipe", stderr: "ignore" });
  const reading = (async () => {
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) printed.push(part);
  })();
  const post = async ({ bytes, headers }: Pick<Call, "bytes" | "headers">) => {
    const kept = [...headers].filter(([name]) => /^(webhook-|content-type|x-signature)/.test(name));
    const answer = await fetch(`http://127.0.0.1:${port}/hook`, {
      method: "POST",
      body: new Uint8Array(bytes),
      headers: kept,
    });
    return answer.status;
  };
  await until("the receiver to listen", () => fetch(`http://127.0.0.1:${port}`).catch(() => undefined));
  return {
    post,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      await reading;
    },
  };
}
