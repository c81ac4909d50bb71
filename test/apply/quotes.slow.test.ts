// YAML reads some texts without quotes as numbers, true, false or null. Where a text is due, the error says to quote it.

import { expect, test } from "bun:test";
import { type FileKind, isSecret } from "../../server/appliance/apply/kinds.ts";
import { KINDS, newApplyTenant } from "../world/apply.ts";

const UNQUOTED: [text: string, is: string][] = [
  ...["007", "4711", "1e3", "0x1F", "0o17", "-5", "+351", "1.50", ".5"].map((text): [string, string] => [
    text,
    "a number",
  ]),
  ...["true", "False", "TRUE"].map((text): [string, string] => [text, "true or false"]),
];

const holds = ({ contract }: FileKind, name: string, value: unknown) =>
  contract.check({ [name]: value }).problems.length === 0;

/** The fields that take this text and no number, with the indentation and the form of their values. */
function textsOf(kind: FileKind, text: string): { name: string; isList: boolean }[] {
  return [...kind.settable].flatMap(([name, field]): { name: string; isList: boolean }[] => {
    if (field.type === "reference" || isSecret(field)) return [];
    const isDue = (of: (one: unknown) => unknown) => ["007", "4711", text].every((one) => holds(kind, name, of(one)));
    if (isDue((one) => one) && !holds(kind, name, 7)) return [{ name, isList: false }];
    return isDue((one) => [one]) && !holds(kind, name, [7]) ? [{ name, isList: true }] : [];
  });
}

const lineOf = (indent: string, { name, isList }: { name: string; isList: boolean }, text: string) =>
  `${indent}${name}: ${isList ? `["x", ${text}]` : text}`;

test("texts of every kind, single and in lists, alone and as identifiers", async () => {
  const { apply } = await newApplyTenant();
  const wholes = KINDS.filter(({ partOf }) => !partOf);
  for (const [text, is] of UNQUOTED) {
    const lines: string[] = [];
    const expected: string[] = [];
    const add = (line: string, path: string) => {
      lines.push(line);
      expected.push(
        `acme.yaml:${lines.length}: .*${RegExp.escape(`${path}: YAML reads ${text} as ${is}. Quote it: "${text}".`)}`,
      );
    };
    for (const kind of wholes) {
      const [first] = kind.identifiers;
      lines.push(`${kind.name}:`);
      const inList = (one: { name: string; isList: boolean }) => `${one.name}${one.isList ? "[1]" : ""}`;
      if (!first) for (const one of textsOf(kind, text)) add(lineOf("  ", one, text), inList(one));
      for (const [index, one] of (first ? textsOf(kind, text) : []).entries()) {
        if (one.name !== first) lines.push(`  - ${first}: "n${index}"`);
        add(lineOf(one.name === first ? "  - " : "    ", one, text), inList(one));
      }
    }
    const { code, err } = await apply(lines.join("\n"), ["--plan"]);
    expect(expected.length).toBeGreaterThan(30);
    for (const line of expected) expect(err).toMatch(new RegExp(`^${line}$`, "m"));
    expect(code).toBe(1);
  }
});

test("no error shows a secret that YAML reads as a number", async () => {
  const { apply } = await newApplyTenant();
  let tried = 0;
  for (const kind of KINDS.filter(({ partOf }) => !partOf)) {
    const secrets = [...kind.settable].filter(([, field]) => isSecret(field)).map(([name]) => name);
    for (const name of secrets) {
      for (const value of ["4711471147", "[4711471147]", "{ a: 4711471147 }", "12345678901234567890"]) {
        const { code, err } = await apply(`${kind.name}:\n  - ${kind.identifiers[0]}: a\n    ${name}: ${value}\n`, [
          "--plan",
        ]);
        expect([name, code]).toEqual([name, 1]);
        expect(err).not.toMatch(/4711|123456789/);
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(10);
});

test("texts of credentials, references, the tenant, attributes, and a name that is null", async () => {
  const { apply, api } = await newApplyTenant();
  await api.made("TenantSettings", {
    UserAttributes: [
      { Name: "costCentre", Type: "Text" },
      { Name: "tags", Type: "Texts" },
    ],
  });
  const quoted = (text: string, is = "a number") => `YAML reads ${text} as ${is}. Quote it: "${text}".`;
  for (const [file, line, words] of [
    ["Tenant: 007\n", 1, quoted("007")],
    ["User:\n  - Username: null\n", 2, quoted("null", "no value")],
    ["User:\n  - Username: 007\n", 2, `Username: ${quoted("007")}`],
    ["User:\n  - Username: a\n    Department: { Name: 2024 }\n", 3, `Department.Name: ${quoted("2024")}`],
    [
      "Role:\n  - Name: a\n    Members:\n      - { Type: User, Username: 007 }\n",
      4,
      `Members[0].Username: ${quoted("007")}`,
    ],
    ["User:\n  - Username: a\n    Attributes: { costCentre: 0815 }\n", 3, `Attributes.costCentre: ${quoted("0815")}`],
    ["User:\n  - Username: a\n    Attributes: { tags: [x, true] }\n", 3, `tags[1]: ${quoted("true", "true or false")}`],
    ["Application:\n  - Name: a\n    Credentials:\n      Scopes: [openid, 1e3]\n", 4, `Scopes[1]: ${quoted("1e3")}`],
    [
      "User:\n  - Username: a\n    Attributes: { a: 9007199254740993 }\n",
      3,
      "User[0].Attributes.a would become a different number",
    ],
    [
      "User:\n  - Username: a\n    Attributes: { a: .inf }\n",
      3,
      "User[0].Attributes.a would become a different number",
    ],
    [
      "User:\n  - Username: a\n    External_Id: 0x20000000000001\n",
      3,
      "User[0].External_Id would become a different number",
    ],
    [
      "IdentityProvider:\n  - Name: a\n    ClientSecret: 12345678901234567890\n",
      3,
      "ClientSecret would become a different number",
    ],
    ["Department:\n  - Name: A\n    007: B\n", 3, '"007" is unknown.'],
  ] as const) {
    const { err, code } = await apply(file);
    expect(err).toContain(words);
    expect(err.split("\n").find((one) => one.includes(words))).toStartWith(`acme.yaml:${line}: `);
    expect(code).toBe(1);
  }
  const right = 'User:\n  - Username: "007"\n    External_Id: yes\n    Name: 2026-01-31\n    Nickname: 1_000\n';
  expect(await apply(right)).toMatchObject({ code: 0, err: "" });
  expect((await api.get("/User?Username=007")).body.Items).toEqual([
    expect.objectContaining({ External_Id: "yes", Name: "2026-01-31", Nickname: "1_000" }),
  ]);
});
