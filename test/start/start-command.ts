// `start` as a command: a process, its output, and its remaining processes.

import { join } from "node:path";
import { commandLine } from "../../server/appliance/embedded/processes.ts";
import { PROJECT_ROOT } from "../../server/platform/config/config.ts";
import type { Readiness } from "../../server/platform/http/health.ts";
import { newDataDirectory } from "../support/directories.ts";
import { withoutSettings } from "../support/stack.ts";
import { expectRestarts, saw, until } from "../support/until.ts";

const POLL = 50;
/** A start waits for its parts, beside other tests. */
const PATIENCE_MS = 90_000;
/** Characters of the output in the message of a wait in vain. */
const SHOWN_LENGTH = 800;

export class StartCommand implements AsyncDisposable {
  output = "";
  private readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">;

  constructor(
    readonly dataDir: string = newDataDirectory("start"),
    env: Record<string, string | undefined> = {},
    args: string[] = [],
    command: string[] = [join(PROJECT_ROOT, "server", "main.ts")],
    /** True: in its own process group, as a shell starts it in a terminal. */
    private readonly ownGroup = false,
  ) {
    expectRestarts();
    this.process = Bun.spawn([process.execPath, ...command, ...args], {
      cwd: PROJECT_ROOT,
      env: { ...withoutSettings(process.env), DATA_DIR: dataDir, LOG_FORMAT: "text", ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      detached: ownGroup,
    });
    void this.collect(this.process.stdout);
    void this.collect(this.process.stderr);
  }

  get pid(): number {
    return this.process.pid;
  }

  /** Waits until `start` has printed its table. @returns the API's address */
  async ready(): Promise<string> {
    await this.prints("Ctrl-C stops everything.");
    return this.address("API");
  }

  /** A value in the printed table. */
  address(name: string): string {
    return new RegExp(`^  ${name} {2,}([^ ,\\n]+)`, "m").exec(this.output)?.[1] ?? "";
  }

  /** Waits for a text in the output of `start` and its parts. */
  async prints(text: string, from = 0): Promise<void> {
    const condition = () => {
      saw("output", () => this.output.slice(from).slice(-SHOWN_LENGTH));
      if (this.process.exitCode !== null && !this.output.includes(text, from)) {
        throw new Error(`start ended with ${this.process.exitCode} before it printed "${text}":\n${this.output}`);
      }
      return this.output.includes(text, from);
    };
    await until(`start to print "${text}"`, condition, PATIENCE_MS);
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Ctrl-C in a terminal: all foreground processes get the signal. */
  pressCtrlC(): void {
    if (!this.ownGroup) throw new Error("without a group of its own, Ctrl-C would reach the tests too");
    process.kill(-this.pid, "SIGINT");
  }

  /** The exit code, after it has ended by itself. */
  async ended(): Promise<number> {
    const code = await this.process.exited;
    await Bun.sleep(POLL);
    return code;
  }

  async stop(): Promise<number> {
    this.signal("SIGTERM");
    return this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) await this.stop();
  }

  private async collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) this.output += decoder.decode(bytes, { stream: true });
  }
}

export interface PartProcess {
  pid: number;
  command: string;
}

/** The processes of one DATA_DIR's parts, found by their commands and parents. */
export async function partsOf(dataDir: string, start: number): Promise<Record<string, PartProcess | undefined>> {
  const list = Bun.spawn(["ps", "-eo", "pid=,ppid=,args="], { stdout: "pipe" });
  const rows = (await new Response(list.stdout).text()).split("\n").map((line) => {
    const [, pid, parent, command] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? [];
    return { pid: Number(pid), parent: Number(parent), command: command ?? "" };
  });
  const find = (fits: (row: (typeof rows)[number]) => boolean) => rows.find(fits);
  return {
    PostgreSQL: find(({ command }) => command.includes(`-D ${dataDir}/postgres `)),
    Temporal: find(({ command }) => command.includes(`--db-filename ${dataDir}/`)),
    worker: find(({ parent, command }) => parent === start && command.includes("activities/worker.ts")),
    API: find(({ parent, command }) => parent === start && command.includes("server/serve.ts")),
  };
}

/** Whether this process has ended, even if its number is reused. */
export async function isGone({ pid, command }: PartProcess): Promise<boolean> {
  const now = await commandLine(pid);
  return now === "" || now !== command.trim();
}

export async function readiness(url: string): Promise<{ code: number; body: Readiness }> {
  const answer = await fetch(`${url}/readyz`);
  return { code: answer.status, body: (await answer.json()) as Readiness };
}
