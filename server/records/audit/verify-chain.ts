// Walks the chain of the audit log, and compares each entry with its hash.

import type { Sql } from "../../platform/db/sql.ts";
import { timeOfId } from "../../platform/ids.ts";
import {
  type CheckedLink,
  countUnchained,
  type EntryId,
  type Link,
  listAdded,
  listAddedToNoTenant,
  listLinks,
  readHead,
  type Unchained,
} from "./chain.store.ts";
import { GENESIS, hashOf } from "./chain.ts";

const BATCH = 5_000;
/** The added entries that are named for each batch. */
const NAMED = 20;
const COUNTED_TO = 100_000;

export interface ChainProblem {
  kind: "missing" | "altered" | "added";
  /** The entry, or the one after missing ones. */
  entry: EntryId;
  text: string;
}

export interface VerifiedChain {
  /** The entries that were compared. */
  count: number;
  /** The first and the last of them. */
  first: Link | undefined;
  head: Link | undefined;
  /** Entries before this one were removed by retention; the chain begins with its hash. */
  anchor: Link | undefined;
  unchained: Unchained;
  /** The kept heads that the chain contains, by hash. */
  found: ReadonlyMap<string, Link>;
}

export interface Walk {
  /** Hashes of former heads, in lower-case hex. */
  heads?: ReadonlySet<string>;
  onProblem(problem: ChainProblem): void;
  /** After each batch, with the last entry. */
  onProgress?(count: number, last: Link): void;
}

export async function verifyChain(
  sql: Sql,
  { heads = new Set(), onProblem, onProgress }: Walk,
): Promise<VerifiedChain> {
  const head = await readHead(sql);
  const found = new Map<string, Link>();
  let count = 0;
  let first: Link | undefined;
  let anchor: Link | undefined;
  let last: Link | undefined;
  for (;;) {
    const after: string | undefined = last?.id;
    const links: CheckedLink[] = head ? await listLinks(sql, after, head.position, BATCH) : [];
    if (links.length === 0) break;
    const problems: ChainProblem[] = [];
    for (const link of links) {
      const problem = problemOf(link, last, first !== undefined);
      if (problem) problems.push(problem);
      if (link.fields) {
        count++;
        first ??= link;
      } else if (link.isExpired) {
        anchor = link;
      }
      const hash = Buffer.from(link.hash).toString("hex");
      if (heads.has(hash)) found.set(hash, link);
      last = link;
    }
    for (const entry of await listAdded(sql, after, last!.id, NAMED)) problems.push(added(entry));
    for (const problem of problems.toSorted((one, other) => (one.entry.id < other.entry.id ? -1 : 1)))
      onProblem(problem);
    onProgress?.(count, last!);
  }
  for (const entry of await listAddedToNoTenant(sql, NAMED)) onProblem(added(entry));
  return { count, first, head, anchor, unchained: await countUnchained(sql, COUNTED_TO), found };
}

/** @param isAfterKept retention removes the oldest entries first, so none after one that is kept */
function problemOf(link: CheckedLink, previous: Link | undefined, isAfterKept: boolean): ChainProblem | undefined {
  const { fields, isExpired, position } = link;
  const expected = (previous?.position ?? 0) + 1;
  // Retention removes the links before the first one; of that, only the hash is left.
  if (!previous && isExpired) return undefined;
  if (position !== expected) {
    const numbers = position - 1 > expected ? `entries ${expected} to ${position - 1} are` : `entry ${expected} is`;
    return { kind: "missing", entry: link, text: `${numbers} missing, before entry ${position}, ${nameOf(link)}` };
  }
  if (isExpired && !isAfterKept) return undefined;
  if (!fields) return { kind: "missing", entry: link, text: `entry ${position} is missing: ${nameOf(link)}` };
  if (hashOf(previous?.hash ?? GENESIS, fields).equals(link.hash)) return undefined;
  return { kind: "altered", entry: link, text: `entry ${position}, or its hash, is altered: ${nameOf(link)}` };
}

function added(entry: EntryId): ChainProblem {
  return { kind: "added", entry, text: `an entry was added later: ${nameOf(entry)}` };
}

function nameOf({ id, tenantId }: EntryId): string {
  return `${id} of ${timeOfId(id).toISOString()}, tenant ${tenantId}`;
}
