// Estimates how quickly a password is guessed, in a thread: an estimate takes up to 150 ms for 100 characters.

import { Worker } from "node:worker_threads";
import { createBudget, createCallersBudget } from "../../platform/budget.ts";
import { ServiceBusy } from "../../platform/errors.ts";
import type { TenantId } from "../../platform/ids.ts";
import { texts } from "../../ui/index.ts";
import type { Strength, StrengthReply } from "./strength-thread.ts";

const PEOPLE = { name: "password checks", holder: "This person has", perCaller: 2, perTenant: 50 };
const BUDGET = { name: "password checks", perTenant: 1, total: 1, waiting: PEOPLE.perTenant };
/** The time of an estimate grows faster than its length. A longer password is at least as strong as its beginning. */
export const ESTIMATED_LENGTH = 100;
/** The characters that are normalized: some are invisible. */
const READ_LENGTH = 2 * ESTIMATED_LENGTH;
/** Enough for a user name and an e-mail address of the estimated length, which come first. */
const MAX_WORDS = 60;
/** An idle thread is ended after this time, because its dictionaries use about 50 MiB. */
const IDLE_MS = 60_000;
/** For one estimate, with the start of the thread. A thread that takes longer is ended. */
const MAX_ESTIMATE_MS = 5_000;

/** Letters of other alphabets beside the Latin ones that look the same. */
const HOMOGLYPHS = new Map(
  [
    ["аеорсхуіјѕԁһкԛАВЕКМНОРСТХУІЅԝԍЈ", "aeopcxyijsdhkqABEKMHOPCTXYISwgJ"],
    ["αονιρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aovipABEZHIKMNOPTYX"],
    ["ıɑɡ", "iag"],
  ].flatMap(([others, latin]) => Array.from(others!, (other, at) => [other, latin![at]!] as const)),
);

/** As attackers guess a text: without width, accents, invisible characters and homoglyphs. */
export function plain(text: string): string {
  const bare = text.normalize("NFKD").replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "");
  return Array.from(bare.normalize("NFC"), (character) => HOMOGLYPHS.get(character) ?? character).join("");
}

const THREAD = new URL("./strength-thread.ts", import.meta.url);

/** @param words that attackers know, in lower case, such as the user's name @throws TenantBusy, ServiceBusy */
export type EstimateStrength = (
  user: { tenantId: TenantId; userId: number },
  password: string,
  words: readonly string[],
) => Promise<Strength>;

export function createEstimateStrength({ code = THREAD, maxMs = MAX_ESTIMATE_MS } = {}): EstimateStrength {
  const takePlace = createCallersBudget(PEOPLE);
  const budget = createBudget(BUDGET);
  let thread: Worker | undefined;
  let pending: PromiseWithResolvers<Strength> | undefined;
  let ending: Timer | undefined;

  function end(reason?: Error): void {
    void thread?.terminate();
    thread = undefined;
    if (reason) pending?.reject(reason);
  }

  function start(): Worker {
    const started = new Worker(code);
    started.unref();
    // An ended thread may still report, when its successor works.
    const fail = (reason: Error) => thread === started && end(reason);
    started.on("error", fail);
    started.on("exit", () => fail(new ServiceBusy(texts.ERRORS.strengthInterrupted)));
    started.on("message", (reply: StrengthReply) => {
      if ("strength" in reply) pending?.resolve(reply.strength);
      else fail(new Error(`The estimate failed: ${reply.failed}`));
    });
    return started;
  }

  async function estimate(password: string, words: string[]): Promise<Strength> {
    clearTimeout(ending);
    const late = new ServiceBusy(texts.ERRORS.strengthLate);
    const limit = setTimeout(end, maxMs, late);
    pending = Promise.withResolvers<Strength>();
    try {
      thread ??= start();
      thread.postMessage({ password, words });
      return await pending.promise;
    } finally {
      clearTimeout(limit);
      ending = setTimeout(end, IDLE_MS).unref();
    }
  }

  return async ({ tenantId, userId }, password, words) => {
    const cut = (text: string) => plain(text.slice(0, READ_LENGTH)).slice(0, ESTIMATED_LENGTH);
    const known = [...new Set(words)].slice(0, MAX_WORDS).map(cut);
    const leave = await takePlace(tenantId, { type: "User", id: userId });
    try {
      return await budget.run(tenantId, () => estimate(cut(password), known));
    } finally {
      leave();
    }
  };
}
