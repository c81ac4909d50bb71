// Sends the entries of a file in arrays. The upsert of the API makes it repeatable: what is there already stays.

import { recordFields } from "../../records/index.ts";
import { Refused, type Rest } from "../apply/rest.ts";
import { type ImportEntry, keyOf, MEMBERSHIP, type RecordName, type RefusedLine, TYPES, type Type } from "./entries.ts";

/** Of an array of the API. */
const BATCH = 500;
const BATCH_CHARACTERS = 400_000;
/** Look-ups at once. */
const LOOK_UPS = 8;
/** Ids that are remembered. */
const MAX_KNOWN = 100_000;

type Outcome = (typeof recordFields.CHANGES)[number];
export type Counts = Record<Outcome | "Refused", number>;

interface Sender {
  counts: Record<Type, Counts>;
  add(entry: ImportEntry): Promise<void>;
  refuse(refusal: RefusedLine): void;
  /** Sends the rest. */
  end(): Promise<void>;
}

/** @param isPlan nothing is written @throws CannotStart, Refused if no line could be written */
export function createSender(rest: Rest, isPlan: boolean, report: (refusal: RefusedLine) => void): Sender {
  const waiting = Object.fromEntries(TYPES.map((type) => [type, [] as ImportEntry[]])) as Record<Type, ImportEntry[]>;
  const counts = Object.fromEntries(
    TYPES.map((type) => [type, { Created: 0, Updated: 0, None: 0, Refused: 0 }]),
  ) as Record<Type, Counts>;
  /** Ids by the keys of their records. */
  const known = new Map<string, number>();
  /** The lines of all keys. One person may be spelled in two ways. */
  const lines = new Map<string, number>();
  /** The keys of records that a plan would create. */
  const planned = new Set<string>();
  let characters = 0;

  function refuse(refusal: RefusedLine): void {
    const { type } = refusal;
    if (isType(type)) counts[type].Refused++;
    report(refusal);
  }
  const refuseEntry = ({ line, type, title }: ImportEntry, reason: string) => refuse({ line, type, title, reason });

  function done(entry: ImportEntry, outcome: Outcome, id: unknown): void {
    counts[entry.type][outcome]++;
    if (isPlan && outcome === "Created") for (const key of entry.keys) planned.add(key);
    else if (typeof id === "number") for (const key of entry.keys) remember(key, id);
  }

  function remember(key: string, id: number): void {
    if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
    known.set(key, id);
  }

  async function flush(): Promise<void> {
    characters = 0;
    for (const type of TYPES) {
      const entries = waiting[type].splice(0);
      if (entries.length === 0) continue;
      if (type === MEMBERSHIP) await join(entries);
      else await upsert(type, entries);
    }
  }

  /** An array is written as a whole or not at all, so it is sent again without its wrong records. */
  async function upsert(type: Type, entries: ImportEntry[]): Promise<void> {
    if (entries.length === 0) return;
    try {
      const bodies = entries.map(bodyOf);
      const answers = await rest.saveAll(`/${type}?Report=${isPlan ? "Plan" : "Changes"}`, bodies);
      for (const [index, entry] of entries.entries()) {
        const { Change, Id } = answers[index]!;
        done(entry, recordFields.CHANGES.find((one) => one === Change)!, Id);
      }
    } catch (error) {
      if (!(error instanceof Refused) || STOPS.includes(error.status)) throw error;
      const wrong = Map.groupBy(error.errors, (text) => Number(RECORD.exec(text)?.[1] ?? Number.NaN));
      const texts = [...wrong.values()].flat().map((text) => text.replace(RECORD, ""));
      const indexed = [...wrong.keys()].filter((index) => entries[index]);
      // A scope concerns all lines, a policy one record.
      if (indexed.length === 0 && error.status === 403) throw error;
      if (indexed.length === 0 && entries.length === 1) return refuseEntry(entries[0]!, texts.join(" "));
      if (indexed.length === 0) return halves(type, entries, entries.length >> 1);
      for (const index of indexed) {
        refuseEntry(
          entries[index]!,
          wrong
            .get(index)!
            .map((text) => text.replace(RECORD, ""))
            .join(" "),
        );
      }
      // Those before the only wrong one were right.
      if (indexed.length === 1) return halves(type, entries.toSpliced(indexed[0]!, 1), indexed[0]!);
      await upsert(
        type,
        entries.filter((_, index) => !wrong.has(index)),
      );
    }
  }

  async function halves(type: Type, entries: ImportEntry[], at: number): Promise<void> {
    await upsert(type, entries.slice(0, at));
    await upsert(type, entries.slice(at));
  }

  /** In a plan, a record of an earlier line is not there yet. */
  function bodyOf({ body, references }: ImportEntry): Record<string, unknown> {
    const missing = [...references].filter(([, named]) => planned.has(keyOf(named))).map(([field]) => field);
    return Object.fromEntries(Object.entries(body).filter(([field]) => !missing.includes(field)));
  }

  /** Memberships are added to their groups, those of one group at once. */
  async function join(entries: ImportEntry[]): Promise<void> {
    const found: { entry: ImportEntry; group: number; member: { Type: string; Id: number } }[] = [];
    for (let from = 0; from < entries.length; from += LOOK_UPS) {
      await Promise.all(
        entries.slice(from, from + LOOK_UPS).map(async (entry) => {
          const [group, member] = [entry.references.get("Group")!, entry.references.get("Member")!];
          const isPlanned = [group, member].some((one) => planned.has(keyOf(one)));
          const [groupId, memberId] = [await idOf(group), await idOf(member)];
          const missing = [groupId === undefined ? group : [], memberId === undefined ? member : []].flat();
          const isMissing = missing.filter((one) => !planned.has(keyOf(one)));
          if (isMissing.length > 0) {
            refuseEntry(entry, isMissing.map(({ kind, by }) => `There is no ${kind.name} with this ${by}.`).join(" "));
          } else if (isPlanned) done(entry, "Created", undefined);
          else found.push({ entry, group: groupId!, member: { Type: member.kind.name, Id: memberId! } });
        }),
      );
    }
    for (const [group, all] of Map.groupBy(found, (one) => one.group)) {
      const { Members } = await rest.get(`/Group/${group}`);
      const present = new Set((Members as { Type: string; Id: number }[]).map(({ Type, Id }) => `${Type} ${Id}`));
      const added = all.filter(({ member: { Type, Id } }) => !present.has(`${Type} ${Id}`));
      try {
        const Add = added.map(({ member }) => member);
        if (Add.length > 0 && !isPlan) await rest.save("/Group", { Id: group, Members: { Add } }, false);
        for (const one of all) done(one.entry, added.includes(one) ? "Created" : "None", undefined);
      } catch (error) {
        if (!(error instanceof Refused) || STOPS.includes(error.status)) throw error;
        for (const { entry } of added) refuseEntry(entry, error.message);
      }
    }
  }

  async function idOf(named: RecordName): Promise<number | undefined> {
    const key = keyOf(named);
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const [record] = await rest.list(named.kind.name, { [named.by]: named.value }, 1);
    if (typeof record?.Id !== "number") return undefined;
    remember(key, record.Id);
    return record.Id;
  }

  return {
    counts,
    refuse,
    async add(entry) {
      const first = entry.keys.map((key) => lines.get(key)).find((line) => line !== undefined);
      if (first !== undefined) return refuseEntry(entry, `${entry.type} "${entry.title}" is in line ${first} already.`);
      for (const key of entry.keys) lines.set(key, entry.line);
      const size = JSON.stringify(entry.body).length;
      if (characters + size > BATCH_CHARACTERS) await flush();
      characters += size;
      waiting[entry.type].push(entry);
      if (waiting[entry.type].length >= BATCH) await flush();
    },
    end: flush,
  };
}

/** The index of a record in an array's error. */
const RECORD = /^Record (\d+): /;
/** Token, rate limit and missing services concern all lines. */
const STOPS = [401, 429, 503];

const isType = (type: string): type is Type => TYPES.some((one) => one === type);
