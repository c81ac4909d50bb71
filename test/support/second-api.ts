// A second API process beside the shared one, on the same database, started like `bun run server`.

import { join } from "node:path";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { type Answer, API, requestAt, until } from "../world/api.ts";
import { setting, shared } from "../world/tenant.ts";
import { logLines } from "./log-lines.ts";
import { withoutSettings } from "./stack.ts";

export interface SecondApi extends AsyncDisposable {
  pid: number;
  url: string;
  /** The lines it has logged so far. */
  log(): Record<string, unknown>[];
  get(path: string, token: string, headers?: Record<string, string>): Promise<Answer>;
}

/** @param env replaces settings of the shared one @param options of Bun itself */
export async function startSecondApi(env: Record<string, string> = {}, options: string[] = []): Promise<SecondApi> {
  const { databaseUrl, url } = shared();
  const child = Bun.spawn([process.execPath, ...options, join(PROJECT_ROOT, "server/serve.ts")], {
    env: {
      ...withoutSettings(process.env),
      DATABASE_URL: databaseUrl,
      MASTER_KEY: setting("GATEHOUSE_TEST_MASTER_KEY"),
      // The issuer of the tokens.
      PUBLIC_URL: `http://localhost:${new URL(url).port}`,
      PORT: "0",
      ...env,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = logLines(child.stdout);
  const ready = await until("the second API", () => lines.find((line) => line.msg === "api ready"));
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${ready.port}`,
    log: () => [...lines],
    get: (path, token, headers = {}) =>
      requestAt(`http://127.0.0.1:${ready.port}`, "GET", API + path, {
        headers: { authorization: `Bearer ${token}`, ...headers },
      }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}
