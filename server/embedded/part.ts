// One supervised child process: PostgreSQL, the Temporal server, the worker or the API.

import { readFile } from "node:fs/promises";
import { sendSignal } from "./processes.ts";

export type Child = Bun.Subprocess<"pipe" | "ignore", "inherit" | number, "inherit" | number>;

export interface PartSpec {
  /** As the log calls it. */
  name: string;
  spawn(): Child | Promise<Child>;
  /** Resolves when the part serves; may throw or hang until then, it is asked again or given up. */
  ready(child: Child): Promise<void>;
  /** Milliseconds the part may take until it is ready, before a start counts as failed. */
  patience: number;
  /** Sent one after the other, each with its milliseconds to obey; SIGKILL comes last by itself. */
  stop: { signal: NodeJS.Signals; grace: number }[];
  /** Asked when a start has failed: whether the next may not. Without it, the first failure counts. */
  mayStartAgain?(failure: Error): Promise<boolean>;
  /** Where the part writes its own log, if not to ours. */
  logFile?: string;
}

const FIRST_DELAY = 1_000;
const MAX_DELAY_MS = 30_000;
/** A part that ran this long is taken for sound: its next crash starts over with the first delay. */
const STABLE_AFTER = 60_000;
const READY_POLL = 100;
const MAX_STARTS = 3;
/** Lines. */
const LAST_WORDS = 8;
/** What programs end with that say why; a stack may follow it. */
const REASON = /^(panic|fatal error|Error|FATAL): /;

export class Part {
  private child: Child | undefined;
  private stopping = false;
  private delay = FIRST_DELAY;
  private startedAt = 0;
  /** Where in the log file the current start's words begin, in bytes. */
  private logBegan = 0;
  private wake: (() => void) | undefined;
  private watching: Promise<void> | undefined;
  /** How often it was brought back. */
  restarts = 0;

  constructor(
    private readonly spec: PartSpec,
    private readonly say: (line: string) => void,
    /** What the machine lacks, to be told with an end that nobody asked for. */
    private readonly hint: () => string = () => "",
  ) {}

  get name(): string {
    return this.spec.name;
  }

  get pid(): number | undefined {
    return this.child?.exitCode === null && this.child.signalCode === null ? this.child.pid : undefined;
  }

  /** Starts the part; from then on it is brought back until `stop`. */
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
        this.say(`${(error as Error).message}\n${this.name} is started again`);
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
        `${this.name} stopped (${how}); starting it again in ${this.delay / 1_000} s${this.logHint()}.${this.hint()}`,
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

  /** Ends the current child and, by its process group, what it may have started itself. */
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
    // A log that was set aside since begins anew.
    const own = bytes.subarray(bytes.length < this.logBegan ? 0 : this.logBegan);
    const lines = own.toString("utf8").trimEnd().split("\n");
    const reason = lines.findLastIndex((line) => REASON.test(line));
    const told = reason < 0 ? lines.slice(-LAST_WORDS) : lines.slice(reason, reason + LAST_WORDS);
    return told.map((line) => `\n    ${line}`).join("");
  }
}

function describeExit(child: Child | undefined): string {
  return child?.signalCode ? String(child.signalCode) : `exit code ${child?.exitCode}`;
}
