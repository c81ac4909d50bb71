// `bun run apply FILE`, on the example of docs/apply.md.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { readDocument } from "../../server/appliance/apply/apply-file.ts";
import { isSecret } from "../../server/appliance/apply/kinds.ts";
import { isObject } from "../../server/platform/http/body.ts";
import { ROOT } from "../support/pages.ts";
import { PROXIES } from "../support/proxies.ts";
import { withoutSettings } from "../support/stack.ts";
import { API } from "../world/api.ts";
import { KINDS, newApplyTenant, type Run, SECRETS } from "../world/apply.ts";
import { shared } from "../world/tenant.ts";

/** The titles of a plan's lines with this sign. */
const titles = ({ out }: Run, sign: string) =>
  out.split("\n").flatMap((line) => (line.startsWith(`${sign} `) ? line.slice(2).replace(/ {2}\(.*/, "") : []));

/** The lines of a plan without the names of records that are not in the file. */
const shown = ({ out }: Run) => out.split("\n").filter((line) => !line.startsWith("Not ") && line !== "");

const NO_CHANGES = ["No changes. 13 as in the file."];

test.concurrent("the example creates all kinds, and a second run changes nothing", async () => {
  const { example, apply, api } = await newApplyTenant();
  for (const { name } of KINDS) expect(example).toContain(`${name}:`);
  const planned = await apply(example, ["--plan"]);
  expect([planned.code, planned.err, shown(planned).at(-1)]).toEqual([
    ...[2, "", "12 to create, 1 to change, 0 to delete. 0 as in the file."],
  ]);
  expect((await api.get("/Department")).body.Items).toEqual([]);

  const made = await apply(example);
  expect([made.code, made.err, titles(made, "+")]).toEqual([0, "", titles(planned, "+")]);
  const again = await apply(example);
  expect([again.code, again.err, shown(again)]).toEqual([0, "", NO_CHANGES]);
  expect((await apply(example, ["--plan"])).code).toBe(0);
  expect(again.out).toContain('left unchanged (--prune deletes them): User "admin"');
  expect(again.out).toContain('Policy "Administrators"');

  const [person] = (await api.get("/User?Username=ana")).body.Items;
  const [finance] = (await api.get("/Department?Name=Finance")).body.Items;
  expect(person).toMatchObject({ Attributes: { costCentre: "4711" }, Department: { Id: finance.Id } });
  const [payroll] = (await api.get("/Application?Name=payroll")).body.Items;
  const [role] = (await api.get("/Role?Name=clerk")).body.Items;
  expect(role.Members).toEqual([
    { Type: "User", Id: person.Id },
    { Type: "Application", Id: Number(payroll.Id) },
  ]);
  const [provider] = (await api.get("/IdentityProvider?Name=Example%20ID")).body.Items;
  const signsInThere = (await api.get(`/Application?AuthenticationId=${provider.Id}`)).body.Items;
  expect(signsInThere.map(({ Id }: { Id: string }) => Id)).toEqual([payroll.Id]);
  const { body: credentials } = await api.get(`/Application/${payroll.Id}/Credentials`);
  expect(credentials).toMatchObject({ Scopes: ["openid", "profile", "orders:read"] });
});

test.concurrent("changes made elsewhere are shown by field, and undone", async () => {
  const { example, apply, api } = await newApplyTenant();
  await apply(example);
  const [role] = (await api.get("/Role?Name=clerk")).body.Items;
  const [policy] = (await api.get("/Policy?Name=Clerks%20read%20people")).body.Items;
  const [payroll] = (await api.get("/Application?Name=payroll")).body.Items;
  await api.made("Role", { Id: role.Id, Scopes: ["AccessManager:Read", "Settings:Read"] });
  await api.made("Policy", { Id: policy.Id, Policy: policy.Policy.replace("resource is User", "resource") });
  await api.made("Application", { Id: payroll.Id, AuthenticationId: null, Description: "Not in the file." });
  await api.made("User", { Username: "ana", Email: "other@example.com", Attributes: { costCentre: "1" } });
  await api.made(`Application/${payroll.Id}/Credentials`, { RedirectUris: ["https://elsewhere.example.com/"] });
  await api.made("TenantSettings", { RetentionDays: null });

  const planned = await apply(example, ["--plan"]);
  expect(planned.code).toBe(2);
  expect(shown(planned).map((line) => line.replace(/\(acme.yaml:\d+\)/, "(line)"))).toEqual([
    ...["~ TenantSettings  (line)", "    RetentionDays: null → 14"],
    ...['~ Application "payroll"  (line)', '    AuthenticationId: IdentityProvider "Example ID"'],
    '~ User "ana"  (line)',
    '    Email: "other@example.com" → "ana@example.com"',
    "    EmailVerified: false → true",
    '    Attributes: { costCentre: "1" } → { costCentre: "4711" }',
    '~ Credentials of Application "payroll"  (line)',
    "    RedirectUris:",
    '      - "https://elsewhere.example.com/"',
    '      + "https://payroll.example.com/callback"',
    ...['~ Policy "Clerks read people"  (line)', "    Policy:", "      -   resource", "      +   resource is User"],
    ...['~ Role "clerk"  (line)', "    Scopes:", '      - "Settings:Read"', '      + "orders:read"'],
    "0 to create, 6 to change, 0 to delete. 7 as in the file.",
  ]);
  expect((await apply(example)).code).toBe(0);
  expect(shown(await apply(example))).toEqual(NO_CHANGES);
  expect((await api.get(`/Application/${payroll.Id}`)).body.Description).toBe("Not in the file.");
});

test.concurrent("records that are not in the file stay, unless they are pruned", async () => {
  const { apply, api } = await newApplyTenant();
  await api.made("Department", { Name: "Above" });
  await api.made("Department", { Name: "Below", ParentId: { FieldType: "Name", Value: "Above" } });
  await api.made("Application", { Name: "old", ExternalId: "OLD" });
  const file = "Department:\n  - Name: Kept\nApplication: []\n";
  const left = await apply(file, ["--plan"]);
  expect(titles(left, "-")).toEqual([]);
  expect(left.out).toContain('Department "Above", Department "Below"');

  const pruned = await apply(file, ["--yes", "--prune"]);
  expect([pruned.code, pruned.err]).toEqual([0, ""]);
  expect(titles(pruned, "-")).toEqual(['Department "Above"', 'Department "Below"', 'Application "old"']);
  const again = await apply(file, ["--plan", "--prune"]);
  expect([again.code, shown(again)]).toEqual([0, ["No changes. 1 as in the file."]]);
  const clients = (await api.get("/Application")).body.Items.map(({ Name }: { Name: string }) => Name);
  expect(clients).toEqual(["demo-client", "Gatehouse Settings"]);
  expect((await api.get("/Role")).body.Items.length).toBeGreaterThan(0);

  const locked = await apply("Policy: []\n", ["--yes", "--prune"]);
  expect(locked.code).toBe(1);
  expect(locked.err).toContain('Policy "Administrators" was not deleted. This change would remove your own access');
});

test.concurrent("secrets never appear, and are sent again with --secrets or for a new address", async () => {
  const { example, apply, api } = await newApplyTenant();
  const moved = example.replace("https://hooks.example.com", "https://new-hooks.example.com");
  const elsewhere = moved.replace("Issuer: https://id.example.com", "Issuer: https://new-id.example.com");
  const runs = [
    await apply(example, ["--plan"]),
    await apply(example),
    await apply(example, ["--plan", "--secrets"]),
    await apply(moved),
    await apply(elsewhere),
    await apply(elsewhere, ["--plan"], { HOOK_KEY: "other-Zx85kQ" }),
    // Errors of the server and of references could contain them.
    await apply("Role:\n  - Name: a\n    Scopes: [{ env: HOOK_KEY }]\n"),
    await apply("Role:\n  - Name: a\n    Members: [{ Type: User, Username: { env: HOOK_KEY } }]\n"),
  ];
  for (const secret of [...Object.values(SECRETS), "Zx8"]) {
    expect(runs.filter(({ out, err }) => (out + err).includes(secret))).toEqual([]);
  }
  expect(runs.map(({ code }) => code)).toEqual([2, 0, 2, 0, 0, 2, 1, 1]);
  const [, , sent, toHook, toProvider, otherKey] = runs;
  expect(shown(sent!).filter((line) => line.startsWith(" "))).toEqual([
    "    ClientSecret: { env: EXAMPLE_ID_SECRET }",
    "    Secret: { file: secrets/payroll-hook }",
    "    Headers: { Authorization: { env: HOOK_AUTHORIZATION } }",
  ]);
  expect(toHook!.out).toContain("Secret: { file: secrets/payroll-hook }\n");
  expect(toProvider!.out).toContain("ClientSecret: { env: EXAMPLE_ID_SECRET }\n");
  expect(otherKey!.out).toContain("ApiKey: (hidden) → { env: HOOK_KEY }\n");
  const [connection] = (await api.get("/WebhookConnection")).body.Items;
  expect(connection).toMatchObject({ ApiKey: SECRETS.HOOK_KEY, Headers: { Authorization: null } });
});

test.concurrent("at the limit of events a day the run ends, and does not wait for the next day", async () => {
  const { apply, api } = await newApplyTenant();
  await api.made("TenantSettings", { MaxEventsPerDay: 1 });
  const { out, err, code } = await apply("Department:\n  - Name: A\n  - Name: B\n");
  expect(out).toContain('Created Department "A"');
  expect(err).toStartWith('acme.yaml:3: Department "B": This tenant has reached its limit MaxEventsPerDay: 1 ');
  expect(code).toBe(1);
});

test.concurrent("a token that ends during the question is replaced", async () => {
  const { apply, api } = await newApplyTenant();
  let token = "";
  // Forwards each call, and keeps the token.
  using proxy = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      headers.delete("host");
      const body = method === "GET" ? null : await request.text();
      const answer = await fetch(api.url + pathname + search, { method, headers, body });
      const text = await answer.text();
      if (pathname === "/oauth2/token") token = JSON.parse(text).access_token;
      return new Response(text, { status: answer.status });
    },
  });
  const ask = async () => {
    const authorization = `Basic ${btoa(`${api.clientId}:${api.clientSecret}`)}`;
    const revoked = { method: "POST", headers: { authorization }, body: new URLSearchParams({ token }) };
    expect((await fetch(`${api.url}/oauth2/revoke`, revoked)).status).toBe(200);
    return "yes";
  };
  const { err, code } = await apply("Department:\n  - Name: A\n", [], { ask, GATEHOUSE_URL: proxy.url.origin });
  expect([err, code]).toEqual(["", 0]);
});

