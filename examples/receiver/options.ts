// The receiver's command line.

import { parseArgs } from "node:util";

export interface Options {
  port: number;
  secrets: string[];
  /** Answers 500 to the first calls of each event, or to a share of all calls. */
  fail: { first: number } | { share: number };
  /** A fixed answer to every call. */
  status: number | undefined;
  delaySeconds: number;
  hang: boolean;
  help: boolean;
}

export const HELP = `A local HTTPS receiver for Gatehouse's webhooks.

  bun run receiver [flags]

  --port PORT      listen on this port of localhost (8443)
  --secret SECRET  verify X-Signature with this secret; repeatable (or set WEBHOOK_SECRET)
  --fail N         answer the first N calls of each event with 500, then 200
  --fail P%        answer this random share of all calls with 500
  --status CODE    always answer with this status
  --delay SECONDS  wait before answering
  --hang           never answer
  --help           show this

It keeps its certificate in DATA_DIR (.gatehouse), in the folder receiver.`;

/** @throws Error naming the flag and its valid values */
export function readOptions(args: string[], env: Record<string, string | undefined>): Options {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: "string" },
      secret: { type: "string", multiple: true },
      fail: { type: "string" },
      status: { type: "string" },
      delay: { type: "string" },
      hang: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  const secrets = values.secret ?? (env.WEBHOOK_SECRET ? [env.WEBHOOK_SECRET] : []);
  if (secrets.includes("")) throw new Error("--secret must not be empty");
  return {
    port: whole("--port", values.port, 0, 65_535) ?? 8443,
    secrets,
    fail: failures(values.fail),
    status: whole("--status", values.status, 200, 599),
    delaySeconds: seconds(values.delay),
    hang: values.hang ?? false,
    help: values.help ?? false,
  };
}

function failures(text = "0"): Options["fail"] {
  const percent = /^(\d{1,3})%$/.exec(text)?.[1];
  if (percent && Number(percent) <= 100) return { share: Number(percent) / 100 };
  if (/^\d{1,6}$/.test(text)) return { first: Number(text) };
  throw new Error(`--fail is "${text}"; it must be a number of calls from 0 to 999999, or a share from 0% to 100%`);
}

function whole(flag: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new Error(`${flag} is "${text}"; it must be a whole number from ${min} to ${max}`);
  }
  return value;
}

function seconds(text: string | undefined): number {
  if (text === undefined) return 0;
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= 3600)) throw new Error(`--delay is "${text}"; it must be seconds from 0 to 3600, such as 30 or 0.5`);
  return value;
}
