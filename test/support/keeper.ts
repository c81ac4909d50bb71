// `bun run test --keep` starts this process, which keeps a Gatehouse between runs. SIGHUP restarts its API and worker
// with the code of now. It ends at SIGTERM, or after half an hour without a run.

import { rmSync, statSync } from "node:fs";
import { newDataDirectory, prepareDataDirectories } from "./directories.ts";
import { addressesFile, addressesOf, setupMark, sourcesMark, writeAddresses } from "./kept-stack.ts";
import { prepareAsOthersDo } from "./postgresql.ts";
import { startStack } from "./stack.ts";

const IDLE_MS = 30 * 60_000;
const CHECK_MS = 10_000;

const folder = process.argv[2]!;
process.env.GATEHOUSE_TEST_ROOT = folder;
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());

const setup = setupMark();
let sources = sourcesMark();
await prepareDataDirectories(stopping.signal);
const stack = await startStack({ dataDir: newDataDirectory("shared"), signal: stopping.signal });
await prepareAsOthersDo(stack.databaseUrl);
const write = () => writeAddresses(folder, { pid: process.pid, sources, setup, env: addressesOf(stack) });
write();

let restarting = Promise.resolve();
process.on("SIGHUP", () => {
  restarting = restarting.then(async () => {
    sources = sourcesMark();
    const { worker, api } = stack.parts;
    await Promise.all(
      [worker, api].map(async (part) => {
        await part.stop();
        await part.start();
      }),
    );
    while ((await stack.readiness()).worker !== "up") await Bun.sleep(50);
    write();
  });
});
// Each run touches the file.
setInterval(() => {
  const file = statSync(addressesFile(folder), { throwIfNoEntry: false });
  if (!file || Date.now() - file.mtimeMs > IDLE_MS) stopping.abort();
}, CHECK_MS);

await new Promise((ended) => stopping.signal.addEventListener("abort", ended));
await restarting;
await stack.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
