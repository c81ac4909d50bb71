// `bun run import FILE`, on the example of docs/import.md and on files with mistakes.

import { describe, expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runImport } from "../../server/appliance/import/command.ts";
import { linesOf } from "../../server/appliance/import/lines.ts";
import { temporaryDirectory } from "../support/directories.ts";
import { blockMarked } from "../support/pages.ts";
import { type Api, ok, unique } from "../world/api.ts";
import { KINDS } from "../world/apply.ts";
import { type Client, newClient } from "../world/client.ts";
import { clientOf, newMember, newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";
import { HASHES, PASSWORD } from "./vectors.ts";

/** Imports files of a tenant, in this process. */
function importerOf(api: Api, name = "people.csv") {
  const file = join(temporaryDirectory("import"), name);
  return async (text: string, ...options: string[]) => {
    writeFileSync(file, text);
    rmSync(`${file}.refused.csv`, { force: true });
    const out: string[] = [];
    const errors: string[] = [];
    const code = await runImport([file, ...options], KINDS, {
      env: {
        GATEHOUSE_URL: api.url,
        GATEHOUSE_CLIENT_ID: api.clientId,
        GATEHOUSE_CLIENT_SECRET: api.clientSecret,
      } as unknown as NodeJS.ProcessEnv,
      say: (line) => void out.push(line),
      fail: (line) => void errors.push(line),
    });
    const refused = code === 2 ? readFileSync(`${file}.refused.csv`, "utf8").trim().split("\r\n").slice(1) : [];
    return { code, counts: out[0]?.split("\n"), refused, errors };
  };
}

const usersOf = async (api: Api) =>
  (await ok(api.get("/User?Limit=200"))).Items.filter(({ Username }: { Username: string }) => Username !== "admin");
const eventsOf = async (api: Api) => (await ok(api.get("/WebhookEvent?Limit=200"))).Items.length;

async function signsIn(client: Client, username: string, password: string) {
  const visitor = new Visitor();
  const view = await visitor.submit(await visitor.open(client.authorize()), { username, password });
  return view.location?.searchParams.has("code") ?? false;
}

test.concurrent("the example: a plan changes nothing, a run does, a second run changes nothing", async () => {
  const client = await newClient({ first_party: true });
  const api = await clientOf(client.tenant);
  const run = importerOf(api);
  const { text } = blockMarked("run: import");
  const before = await eventsOf(api);
  expect(await run(text, "--plan")).toMatchObject({
    code: 0,
    counts: [
      "Department: 1 to create, 0 to change, 0 as in the file, 0 refused",
      "User: 1 to create, 0 to change, 0 as in the file, 0 refused",
      "Group: 1 to create, 0 to change, 0 as in the file, 0 refused",
      "Membership: 1 to create, 0 to change, 0 as in the file, 0 refused",
    ],
  });
  expect([await usersOf(api), await eventsOf(api)]).toEqual([[], before]);

  expect(await run(text)).toMatchObject({ code: 0, errors: [] });
  const [ana] = await usersOf(api);
  expect(ana).toMatchObject({
    Username: "ana",
    External_Id: "HR-1042",
    Is_Active: true,
    Department: { Name: "Finance" },
  });
  const [group] = (await ok(api.get("/Group"))).Items;
  expect(group).toMatchObject({ Name: "Payroll clerks", Members: [{ Type: "User", Id: ana.Id }] });
  expect(await signsIn(client, "ana", "U*U")).toBe(true);

  const after = await eventsOf(api);
  for (const options of [["--plan"], []]) {
    expect(await run(text, ...options)).toMatchObject({
      code: 0,
      counts: ["Department", "User", "Group", "Membership"].map((type) =>
        expect.stringMatching(new RegExp(`^${type}: 0 .*, 0 .*, 1 as in the file, 0 `)),
      ),
    });
  }
  expect(await eventsOf(api)).toBe(after);
});

test.concurrent("good, bad and repeated lines: each refused one has its reason, and nothing of it is secret", async () => {
  const client = await newClient({ first_party: true });
  const api = await clientOf(client.tenant);
  await ok(
    api.patch("/User", [
      { Username: "dora" },
      { Username: "held", External_Id: "E-1" },
      { Username: "other", External_Id: "E-2" },
    ]),
  );
  const hash = HASHES["Django PBKDF2"];
  const text = `\ufeffLogin;Name;Is_Active;PasswordHash;External_Id;Department.ExternalId;Notes\r
Dora;Dora Lund;TRUE;${hash};;;x\r
"ana";"Ana ""A"" Silva";true;;;;\r
DORA;Again;true;;;;\r
=cmd;Eva;perhaps;;;;\r
bob;Bob;true;secret-Zx71kQ;;;\r
fay;Fay;true;;;NOWHERE;\r
held;;true;;E-2;;\r
;No identifier;true;;;;\r
gus;"Gus;true;;;;\r
hal;Hal;true;;;;too;many\r
kim;"Kim
Lee";true;;;;\r
`;
  const run = importerOf(api);
  const options = ["--map", "Login=Username", "--map", "Notes="];
  const reasons = [
    '"10","User","","A quotation mark is in the wrong place."',
    '"11","User","","It has more cells than the first line."',
    '"4","User","DORA","User ""DORA"" is in line 2 already."',
    `"5","User","'=cmd","Is_Active must be true, false or null."`,
    '"6","User","bob","PasswordHash has no supported format; docs/sign-in.md lists them."',
    '"7","User","fay","Department points at no record (by ExternalId)."',
    '"8","User","E-2","Username, External_Id point at several User records. Give the Id of one."',
    '"9","User","","It needs External_Id or Username, by which it is found."',
  ];
  const planned = await run(text, "--plan", ...options);
  expect(planned.counts).toEqual(["User: 2 to create, 1 to change, 0 as in the file, 8 refused"]);
  const done = await run(text, ...options);
  for (const { refused } of [planned, done]) expect(refused.toSorted()).toEqual(reasons);
  expect(done.counts).toEqual(["User: 2 created, 1 changed, 0 as in the file, 8 refused"]);
  expect(done.code).toBe(2);
  for (const line of done.refused) expect(line).not.toContain("secret-Zx71kQ");
  const users = await usersOf(api);
  const named = (name: string) => users.find(({ Username }: { Username: string }) => Username === name);
  expect([named("dora").Name, named("ana").Name, named("kim").Name]).toEqual([
    "Dora Lund",
    'Ana "A" Silva',
    "Kim\nLee",
  ]);
  expect(await signsIn(client, "dora", PASSWORD)).toBe(true);
  const before = await eventsOf(api);
  expect((await run(text, ...options)).counts).toEqual(["User: 0 created, 0 changed, 3 as in the file, 8 refused"]);
  expect(await eventsOf(api)).toBe(before);
});

test.concurrent("JSON lines take values as the API does, and later lines refer to earlier ones", async () => {
  const api = await newTenant();
  await ok(api.patch("/TenantSettings", { UserAttributes: [{ Name: "level", Type: "Number" }] }));
  const lines = [
    { Type: "Department", Name: "Sales", ExternalId: "S" },
    { Type: "Department", Name: "Field", "ParentId.ExternalId": "S" },
    { Type: "User", Username: "ana", "Department.ExternalId": "S", "Attributes.level": 3 },
    { Type: "Group", Name: "All" },
    { Type: "Group", Name: "Some", ExternalId: "G" },
    { Type: "Membership", "Group.ExternalId": "G", User: "ANA" },
    { Type: "Membership", Group: "All", MemberGroup: "Some" },
    { Type: "Membership", Group: "All", User: "nobody" },
    { Type: "Membership", Group: "All" },
    { Type: "Robot", Name: "R2" },
  ];
  const text = [...lines.map((line) => JSON.stringify(line)), "[1]", ""].join("\n");
  const run = importerOf(api, "people.jsonl");
  const reasons = [
    '"8","Membership","All / nobody","There is no User with this Username."',
    '"9","Membership","","It needs Group, and User or MemberGroup."',
    '"10","","","Type must be one of Department, User, Group, Membership."',
    '"11","User","","The line must be a JSON object."',
  ];
  for (const options of [["--plan"], [], ["--plan"]]) {
    const { code, refused } = await run(text, ...options);
    expect({ code, refused: refused.toSorted() }).toEqual({ code: 2, refused: reasons.toSorted() });
  }
  const [ana] = await usersOf(api);
  expect(ana).toMatchObject({ Department: { Name: "Sales" }, Attributes: { level: 3 } });
  const groups = (await ok(api.get("/Group"))).Items;
  const [all, some] = ["All", "Some"].map((name) => groups.find(({ Name }: { Name: string }) => Name === name));
  expect([all.Members, some.Members]).toEqual([[{ Type: "Group", Id: some.Id }], [{ Type: "User", Id: ana.Id }]]);
});

test.concurrent("many lines with some wrong ones are sent in arrays", async () => {
  const api = await newTenant();
  const [prefix, count] = [unique("p"), 1_200];
  const rows = Array.from({ length: count }, (_, index) => `${prefix}${index},${index % 100 === 7 ? "NOWHERE" : ""}`);
  const run = importerOf(api);
  const { counts, refused } = await run(["Username,Department", ...rows].join("\n"));
  expect(counts).toEqual(["User: 1188 created, 0 changed, 0 as in the file, 12 refused"]);
  expect(refused[1]).toContain(`"109","User","${prefix}107"`);
}, 300_000);

describe.concurrent("a run that has to stop says why, with the exit code 1", () => {
  test.each([
    ["no file", async () => [] as string[], "cannot be read (ENOENT)"],
    ["an unknown option", async () => ["--force"], "Usage: bun run import"],
    ["a wrong mapping", async () => ["--map", "Login"], "must be COLUMN=FIELD"],
  ])("%s", async (_, optionsOf, problem) => {
    const errors: string[] = [];
    const api = await newTenant();
    const env = {
      GATEHOUSE_URL: api.url,
      GATEHOUSE_CLIENT_ID: api.clientId,
      GATEHOUSE_CLIENT_SECRET: api.clientSecret,
    };
    const terminal = {
      env: env as unknown as NodeJS.ProcessEnv,
      say: () => {},
      fail: (text: string) => void errors.push(text),
    };
    expect(await runImport(["/nowhere/people.csv", ...(await optionsOf())], KINDS, terminal)).toBe(1);
    expect(errors.join()).toContain(problem);
  });

  test("a client without the scope", async () => {
    const admin = await newTenant();
    const run = importerOf(await newMember(admin, "editor"));
    const { code, errors } = await run(`Username,PasswordHash\nana,${HASHES["PHP bcrypt $2y"]}\n`);
    expect([code, errors]).toEqual([1, ["The access token lacks the scope AccessManager:Import."]]);
    expect(await usersOf(admin)).toEqual([]);
  });

  test("columns with the same name", async () => {
    const run = importerOf(await newTenant());
    expect((await run("Username,Username\nana,ana\n")).errors[0]).toContain("must name each column once");
  });
});

test("a quotation mark without an end refuses its line, not the lines after it", async () => {
  const file = join(temporaryDirectory("import"), "open.csv");
  writeFileSync(
    file,
    ["Name,Email", '"Ada', ...Array.from({ length: 30 }, (_, at) => `Name ${at},a@b.example`)].join("\n"),
  );
  const found: [number, string | undefined][] = [];
  for await (const { number, problem } of linesOf(file)) found.push([number, problem]);
  expect(found).toHaveLength(31);
  expect(found[0]).toEqual([2, "A quotation mark is in the wrong place."]);
  expect(found.slice(1)).toEqual(Array.from({ length: 30 }, (_, at) => [at + 3, undefined]));
});
