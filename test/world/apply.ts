// A tenant of its own, files for it, and runs of `bun run apply`.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runApply } from "../../server/appliance/apply/command.ts";
import { kindsOf } from "../../server/appliance/apply/kinds.ts";
import { SETTINGS } from "../../server/identity/settings.ts";
import { ENTITIES } from "../../server/records/entities/registry.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blockMarked } from "../support/pages.ts";
import type { Api } from "./api.ts";
import { newTenant, shared } from "./tenant.ts";

export const KINDS = kindsOf(ENTITIES, SETTINGS);

export const SECRETS = {
  EXAMPLE_ID_SECRET: "provider-Zx81kQ",
  HOOK_AUTHORIZATION: "Bearer header-Zx82kQ",
  HOOK_KEY: "key-Zx84kQ",
  HOOK_FILE: "file-Zx83kQ",
};

export interface Run {
  code: number;
  out: string;
  err: string;
}

interface More {
  ask?: (question: string) => string | Promise<string>;
  [variable: string]: unknown;
}

export interface Applier {
  api: Api;
  file: string;
  /** In this process. @param more variables, and the answer to a question */
  apply(text: string, options?: string[], more?: More): Promise<Run>;
  exported(...kinds: string[]): Promise<Run>;
}

export interface ApplyTenant extends Applier {
  /** The example of docs/apply.md for this tenant; an audience is unique in the installation. */
  example: string;
}

export async function newApplyTenant(): Promise<ApplyTenant> {
  const name = `tenant ${Bun.randomUUIDv7()}`;
  const api = await newTenant(shared(), name);
  const applier = applierOf(api);
  write(join(dirname(applier.file), "secrets/payroll-hook"), `${SECRETS.HOOK_FILE}\n`);
  const example = blockMarked("run: apply")
    .text.replace("Tenant: acme", `Tenant: ${name}`)
    .replaceAll("https://orders.example.com", `https://${crypto.randomUUID()}.example.com`);
  return { ...applier, example };
}

export function applierOf(api: Api): Applier {
  const file = join(temporaryDirectory("apply"), "acme.yaml");
  const run = async (args: string[], { ask, ...env }: More = {}): Promise<Run> => {
    const [out, err]: string[][] = [[], []];
    const client = { GATEHOUSE_CLIENT_ID: api.clientId, GATEHOUSE_CLIENT_SECRET: api.clientSecret };
    const code = await runApply(args, KINDS, {
      env: { GATEHOUSE_URL: api.url, ...client, ...SECRETS, ...env } as NodeJS.ProcessEnv,
      say: (text) => void out!.push(text),
      fail: (text) => void err!.push(text),
      ask,
    });
    return { code, out: out!.join("\n"), err: err!.join("\n") };
  };
  return {
    api,
    file,
    apply(text, options = ["--yes"], more = {}) {
      write(file, text);
      return run([file, ...options], more);
    },
    exported: (...kinds) => run(["--export", ...kinds]),
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
