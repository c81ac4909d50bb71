// Packages of other languages, for programs of the documents and of examples/clients. The packages listed there are
// installed once per machine.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cachedFolder, markOf } from "./cache.ts";
import { ROOT } from "./pages.ts";

const LISTS = join(ROOT, "examples/clients");

const installed = new Map<string, Promise<string>>();

/** @returns the folder for PYTHONPATH */
export function pythonPackages(): Promise<string> {
  const options = ["--quiet", "--disable-pip-version-check", "--retries", "10", "--no-compile"];
  return once("python", "requirements.txt", ["python3", "--version"], (list, folder) => [
    ...["python3", "-m", "pip", "install", ...options, "--target", folder, "-r", list],
  ]);
}

/** @returns the class path */
export async function javaPackages(): Promise<string> {
  const folder = await once("java", "pom.xml", ["mvn", "--version"], (list, folder) => [
    ...["mvn", "--quiet", "--batch-mode", "--file", list, "dependency:copy-dependencies"],
    ...["-DincludeScope=runtime", `-DoutputDirectory=${folder}`],
  ]);
  return join(folder, "*");
}

/** @returns the folder that has node_modules */
export function frameworkPackages(): Promise<string> {
  return once("frameworks", "package.json", [process.execPath, "--version"], (list, folder) => [
    ...["sh", "-c", 'cp "$0" "$1" && cd "$1" && "$2" install --silent', list, folder, process.execPath],
  ]);
}

/** Reinstalled when the list or the tool changes. @param list the packages; a file of examples/clients */
function once(
  name: string,
  list: string,
  version: string[],
  command: (list: string, folder: string) => string[],
): Promise<string> {
  const install = async () => {
    const path = join(LISTS, list);
    const mark = markOf(readFileSync(path), await printedBy(version));
    return cachedFolder(`${name}-${mark}`, (folder) => printedBy(command(path, folder)));
  };
  const known = installed.get(name) ?? install();
  installed.set(name, known);
  return known;
}

/** @throws Error unless it succeeds */
export async function printedBy(
  command: string[],
  cwd?: string,
  { input = "", env = {} }: { input?: string; env?: Record<string, string> | undefined } = {},
): Promise<string> {
  const child = Bun.spawn(command, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, problems] = await Promise.all([child.stdout, child.stderr].map((pipe) => new Response(pipe).text()));
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${problems || out}`);
  return out!;
}
