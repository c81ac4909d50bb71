// Common parts of drills: a continuous load, and its results.

import { readFileSync } from "node:fs";
import { type Api, until } from "../world/api.ts";
import type { Stack } from "./stack.ts";

export interface Verdict {
  passed: boolean;
  /** The figures as a line of text. */
  summary: string;
}

export interface Drill {
  what: string;
  /** @param argument of the command, if it takes one */
  run(say: (line: string) => void, argument?: string): Promise<Verdict>;
}

export interface Load {
  /** Answers by status; 0 for no answer. */
  statuses: Map<number, number>;
  /** The number of 503s without Retry-After. */
  withoutRetryAfter: number;
  milliseconds: number[];
  /** The changes answered 200, as `changeOf` names them. */
  made: string[];
  end(): Promise<void>;
}

const PAUSE_MS = 20;

/** Sends changes sequentially in each lane, regardless of responses. */
export function startLoad(api: Api, lanes: number, url = api.url): Load {
  const load = {
    statuses: new Map<number, number>(),
    withoutRetryAfter: 0,
    milliseconds: [] as number[],
    made: [] as string[],
  };
  let ended = false;
  const lane = async (_: unknown, number: number) => {
    for (let turn = 0; !ended; turn++) {
      const began = performance.now();
      const fields = { Name: `lane ${number}, ${turn % 20}`, Description: String(turn) };
      const answer = await fetch(`${url}/Endpoint/rest/api/v1/Application`, {
        method: "PATCH",
        headers: { authorization: api.authorization, "content-type": "application/json" },
        body: JSON.stringify(fields),
      }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => {});
      const status = answer?.status ?? 0;
      load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1);
      if (status === 503 && !answer!.headers.has("retry-after")) load.withoutRetryAfter++;
      if (status === 200) {
        load.milliseconds.push(performance.now() - began);
        load.made.push(changeOf(fields));
      }
      await Bun.sleep(PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: lanes }, lane));
  return Object.assign(load, {
    async end() {
      ended = true;
      await running;
    },
  });
}

/** @param data of a request or a webhook */
export function changeOf({ Name, Description }: Record<string, unknown>): string {
  return `${Name}: ${Description}`;
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

export function describeStatuses({ statuses }: Load): string {
  return [...statuses].map(([status, count]) => `${count} × ${status || "no answer"}`).join(", ");
}

/** Of a process and its children. */
export function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return [pid, ...children.split(" ").filter(Boolean).map(Number)];
}

export async function untilReady(stack: Stack): Promise<void> {
  await until(
    "all to be ready",
    async () => (await stack.readiness().catch(() => undefined))?.status === "ready",
    120_000,
  );
}
