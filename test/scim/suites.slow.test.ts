// scim2-cli and scim-sanity, compliance checkers, against the running Gatehouse. They are installed from PyPI once per
// machine.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { cachedFolder, markOf } from "../support/cache.ts";
import { printedBy } from "../support/packages.ts";
import { newTenant } from "../world/tenant.ts";

const SCIM2 = "0.6.0";
const SANITY = "0.7.4";
const PATIENCE_MS = 5 * 60_000;
/** `active` is true or false, so a removed one is false. */
const ALWAYS_THERE = "PATCH modify() did not remove attribute 'active'";
/** It adds a member that does not exist. An answer of 200 would say that it is a member. */
const UNKNOWN_MEMBER = { name: "PATCH /Groups/{id} add member", message: "Expected 200, got 400" };
const LISTED = /^(SUCCESS|COMPLIANT|ACCEPTABLE|DEVIATION|ERROR|CRITICAL|SKIPPED) /;

/** @returns the folder for PYTHONPATH */
async function installed(name: string, version: string): Promise<string> {
  const options = ["--quiet", "--disable-pip-version-check", "--retries", "10"];
  const mark = markOf(version, await printedBy(["python3", "--version"]));
  return cachedFolder(`${name}-${mark}`, (folder) =>
    printedBy(["python3", "-m", "pip", "install", ...options, "--target", folder, `${name}==${version}`]),
  );
}

test(
  "scim2-cli finds no error",
  async () => {
    const api = await newTenant();
    const folder = await installed("scim2-cli", SCIM2);
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

test(
  "scim-sanity finds no failure",
  async () => {
    const api = await newTenant();
    const folder = await installed("scim-sanity", SANITY);
    const probe = ["probe", `${api.url}/scim/v2`, "--token", `${api.clientId}.${api.clientSecret}`];
    const options = ["--i-accept-side-effects", "--json-output"];
    const command = Bun.spawn(["python3", join(folder, "bin/scim-sanity"), ...probe, ...options], {
      env: { ...process.env, PYTHONPATH: folder },
      stderr: "inherit",
    });
    const { results } = JSON.parse(await new Response(command.stdout).text());
    expect(results.length).toBeGreaterThan(20);
    const wrong = results.filter(({ status }: { status: string }) => !["pass", "skip"].includes(status));
    expect(wrong).toEqual([expect.objectContaining(UNKNOWN_MEMBER)]);
  },
  PATIENCE_MS,
);
