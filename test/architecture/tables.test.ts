// Compares tables of the documents with the code.

import { describe, expect, test } from "bun:test";
import { ERROR_EXAMPLES } from "../../server/openapi/errors.ts";
import type { ErrorRecord } from "../../server/platform/http/error-record.ts";
import { AUDIT_KINDS } from "../../server/records/audit/entry-kinds.ts";
import { describeEntities, ENTITIES } from "../../server/records/entities/registry.ts";
import { readPage } from "../support/pages.ts";

describe.each(describeEntities(ENTITIES))("docs/behaviour.md, $Name", ({ Name, Fields }) => {
  test("has every field with its type", () => {
    const documented = rowsOf("docs/behaviour.md", Name).map(([name, type]) => [name, type]);
    const types = Fields.map(({ Name: name, Type }) => [name, Type.startsWith("object (") ? "foreign key" : Type]);
    expect(documented.toSorted()).toEqual(types.toSorted());
  });
});

test("docs/behaviour.md has every error", () => {
  const documented = rowsOf("docs/behaviour.md", "Errors").map(([status, type]) => `${status} ${type}`);
  const errors = Object.values(ERROR_EXAMPLES).map((example) => (example as { value: ErrorRecord }).value);
  const types = errors.map(({ StatusCode, Type }) => `${StatusCode} \`${Type}\``);
  expect(documented.toSorted()).toEqual([...new Set(types)].toSorted());
});

test("docs/audit.md has every kind of the audit log", () => {
  const documented = rowsOf("docs/audit.md", "Entries").flatMap(([kinds]) => kindsOf(kinds!));
  expect(documented.toSorted()).toEqual([...AUDIT_KINDS].toSorted());
});

/** The cells of the tables below a heading. */
function rowsOf(path: string, heading: string): string[][] {
  const text = readPage(path);
  const start = text.indexOf(`\n## ${heading}\n`);
  const section = text.slice(start, text.indexOf("\n## ", start + 1) >>> 0);
  const lines = [...section.matchAll(/^\| (.+) \|$/gm)].map(([, cells]) => cells!.split(" | "));
  return lines.filter(([first]) => !/^[a-z]+$/.test(first!));
}

/**
 * Such as `Policy.Created`, `.Deleted`; `Role.…`: a kind that starts with a dot repeats the previous name, and `…`
 * repeats the previous kinds.
 */
function kindsOf(cell: string): string[] {
  let prefix = "";
  const verbs: string[] = [];
  return [...cell.matchAll(/`([A-Za-z]*)\.?([A-Za-z…]*)`/g)].flatMap(([, name, verb]) => {
    if (name) prefix = name;
    if (verb === "…") return verbs.map((each) => `${prefix}.${each}`);
    if (verb) verbs.push(verb);
    return [verb ? `${prefix}.${verb}` : prefix];
  });
}
