// Files of `bun run apply` that are wrong.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runApply } from "../../server/appliance/apply/command.ts";
import { KINDS, newApplyTenant } from "../world/apply.ts";
import { shared } from "../world/tenant.ts";

const AN_API = "Api:\n  - Name: Orders\n    Audience: https://a.example.com\n";
const A_HOOK = "WebhookConnection:\n  - Name: hook\n    URL: https://a.example.com\n    Entities: [User]\n";

/** 10 million values. */
const ALIASES = ["a", "b", "c", "d", "e", "f", "g"]
  .map((name, index, names) => `${name}: &${name} [${Array(10).fill(index === 0 ? "x" : `*${names[index - 1]}`)}]\n`)
  .join("");

test.concurrent.each([
  ["an unknown section", "Department: []\nAplication: []\n", 2, '"Aplication" must be Application.'],
  ["an unknown field", "Department:\n  - Name: A\n    Nam: B\n", 3, '"Nam" must be Name.'],
  ["a map instead of a list", "Department:\n  Name: A\n", 1, "Department must be a list"],
  [
    "a record without a name",
    "Department:\n  - Name: A\n  - Description: B\n",
    3,
    "Department[1] needs Name or ExternalId",
  ],
  ["a record that occurs twice", "Role:\n  - Name: a\n  - Name: a\n", 3, 'Role "a" is in line 2 already.'],
  ["a wrong type", `${AN_API}    IncludeClaims: perhaps\n`, 4, 'Api "Orders": IncludeClaims must be true or false.'],
  ["a number out of range", `${AN_API}    TokenLifetime: 1\n`, 4, "TokenLifetime must be a whole number of seconds"],
  [
    "a wrong value in a list",
    `${AN_API}    Scopes:\n      - { Name: a }\n      - { Name: "a b" }\n`,
    6,
    "Scopes[1].Name must",
  ],
  ["a field of the server", "Department:\n  - Id: 7\n    Name: A\n", 2, "Id is set by the server. Remove it here."],
  ["a missing field", "Api:\n  - Name: Orders\n", 2, "Audience is missing, which a new Api needs."],
  [
    "a missing record",
    `${AN_API}    ApplicationId: { Name: none }\n`,
    4,
    'Application "none", but it is neither in the file',
  ],
  ["a reference of another form", `${AN_API}    ApplicationId: "1002"\n    Nothing: 1\n`, 5, '"Nothing" is unknown.'],
  [
    "a reference by another field",
    `${AN_API}    ApplicationId: { Description: a }\n`,
    4,
    "ApplicationId must be null, or name one",
  ],
  [
    "a missing variable",
    `${A_HOOK}    Events: [Created]\n    Secret: { env: NO_SUCH }\n`,
    6,
    "The variable NO_SUCH is not set.",
  ],
  [
    "a missing file",
    `${A_HOOK}    Events: [Created]\n    Secret: { file: none }\n`,
    6,
    "The file none is missing, empty or no text in UTF-8.",
  ],
  [
    "an open secret",
    `${A_HOOK}    Events: [Created]\n    Secret: open\n`,
    6,
    "Secret is a secret. Give it by reference",
  ],
  ["YAML that cannot be read", "Department:\n  - Name: [A\n", 3, "Flow sequence in block collection must"],
  [
    "a circle",
    "Department:\n  - { Name: A, ParentId: { Name: B } }\n  - { Name: B, ParentId: { Name: A } }\n",
    2,
    "which needs it first",
  ],
  ["a reference to itself", "Application:\n  - Name: A\n    ApplicationId: { Name: A }\n", 3, "which needs it first"],
  [
    "a name that cannot be looked up",
    'Department:\n  - Name: A\n  - Name: "a\\0b"\n',
    3,
    "Name contains a character that is not text",
  ],
  ["several documents", "Department: []\n---\nRole: []\n", 2, "A file has one document."],
  ["an alias without an anchor", "Department:\n  - Name: *none\n", 2, "The alias *none has no anchor before it."],
  ["an alias within its anchor", "Department:\n  - &a { Name: A, ParentId: *a }\n", 2, "*a would contain itself."],
  ["aliases of aliases", ALIASES, 1, "The file has more than 200000 values."],
  ["a list as the name of a field", "Department:\n  - ? [a]\n    : b\n", 2, "The name of a field must be a text."],
  ["a name that every object has", "Department:\n  - Name: A\n    toString: B\n", 3, '"toString" is unknown.'],
  ["a number as a name", "Department:\n  - Name: 4711\n", 2, 'Name: YAML reads 4711 as a number. Quote it: "4711".'],
  [
    "a reference by a number",
    "Department:\n  - { Name: A, ExternalId: '4711' }\n  - Name: B\n    ParentId: { ExternalId: 4711 }\n",
    4,
    'ParentId.ExternalId: YAML reads 4711 as a number. Quote it: "4711".',
  ],
  ["a bare reference", "Department:\n  - Name: B\n    ParentId: A\n", 3, "or name one Department by a text"],
  [
    "a folder instead of a secret",
    `${A_HOOK}    Events: [Created]\n    Secret: { file: . }\n`,
    6,
    "The file . is missing, empty or no text in UTF-8.",
  ],
  ["a repeated field", "Department:\n  - Name: A\n    Name: B\n", 3, "Map keys must be unique"],
  ["another tenant", "Department: []\nTenant: other\n", 2, 'The client is of the Tenant "tenant '],
  // The server's own errors.
  [
    "an address of the service",
    AN_API.replace("https://a.example.com", `http://localhost:${new URL(shared().url).port}/a`),
    3,
    "Audience must not be an address of",
  ],
  ["an unknown scope", "Role:\n  - Name: a\n    Scopes: [openid, none]\n", 3, "Scopes: there is no scope none."],
  ["a private address", `${A_HOOK.replace("a.example.com", "10.0.0.1")}    Events: [Created]\n`, 3, "EGRESS_ALLOW"],
  [
    "an error in a policy",
    "Policy:\n  - Name: a\n    Policy: |\n      permit (\n        principal, acton, resource);\n",
    5,
    "Policy, line 2, column 14:",
  ],
])("%s is reported with its line", async (_, text, line, words) => {
  const { err, code } = await (await newApplyTenant()).apply(text);
  expect(err).toContain(words);
  expect(err.split("\n").filter((one) => one.includes(words))[0]).toStartWith(`acme.yaml:${line}: `);
  expect(code).toBe(1);
});

