// Builds the `temporal` program with Go, from the pinned module in temporal-cli/.

import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PROJECT_ROOT } from "../config.ts";
import { endWith } from "./processes.ts";
import type { Search } from "./temporal-binary.ts";

const PACKAGE = "github.com/temporalio/cli/cmd/temporal";
const MODULE = join(PROJECT_ROOT, "temporal-cli");
const PROGRESS_INTERVAL = 5_000;

/** @throws Error in one line, saying what Go said last */
export async function buildTemporal(target: string, version: string, search: Search): Promise<void> {
  const go = Bun.which("go", { PATH: search.env.PATH ?? "" });
  if (!go) throw new Error("there is no `go` on PATH");
  const started = Date.now();
  const elapsed = () => `${Math.round((Date.now() - started) / 1_000)} s`;

  const fetched = await run([go, "list", "-deps", PACKAGE], search, (count) =>
    search.say(`  building the Temporal server: ${count} modules fetched, ${elapsed()}`),
  );
  const total = fetched.split("\n").length;
  search.say(`  building the Temporal server: ${total} packages, minutes on a small machine, once only`);

  const draft = `${target}.${process.pid}`;
  const flags = ["-trimpath", "-ldflags", `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${version}`];
  try {
    await run([go, "build", "-v", ...flags, "-o", draft, PACKAGE], search, (count) =>
      search.say(`  building the Temporal server: ${count} of at most ${total} packages, ${elapsed()}`),
    );
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
  search.say(`  the Temporal server is built (${elapsed()}) and kept in ${target}`);
}

/** Runs Go, which writes a line to stderr for each module it fetches and each package it compiles. */
async function run(command: string[], search: Search, progress: (count: number) => void): Promise<string> {
  const child = Bun.spawn(command, {
    cwd: MODULE,
    env: { ...search.env, CGO_ENABLED: "0" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    // Go's compilers are its children: a group of its own lets all of them be ended.
    detached: true,
  });
  const letGo = endWith(search.signal, child);
  let count = 0;
  let last = "";
  const timer = setInterval(() => progress(count), PROGRESS_INTERVAL);
  try {
    const readErrors = async () => {
      let rest = "";
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        count += lines.length;
        last = lines.at(-1) ?? last;
      }
    };
    const [output] = await Promise.all([new Response(child.stdout).text(), readErrors()]);
    const code = await child.exited;
    search.signal.throwIfAborted();
    if (code !== 0) throw new Error(last || `go ended with exit code ${code}`);
    return output.trim();
  } finally {
    clearInterval(timer);
    letGo();
  }
}
