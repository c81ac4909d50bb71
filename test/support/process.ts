// A process of Gatehouse, started as by an operator, and its log.

import { join } from "node:path";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import { until } from "../world/api.ts";
import { logLines } from "./log-lines.ts";
import { type Stack, withoutSettings } from "./stack.ts";
import { saw } from "./until.ts";

/** Lines of the log in the message of a wait in vain. */
const SHOWN = 8;

export interface StartedProcess extends AsyncDisposable {
  pid: number;
  /** Null while it runs. */
  readonly exitCode: number | null;
  exited: Promise<number>;
  lines: Record<string, unknown>[];
  /** Waits for the first line of its log with a matching message. */
  said(fits: (message: string) => boolean): Promise<Record<string, unknown>>;
  signal(signal: NodeJS.Signals): void;
}

/** @param entry relative to the project's folder, such as `server/serve.ts` @param options of Bun itself */
export function startProcess(entry: string, env: Record<string, string>, options: string[] = []): StartedProcess {
  const child = Bun.spawn([process.execPath, ...options, join(PROJECT_ROOT, entry)], {
    env: { ...withoutSettings(process.env), HOST: "127.0.0.1", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  return followed(child);
}

export function followed(
  child: Bun.Subprocess<"ignore", "pipe", "inherit">,
  signal = (name: NodeJS.Signals) => child.kill(name),
): StartedProcess {
  const lines = logLines(child.stdout);
  return {
    pid: child.pid,
    get exitCode() {
      return child.exitCode;
    },
    exited: child.exited,
    lines,
    said: (fits) =>
      until("a line of the log", () => {
        saw("lines of the log", () =>
          lines
            .slice(-SHOWN)
            .map(({ msg }) => `"${msg}"`)
            .join(", "),
        );
        return lines.find(({ msg }) => fits(String(msg)));
      }),
    signal,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) signal("SIGTERM");
      await child.exited;
    },
  };
}

/** The settings of an additional process beside a stack. */
export function besides({
  databaseUrl,
  masterKey,
  temporalAddress,
  dataDir,
  mailServer,
}: Stack): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    MASTER_KEY: masterKey,
    TEMPORAL_ADDRESS: temporalAddress,
    EGRESS_ALLOW: "127.0.0.0/8,::1/128",
    EGRESS_CA_FILE: join(process.env.GATEHOUSE_TEST_DATA_DIR ?? dataDir, "receiver", "ca.pem"),
    RATE_LIMIT: "100000",
    RATE_LIMIT_BURST: "100000",
    SMTP_URL: mailServer.smtpUrl,
    MAIL_FROM: "noreply@gatehouse.test",
    MAIL_RATE: "1000",
  };
}
