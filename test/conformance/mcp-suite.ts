// The conformance suite of the Model Context Protocol, installed once per machine and run by Bun.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cachedFolder, markOf } from "../support/cache.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { printedBy } from "../support/packages.ts";

const PACKAGE = "@modelcontextprotocol/conformance";
const VERSION = "0.2.0-alpha.12";

export interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

async function installed(): Promise<string> {
  const list = JSON.stringify({ private: true, dependencies: { [PACKAGE]: VERSION } });
  const folder = await cachedFolder(`mcp-conformance-${markOf(list)}`, async (made) => {
    await Bun.write(join(made, "package.json"), list);
    await printedBy([process.execPath, "install", "--ignore-scripts", "--no-save", "--silent"], made);
  });
  return join(folder, "node_modules", PACKAGE, "dist/index.js");
}

/** The names of its scenarios for authorization servers. */
export async function scenarios(): Promise<string[]> {
  const printed = await printedBy([process.execPath, await installed(), "list", "--authorization"]);
  return [...printed.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name!);
}

export interface SuiteOptions {
  issuer: string;
  clientId: string;
  /** Of its callback, http://127.0.0.1:PORT/callback. */
  port: number;
  resource: string;
}

/**
 * Runs all scenarios for authorization servers. @param authorize opens the address in a browser, up to the callback
 * @returns the checks of each scenario
 */
export async function runSuite(
  { issuer, clientId, port, resource }: SuiteOptions,
  authorize: (address: URL) => Promise<void>,
): Promise<Map<string, Check[]>> {
  const folder = temporaryDirectory("mcp-conformance");
  const options = ["--url", issuer, "--client-id", clientId, "--port", String(port), "--resource", resource];
  const command = [process.execPath, await installed(), "authorization", ...options, "--output-dir", folder];
  const suite = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  let printed = "";
  let asked: Promise<void> | undefined;
  for await (const text of suite.stdout.pipeThrough(new TextDecoderStream())) {
    printed += text;
    const [address] = /^http\S+(?=\n)/m.exec(printed) ?? [];
    if (address) asked ??= authorize(new URL(address));
  }
  await asked;
  await suite.exited;
  const results = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith("checks.json"),
  );
  if (results.length === 0) throw new Error(printed);
  const checksIn = (path: string): Check[] => JSON.parse(readFileSync(join(folder, path), "utf8"));
  return new Map(
    results.map((path) => [path.replace(/^authorization-server-(.+)-\d{4}-\d\d-\d\dT.*$/, "$1"), checksIn(path)]),
  );
}
