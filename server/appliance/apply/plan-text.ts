// The plan as text. Values given by reference are shown as their references.

import { isObject } from "../../platform/http/body.ts";
import { type ApplyDocument, type Entry, Reference, titleOf } from "./apply-file.ts";
import { isSecret } from "./kinds.ts";
import type { Difference, Plan } from "./plan.ts";

const MAX_NAMES_IN_LINE = 20;
/** Shorter values, such as true, may also be parts of words. */
const MIN_HIDDEN = 6;

export const isEmpty = ({ steps, others, prune }: Plan) => steps.length === 0 && !(prune && others.length > 0);

export function planText(plan: Plan, file: string): string {
  const { steps, others, prune, selfMade, same, uncompared } = plan;
  const created = steps.filter(({ entry }) => !entry.current).length;
  const counts = `${created} to create, ${steps.length - created} to change, ${prune ? others.length : 0} to delete.`;
  const titles = others.map(({ title }) => title);
  const kept = `Not in the file, left unchanged (--prune deletes them): ${someOf(titles)}`;
  const hidden = `Not compared, because the API never returns them (--secrets sends them): ${someOf(uncompared)}`;
  return [
    ...steps.flatMap(({ entry, differences }) => [
      `${entry.current ? "~" : "+"} ${entry.title}  (${file}:${entry.line})`,
      ...differences.flatMap((one) => differenceText(entry, one)).map((text) => `    ${text}`),
    ]),
    ...(prune ? titles.map((title) => `- ${title}  (not in the file)`) : []),
    ...selfMade.map(({ kind, record, line }) => {
      const name = kind.identifiers.map((field) => record[field]).find(Boolean);
      return `! ${titleOf(kind, name ?? "")}, ${record.Id}, ${kind.selfMade!.how}  (${file}:${line})`;
    }),
    ...(isEmpty(plan) && selfMade.length === 0 ? [] : [""]),
    `${isEmpty(plan) ? "No changes." : counts} ${same} as in the file.`,
    ...(!prune && others.length > 0 ? [kept] : []),
    ...(uncompared.length > 0 ? [hidden] : []),
  ].join("\n");
}

const someOf = (names: string[]) =>
  names.slice(0, MAX_NAMES_IN_LINE).join(", ") +
  (names.length > MAX_NAMES_IN_LINE ? ` and ${names.length - MAX_NAMES_IN_LINE} more` : "");

/** Replaces values given by reference in any text, such as an error of the server. */
export function withoutHidden(text: string, { hidden }: ApplyDocument): string {
  const values = [...hidden].filter(([{ length }]) => length >= MIN_HIDDEN);
  const longest = values.toSorted(([one], [other]) => other.length - one.length);
  return longest.reduce((safe, [value, origin]) => safe.replaceAll(value, origin), text);
}

function differenceText(entry: Entry, { field, before }: Difference): string[] {
  const { kind, body, origins } = entry;
  const after = textOf(entry, field, body[field]);
  const isHidden = isSecret(kind.settable.get(field)!) || origins.keys().some((path) => path.startsWith(field));
  const [one, other] = [partsOf(entry, field, before ?? []), partsOf(entry, field, body[field])];
  if (before === undefined && (isHidden || !other || Array.isArray(body[field]))) return [`${field}: ${after}`];
  if (isHidden || !one || !other) return [`${field}: ${isHidden ? "(hidden)" : textOf(entry, "", before)} → ${after}`];
  const removed = one.filter((part) => !other.includes(part)).map((part) => `  - ${part}`);
  const added = other.filter((part) => !one.includes(part)).map((part) => `  + ${part}`);
  return removed.length + added.length === 0 ? [`${field}: another order`] : [`${field}:`, ...removed, ...added];
}

/** The elements of a list, or the lines of a text. */
function partsOf(entry: Entry, path: string, value: unknown): string[] | undefined {
  if (Array.isArray(value)) return value.map((one, index) => textOf(entry, `${path}[${index}]`, one));
  return typeof value === "string" && value.includes("\n") ? value.trimEnd().split("\n") : undefined;
}

function textOf(entry: Entry, path: string, value: unknown): string {
  const origin = entry.origins.get(path);
  if (origin) return origin;
  if (value instanceof Reference) return String(value);
  if (Array.isArray(value)) return `[${partsOf(entry, path, value)!.join(", ")}]`;
  // The query of an address may contain a key.
  if (!isObject(value)) return JSON.stringify(value ?? null).replace(/(https?:\/\/[^?\s"]*\?)[^"\s]+/g, "$1…");
  const { Type, Id, Name } = value;
  if (Id instanceof Reference) return String(Id);
  if (Type && Id) return `${Type} ${Name ? `"${Name}"` : Id}`;
  const members = Object.entries(value).map(([name, one]) => `${name}: ${textOf(entry, `${path}.${name}`, one)}`);
  return `{ ${members.join(", ")} }`;
}
