import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../world/api.ts";
import { isGone, type PartProcess, partsOf, readiness, StartCommand } from "./start-command.ts";

test("a killed part is named, reported missing by /readyz, and restarted", async () => {
  await using start = new StartCommand();
  const url = await start.ready();

  // A hanging worker keeps its connections, but its failure is detected.
  const hanging = (await part(start, "worker")) as PartProcess;
  process.kill(hanging.pid, "SIGSTOP");
  await until("/readyz to miss the worker", async () => (await readiness(url)).body.worker === "down");
  expect(await readiness(url)).toMatchObject({ code: 200, body: { status: "degraded", postgresql: "up" } });
  process.kill(hanging.pid, "SIGCONT");
  await until("/readyz to have the worker again", async () => (await readiness(url)).body.status === "ready");
  expect((await part(start, "worker"))?.pid).toBe(hanging.pid);

  for (const name of ["worker", "Temporal", "PostgreSQL"] as const) {
    const field = name.toLowerCase() as "worker" | "temporal" | "postgresql";
    const killed = (await part(start, name)) as PartProcess;
    const from = start.output.length;
    process.kill(killed.pid, "SIGKILL");
    await start.prints(`${name} stopped (SIGKILL); restarting it in 1 s`, from);

    await until(`/readyz to miss ${name}`, async () => (await readiness(url)).body[field] === "down");
    const { code } = await readiness(url);
    if ((await readiness(url)).body[field] === "down") expect(code).toBe(name === "PostgreSQL" ? 503 : 200);

    await start.prints(`${name} is back`, from);
    await until(`/readyz to have ${name} again`, async () => (await readiness(url)).body[field] === "up");
    const back = (await part(start, name)) as PartProcess;
    expect(back.pid).not.toBe(killed.pid);
  }

  const api = (await part(start, "API")) as PartProcess;
  process.kill(api.pid, "SIGKILL");
  await start.prints("API stopped (SIGKILL); restarting it in 1 s");
  await start.prints("API is back");
  const { code, body } = await readiness(url);
  expect(code).toBe(200);
  expect(body).toMatchObject({ postgresql: "up", temporal: "up", worker: "up" });
});

test("after a kill of `start`, the next one takes over its processes", async () => {
  await using killed = new StartCommand();
  await killed.ready();
  const left = await partsOf(killed.dataDir, killed.pid);
  killed.signal("SIGKILL");
  await killed.ended();
  await until("the worker and the API to leave by themselves", async () =>
    (await Promise.all([left.worker!, left.API!].map(isGone))).every(Boolean),
  );

  await using next = new StartCommand(killed.dataDir);
  await next.ready();
  expect(next.output).toContain(
    `stopping the PostgreSQL an earlier start left running (process ${left.PostgreSQL!.pid})`,
  );
  expect(next.output).toContain(
    `stopping the Temporal server an earlier start left running (process ${left.Temporal!.pid})`,
  );
  for (const name of ["PostgreSQL", "Temporal"]) expect(await isGone(left[name]!)).toBe(true);
});

test("when `bun run start` is killed by its parent, everything stops", async () => {
  await using start = new StartCommand(undefined, {}, [], ["run", "start"]);
  await start.ready();
  const supervisor = Number(readFileSync(join(start.dataDir, "start.pid"), "utf8"));
  const parts = Object.values(await partsOf(start.dataDir, supervisor)).map((left) => left!);
  start.signal("SIGKILL");
  await until("every part to be gone", async () => (await Promise.all(parts.map(isGone))).every(Boolean));
});

async function part(start: StartCommand, name: string): Promise<PartProcess | undefined> {
  return (await partsOf(start.dataDir, start.pid))[name];
}
