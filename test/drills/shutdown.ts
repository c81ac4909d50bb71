// APIs stop while arrays of 1,000 records are written, each replaced by a new one; another tenant's changes are
// measured at the remaining API.

import { type Drill, describeStatuses, percentile, startLoad } from "../support/drill.ts";
import { type StartedProcess, startProcess } from "../support/process.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { signIn } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";

const ROUNDS = 6;
const RECORDS = 1_000;
const WRITERS = 2;

export const shutdown: Drill = {
  what: "an API of two is told to stop under arrays of 1,000 records, again and again",
  async run(say) {
    await using stack = await startStack();
    const [writer, neighbour] = [await newTenant(stack), await newTenant(stack)];
    const quiet = startLoad(neighbour, 1);
    await Bun.sleep(5_000);
    await quiet.end();
    const load = startLoad(neighbour, 1);
    const statuses: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      await using api = await startApi(stack);
      const bulk = await signIn(api.url, writer.tenant);
      const writing = Array.from({ length: WRITERS }, (_, number) =>
        bulk.call("PATCH", "/Application", arrayOf(round, number)).then(
          ({ status }) => status,
          () => 0,
        ),
      );
      // At a random time during their writing.
      await Bun.sleep((round * 1_500) / ROUNDS);
      api.signal("SIGTERM");
      statuses.push(...(await Promise.all(writing)));
      say(`round ${round}: ${statuses.slice(-WRITERS).join(", ")}; exit ${await api.exited}`);
    }
    await load.end();
    const lost = statuses.filter((status) => status !== 200).length;
    const summary = `${statuses.length - lost} of ${statuses.length} arrays were answered 200; another tenant: `;
    const [without, beside] = [quiet, load].map(({ milliseconds }) => `p99 ${percentile(milliseconds, 0.99)} ms`);
    const passed = lost === 0 && [...load.statuses.keys()].every((status) => status === 200);
    return { passed, summary: `${summary}${describeStatuses(load)}, ${without} without, ${beside} beside` };
  },
};

async function startApi(stack: Stack): Promise<StartedProcess & { url: string }> {
  const { databaseUrl: DATABASE_URL, masterKey: MASTER_KEY, publicUrl: PUBLIC_URL } = stack;
  const api = startProcess("server/serve.ts", { DATABASE_URL, MASTER_KEY, PUBLIC_URL, PORT: "0" });
  const { port } = await api.said((message) => message === "api ready");
  return Object.assign(api, { url: `http://127.0.0.1:${port}` });
}

function arrayOf(round: number, writer: number): object[] {
  return Array.from({ length: RECORDS }, (_, index) => ({
    Name: `writer ${writer}, record ${index}`,
    Description: `${round}`,
  }));
}
