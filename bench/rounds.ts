// Measures two servers in turn, so other load on the machine affects both equally.

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { type Conversation, converse } from "./load.ts";
import { cpuSeconds } from "./processes.ts";

/** A server under measurement. */
export interface Side {
  name: string;
  url: string;
  pid: number;
  /** One for each connection; they continue from round to round. */
  conversations: Conversation[];
}

interface Round {
  perSecond: number;
  /** CPU of the server only, without PostgreSQL and the client. */
  cpuMilliseconds: number;
}

/** Connections of the client to each server; each server has 10 to PostgreSQL. */
export const CONNECTIONS = 8;

/** Rounds that do not count, while the JavaScript engine still compiles. A busy machine needs more. */
const WARM_UP_ROUNDS = 3;

/**
 * Measures both and prints a line for each: requests a second as median (lowest to highest round) and CPU per request.
 * The last line is the ratio of the first to the second.
 * @returns the median ratio
 */
export async function compare(title: string, own: Side, other: Side): Promise<number> {
  const { rounds, seconds } = options();
  const measured: [Round, Round][] = [];
  for (const side of [own, other]) await measure(side, seconds * WARM_UP_ROUNDS);
  for (let index = 0; index < rounds; index++) {
    if (index % 2 === 0) {
      const first = await measure(own, seconds);
      measured.push([first, await measure(other, seconds)]);
    } else {
      const first = await measure(other, seconds);
      measured.push([await measure(own, seconds), first]);
    }
  }
  console.log(`\n${title}`);
  for (const [index, { name }] of [own, other].entries()) {
    const perSecond = spread(measured.map((pair) => pair[index]!.perSecond)).map((value) => value.toFixed(0));
    const [cpu] = spread(measured.map((pair) => pair[index]!.cpuMilliseconds));
    const speed = `${perSecond[0]!.padStart(6)} requests/s (${perSecond[1]} to ${perSecond[2]})`;
    console.log(`  ${name.padEnd(16)} ${speed.padEnd(36)} ${cpu.toFixed(3)} ms CPU each`);
  }
  const ratios = spread(measured.map(([first, second]) => first.perSecond / second.perSecond));
  const [ratio, lowest, highest] = ratios.map((value) => value.toFixed(2));
  console.log(`  ${"ratio".padEnd(16)} ${ratio!.padStart(6)} (${lowest} to ${highest})`);
  console.log(`  ${rounds} rounds of ${seconds} s, load average ${loadavg()[0]!.toFixed(1)}`);
  return ratios[0];
}

async function measure({ url, pid, conversations }: Side, seconds: number): Promise<Round> {
  const [cpuBefore, startedAt] = [await cpuSeconds(pid), performance.now()];
  const count = await converse(url, conversations, seconds);
  const elapsed = performance.now() - startedAt;
  return {
    perSecond: (count * 1_000) / elapsed,
    cpuMilliseconds: (((await cpuSeconds(pid)) - cpuBefore) * 1_000) / count,
  };
}

function options(): { rounds: number; seconds: number } {
  const { values } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: "string", default: "7" }, seconds: { type: "string", default: "2" } },
  });
  return { rounds: Number(values.rounds), seconds: Number(values.seconds) };
}

/** Median, lowest, highest. */
export function spread(values: number[]): [number, number, number] {
  const sorted = values.sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
  return [median, sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
}