test.concurrent("all problems are reported together, and nothing is changed before them", async () => {
  const { apply, api } = await newApplyTenant();
  const file = `${AN_API}    TokenLifetime: 1\nDepartment:\n  - Name: A\n    Nam: B\nRole:\n  - Name: a\n    Scopes: 1\n`;
  const { err } = await apply(file);
  expect(err.match(/^acme.yaml:\d+/gm)).toEqual(["acme.yaml:4", "acme.yaml:7", "acme.yaml:10"]);
  expect((await api.get("/Department")).body.Items).toEqual([]);
});

test.concurrent("a change that the server rejects ends the run, and the next one continues", async () => {
  const { apply, api } = await newApplyTenant();
  const file = "Department:\n  - Name: A\nRole:\n  - Name: a\n    Scopes: [none]\n";
  const failed = await apply(file);
  expect(failed.out).toContain('Created Department "A"');
  expect(failed.code).toBe(1);
  expect((await api.get("/Department")).body.Items).toHaveLength(1);
  const next = await apply(file.replace("none", "openid"));
  expect([next.code, next.out.match(/^\+ .*"/gm)]).toEqual([0, ['+ Role "a"']]);
});

test.concurrent("a file that cannot be read is named", async () => {
  const { apply, file } = await newApplyTenant();
  await apply("Department: []\n", ["--plan"]);
  const run = (path: string) => {
    const errors: string[] = [];
    const fail = (text: string) => void errors.push(text);
    return runApply([path, "--plan"], KINDS, { env: {}, say: fail, fail }).then((code) => [code, ...errors]);
  };
  const latin = join(dirname(file), "latin.yaml");
  writeFileSync(latin, Buffer.from("Role: [ { Name: M\xfcller } ]\n", "latin1"));
  expect(await run(dirname(file))).toEqual([1, `${dirname(file)} cannot be read (EISDIR).`]);
  expect(await run(`${file}.none`)).toEqual([1, `${file}.none cannot be read (ENOENT).`]);
  expect(await run(latin)).toEqual([1, `${latin} must be a text in UTF-8.`]);
});
