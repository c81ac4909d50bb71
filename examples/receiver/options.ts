// The receiver's command line.

import { parseArgs } from "node:util";

export interface Options {
  port: number;
  secrets: string[];
  /** How many calls of each event are answered 500 before the first 200. */
  fail: number;
  /** The one answer to every call, if given. */
  status: number | undefined;
  hangSeconds: number;
  help: boolean;
}

export const HELP = `A local HTTPS receiver for Gatehouse's webhooks.

  bun run receiver [flags]

  --port PORT      listen on this port of localhost (8443)
  --secret SECRET  verify X-Signature with this secret; may be given several times (or set WEBHOOK_SECRET)
  --fail N         answer the first N calls of each event with 500, then 200
  --status CODE    always answer with this status
  --hang SECONDS   wait before answering
  --help           show this

It keeps its certificate in DATA_DIR (.gatehouse), in the folder receiver.`;

/** @throws Error whose message names the flag and what would be right. */
export function readOptions(args: string[], env: Record<string, string | undefined>): Options {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      secret: { type: "string", multiple: true },
      fail: { type: "string" },
      status: { type: "string" },
      hang: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const secrets = values.secret ?? (env.WEBHOOK_SECRET ? [env.WEBHOOK_SECRET] : []);
  if (secrets.includes("")) throw new Error("--secret must not be empty");
  return {
    port: whole("--port", values.port, 0, 65_535) ?? 8443,
    secrets,
    fail: whole("--fail", values.fail, 0, 1_000_000) ?? 0,
    status: whole("--status", values.status, 200, 599),
    hangSeconds: seconds(values.hang),
    help: values.help ?? false,
  };
}

function whole(flag: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) {
    throw new Error(`${flag} is "${text}"; it must be a whole number from ${least} to ${most}`);
  }
  return value;
}

function seconds(text: string | undefined): number {
  if (text === undefined) return 0;
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 3600)) throw new Error(`--hang is "${text}"; it must be seconds from 0 to 3600, such as 30 or 0.5`);
  return value;
}
