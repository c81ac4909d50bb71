// An open-loop load: changes are sent at fixed times, even if earlier ones are not answered.

import type { Api } from "../world/api.ts";

/** A client gives up after this time. */
const ANSWER_LIMIT_MS = 10_000;

/** Identifies a change in the activity log: each record is created once and updated at most once. */
export type ChangeKey = `${string} ${"Created" | "Updated"}`;

export interface Sent {
  changes: number;
  /** Changes answered 200; no other change counts as committed. */
  committed: Set<ChangeKey>;
}

/**
 * @param apis used in turn
 * @param rate changes per second, every second one an update
 * @param until the end of the load
 */
export async function sendChanges(apis: Api[], rate: number, until: Promise<unknown>): Promise<Sent> {
  const committed = new Set<ChangeKey>();
  const toUpdate: string[] = [];
  const began = performance.now();
  const answers: Promise<void>[] = [];
  let over = false;
  let turn = 0;
  const api = () => apis[turn++ % apis.length]!;
  const end = () => {
    over = true;
  };
  until.then(end, end);
  for (let number = 1; !over; number++) {
    await Bun.sleep(Math.max(0, began + (number * 1_000) / rate - performance.now()));
    answers.push(number % 2 === 0 && toUpdate.length > 0 ? update(toUpdate.shift()!) : create(number));
  }
  await Promise.all(answers);
  return { changes: answers.length, committed };

  async function create(number: number): Promise<void> {
    const id = await change(api(), { Name: `Gate ${number}` });
    if (id === undefined) return;
    committed.add(`${id} Created`);
    toUpdate.push(id);
  }

  async function update(id: string): Promise<void> {
    if (await change(api(), { Id: id, Description: "changed" })) committed.add(`${id} Updated`);
  }
}

/** @returns the record's Id if the change was answered 200 */
async function change(api: Api, fields: object): Promise<string | undefined> {
  const response = await fetch(`${api.url}/Endpoint/rest/api/v1/Application`, {
    method: "PATCH",
    headers: { authorization: api.authorization, "content-type": "application/json" },
    body: JSON.stringify(fields),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  }).catch(() => undefined);
  if (response?.status !== 200) return undefined;
  const record = (await response.json().catch(() => undefined)) as { Id: string } | undefined;
  return record?.Id;
}
