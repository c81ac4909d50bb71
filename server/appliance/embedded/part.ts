// A supervised child process: PostgreSQL, the Temporal server, the worker or the API.

import { readFile } from "node:fs/promises";
import { sendSignal } from "./processes.ts";

export type Child = Bun.Subprocess<"pipe" | "ignore", "inherit" | number, "inherit" | number>;

export interface PartSpec {
  name: string;
  spawn(): Child | Promise<Child>;
  /** Resolves when the part is ready; it is called again after an error, until `patience` ends. */
  ready(child: Child): Promise<void>;
  /** Milliseconds until a start without readiness counts as failed. */
  patience: number;
  /** Sent in order, each with its grace in milliseconds; SIGKILL follows. */
  stop: { signal: NodeJS.Signals; grace: number }[];
  /** Whether to retry after a failed start. Default: no. */
  mayStartAgain?(failure: Error): Promise<boolean>;
  logFile?: string;
}

const FIRST_DELAY = 1_000;
const MAX_DELAY_MS = 30_000;
/** After this time a part counts as stable: its next crash restarts the back-off. */
const STABLE_AFTER = 60_000;
const READY_POLL = 100;
const MAX_STARTS = 3;
const LAST_WORDS = 8;
/** The prefix of a program's final error message, which a stack may follow. */
const REASON = /^(panic|fatal error|Error|FATAL): /;

export class Part {
  private child: Child | undefined;
  private stopping = false;
  private delay = FIRST_DELAY;
  private startedAt = 0;
  /** The offset in the log file where the current start began, in bytes. */
  private logBegan = 0;
  private wake: (() => void) | undefined;
  private watching: Promise<void> | undefined;
  restarts = 0;

  constructor(
    private readonly spec: PartSpec,
    private readonly say: (line: string) => void,
    /** A hint about missing resources, for unexpected exits. */
    private readonly hint: () => string = () => "",
  ) {}

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  /** Starts the part and restarts it until `stop`. */
  async start(): Promise<void> {
    this.stopping = false;
    this.delay = FIRST_DELAY;
    await this.startPatiently();
    this.watching = this.watch();
  }

  private async startPatiently(): Promise<void> {
    for (let starts = 1; ; starts++) {
      try {
        return await this.spawnUntilReady();
      } catch (error) {
        const again = starts < MAX_STARTS && !this.stopping && (await this.spec.mayStartAgain?.(error as Error));
        if (!again || this.stopping) throw error;
        this.say(`${(error as Error).message}\n${this.name} restarted`);
      }
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake?.();
    await this.end();
    await this.watching;
  }

  private async watch(): Promise<void> {
    while (!this.stopping) {
      await this.child?.exited;
      if (this.stopping) return;
      const how = describeExit(this.child);
      if (Date.now() - this.startedAt > STABLE_AFTER) this.delay = FIRST_DELAY;
      this.say(
        `${this.name} stopped (${how}); restarting it in ${this.delay / 1_000} s${this.logHint()}.${this.hint()}`,
      );
      await this.pause(this.delay);
      this.delay = Math.min(this.delay * 2, MAX_DELAY_MS);
      if (this.stopping) return;
      try {
        await this.spawnUntilReady();
        this.restarts++;
        this.say(`${this.name} is back`);
      } catch (error) {
        if (!this.stopping) this.say((error as Error).message);
      }
    }
  }

  private async spawnUntilReady(): Promise<void> {
    this.startedAt = Date.now();
    this.logBegan = this.spec.logFile ? Bun.file(this.spec.logFile).size : 0;
    const child = await this.spec.spawn();
    this.child = child;
    if (this.stopping) return this.end();
    const gone = child.exited.then(() => "gone" as const);
    const outcome = await Promise.race([gone, this.becomesReady(child)]);
    if (outcome === "ready" || this.stopping) return;
    const why =
      outcome === "gone" ? `stopped (${describeExit(child)})` : `was not ready after ${this.spec.patience / 1_000} s`;
    const failure = new Error(`${this.name} did not start: it ${why}.${this.logHint()}${await this.lastWords()}`);
    await this.end();
    throw failure;
  }

  private async becomesReady(child: Child): Promise<"ready" | "late"> {
    const end = Date.now() + this.spec.patience;
    while (child.exitCode === null && child.signalCode === null && !this.stopping) {
      try {
        await this.spec.ready(child);
        return "ready";
      } catch {
        if (Date.now() > end) return "late";
        await Bun.sleep(READY_POLL);
      }
    }
    return "late";
  }

  private async end(): Promise<void> {
    const child = this.child;
    if (!child) return;
    for (const { signal, grace } of this.spec.stop) {
      if (this.pid === undefined) break;
      sendSignal(child.pid, signal);
      await Promise.race([child.exited, Bun.sleep(grace)]);
    }
    if (process.platform !== "win32") sendSignal(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
    await child.exited;
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  private logHint(): string {
    return this.spec.logFile ? ` (its log: ${this.spec.logFile})` : "";
  }

  private async lastWords(): Promise<string> {
    if (!this.spec.logFile) return "";
    const bytes = await readFile(this.spec.logFile).catch(() => Buffer.alloc(0));
    // A rotated log starts at 0.
    const written = bytes.subarray(bytes.length < this.logBegan ? 0 : this.logBegan);
    const lines = written.toString("utf8").trimEnd().split("\n");
    // Processes of a killed PostgreSQL write to the same log for a while; each of its lines has the process's id.
    const own = lines.filter((line) => line.includes(`[${this.child?.pid}]`));
    const words = own.length > 0 ? own : lines;
    const reason = words.findLastIndex((line) => REASON.test(line));
    const last = reason < 0 ? words.slice(-LAST_WORDS) : words.slice(reason, reason + LAST_WORDS);
    return last.map((line) => `\n    ${line}`).join("");
  }
}

function describeExit(child: Child | undefined): string {
  return child?.signalCode ? String(child.signalCode) : `exit code ${child?.exitCode}`;
}
