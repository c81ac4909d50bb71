// scim2-cli, a compliance checker, against the running Gatehouse. It is installed from PyPI once per machine.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { cachedFolder, markOf } from "../support/cache.ts";
import { printedBy } from "../support/packages.ts";
import { newTenant } from "../world/tenant.ts";

const VERSION = "0.6.0";
const PATIENCE_MS = 5 * 60_000;
/** `active` is true or false, so a removed one is false. */
const ALWAYS_THERE = "PATCH modify() did not remove attribute 'active'";
const LISTED = /^(SUCCESS|COMPLIANT|ACCEPTABLE|DEVIATION|ERROR|CRITICAL|SKIPPED) /;

/** @returns the folder for PYTHONPATH */
async function scim2(): Promise<string> {
  const options = ["--quiet", "--disable-pip-version-check", "--retries", "10"];
  const mark = markOf(VERSION, await printedBy(["python3", "--version"]));
  return cachedFolder(`scim2-${mark}`, (folder) =>
    printedBy(["python3", "-m", "pip", "install", ...options, "--target", folder, `scim2-cli==${VERSION}`]),
  );
}

test(
  "scim2-cli finds no error",
  async () => {
    const api = await newTenant();
    const folder = await scim2();
    const command = Bun.spawn(
      ["python3", join(folder, "bin/scim2"), "--url", `${api.url}/scim/v2`, "test", "--verbose"],
      {
        env: {
          ...process.env,
          PYTHONPATH: folder,
          SCIM_CLI_HEADERS: `Authorization: Bearer ${api.clientId}.${api.clientSecret}`,
          NO_COLOR: "1",
        },
        stderr: "pipe",
      },
    );
    const [out, errors] = await Promise.all([new Response(command.stdout).text(), new Response(command.stderr).text()]);
    await command.exited;
    const lines = out.split("\n");
    const results = lines.flatMap((line, at) => (LISTED.test(line) ? [lines.slice(at, at + 6).join(" ")] : []));
    expect({ errors, checks: results.length > 50 }).toEqual({ errors: "", checks: true });
    const wrong = results.filter((line) => /^(ERROR|CRITICAL|DEVIATION)/.test(line));
    expect(wrong.filter((line) => !line.includes(ALWAYS_THERE))).toEqual([]);
  },
  PATIENCE_MS,
);