test.concurrent("a file of 5,000 records is read in seconds", async () => {
  const { file, apply } = await newApplyTenant();
  await apply("Department: []\n", ["--plan"]);
  const record = (index: number) => `  - { Name: d${index}, ExternalId: D${index}, Description: x, Is_Active: true }\n`;
  writeFileSync(file, `Department:\n${Array.from({ length: 5_000 }, (_, index) => record(index)).join("")}`);
  // On a busy machine it takes longer than its own work.
  const before = process.cpuUsage();
  expect(readDocument(file, KINDS, {}).entries).toHaveLength(5_000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(20_000);
});

test.concurrent.each([
  [
    "without variables",
    { GATEHOUSE_URL: "", GATEHOUSE_CLIENT_ID: "" },
    "GATEHOUSE_URL, GATEHOUSE_CLIENT_ID must be set",
  ],
  ["with a wrong address", { GATEHOUSE_URL: "id.example.com" }, "GATEHOUSE_URL must be an https address"],
  ["with a service that is not there", { GATEHOUSE_URL: "http://127.0.0.1:9" }, "http://127.0.0.1:9 cannot be reached"],
  ["with a wrong secret", { GATEHOUSE_CLIENT_SECRET: "wrong" }, "client"],
])("%s it explains the setting", async (_, env, words) => {
  const { err, out, code } = await (await newApplyTenant()).apply("Department: []\n", ["--plan"], env);
  expect([err.includes(words), out, code, err.split("\n").length]).toEqual([true, "", 1, 1]);
});

test.concurrent("without a terminal it asks for --yes, and explains its options", async () => {
  const { apply } = await newApplyTenant();
  const asked = await apply("Department:\n  - Name: A\n", []);
  expect([asked.code, asked.err]).toEqual([1, "Nothing was changed: without a terminal, --yes or --plan is needed."]);
  const wrong = await apply("", ["--everything"]);
  expect([wrong.code, wrong.err.split("\n")[0]]).toEqual([
    1,
    "Usage: bun run apply FILE [--plan | --yes] [--prune] [--secrets]",
  ]);
});

test.concurrent("it asks before it applies, and applies only the plan that was shown", async () => {
  const { apply, api } = await newApplyTenant();
  const file = "Department:\n  - Name: A\n    Description: B\n";
  expect((await apply(file, [], { ask: () => "y" })).code).toBe(1);
  expect((await api.get("/Department")).body.Items).toEqual([]);
  let asked = "";
  const applied = await apply(file, [], {
    ask: (question) => {
      asked = question;
      return "yes";
    },
  });
  expect([asked, applied.code]).toEqual(["Apply these changes? Only yes applies them:", 0]);

  const changed = file.replace("B", "C");
  const meanwhile = await apply(changed, [], {
    ask: async () => {
      await api.made("Department", { Name: "A", Description: "D" });
      return "yes";
    },
  });
  expect(meanwhile.err).toBe("Nothing was changed: the server's records differ meanwhile. Start again.");
  expect((await api.get("/Department?Name=A")).body.Items[0].Description).toBe("D");
});

test("as a command it prints the plan, and its exit code is that of the run", async () => {
  const { api, file, apply } = await newApplyTenant();
  await apply("Department:\n  - Name: A\n", ["--plan"]);
  const child = Bun.spawn([process.execPath, "run", "apply", file, "--plan"], {
    cwd: ROOT,
    env: {
      ...withoutSettings(process.env),
      ...PROXIES,
      ...{ GATEHOUSE_URL: api.url, GATEHOUSE_CLIENT_ID: api.clientId, GATEHOUSE_CLIENT_SECRET: api.clientSecret },
    },
    stdout: "pipe",
  });
  expect(await new Response(child.stdout).text()).toStartWith('+ Department "A"  (acme.yaml:2)\n    Name: "A"\n');
  expect(await child.exited).toBe(2);
});

test("every record that the API can change is a kind of the file", async () => {
  const { paths } = await (await fetch(`${shared().url}/openapi.json`)).json();
  const changed = Object.keys(paths).filter((path) => paths[path].patch);
  const kinds = KINDS.map(({ name, partOf }) => `${API}/${partOf ? `${partOf}/{Id}/` : ""}${name}`);
  // Redeliveries and imports are actions in progress, and an invitation is a mail.
  const actions = ["Redelivery/{Id}", "Invitation", "InvitationImport/{Id}"].map((path) => `${API}/${path}`);
  expect(changed.filter((path) => !kinds.includes(path))).toEqual(actions);
  expect(kinds.filter((path) => !changed.includes(path))).toEqual([]);
});

test.concurrent("every field of every kind keeps its example, so a second run changes nothing", async () => {
  const { apply } = await newApplyTenant();
  const sections = KINDS.filter(({ partOf }) => !partOf).map((kind): [string, unknown] => {
    const parts = KINDS.filter(({ partOf }) => partOf === kind.name).map((part) => [part.name, exampleOf(part)]);
    const record = { ...exampleOf(kind), ...Object.fromEntries(parts) };
    return [kind.name, kind.identifiers.length > 0 ? [record] : record];
  });
  // YAML contains JSON. The member of the role is the user of the file, and an audience is unique in the installation.
  const file = JSON.stringify(Object.fromEntries(sections), null, 2)
    .replaceAll('"Id": 7', '"Username": "ana"')
    .replace("https://orders.example.com", `https://${crypto.randomUUID()}.example.com`);
  const made = await apply(file);
  expect([made.err, made.code]).toEqual(["", 0]);
  expect(shown(await apply(file))).toEqual([`No changes. ${KINDS.length} as in the file.`]);
});

/** Without secrets and hidden values, and without references to records that do not exist. */
function exampleOf({ contract, settable }: (typeof KINDS)[number]): Record<string, unknown> {
  const example: Record<string, unknown> = contract.example;
  const isHidden = (value: unknown) => isObject(value) && Object.values(value).includes(null);
  const given = [...settable].filter(([name, field]) => {
    return !isSecret(field) && !field.target && field.shown && !isHidden(example[name]);
  });
  return Object.fromEntries(given.map(([name]) => [name, example[name]]));
}

test.concurrent("a record is not guessed among several", async () => {
  const { apply, api } = await newApplyTenant();
  for (const External_Id of ["one", "two"]) {
    const { Id } = await api.made("User", { External_Id });
    await api.made("User", { Id, Username: "ana" });
  }
  const { err, code } = await apply("User:\n  - Name: Ana\n    Username: ana\n");
  expect([err, code]).toEqual([
    'acme.yaml:3: User "ana": Username is used by several records. Change it in all but one.',
    1,
  ]);
});
