// The pages of users, departments, policies, roles, signing keys and the audit log: axe finds nothing in them, they fit,
// and the browser has nothing to complain of.

import { test } from "bun:test";
import { enrolled } from "../account/person.ts";
import { Client, newClient, otherClient } from "../authorize/client.ts";
import { signIn } from "../support/api.ts";
import { openWindows } from "../support/browser.ts";
import { shared } from "../support/tenant.ts";
import { enterSettings, inspectAll, type Listed, newColleague, type Visitor } from "./console.ts";

interface Ids {
  user: string;
  department: string;
  policy: string;
  role: string;
  event: string;
}

/** Submits the page's form without the browser's validation. */
async function send({ page }: Visitor, button: string, fields: Record<string, string>): Promise<void> {
  await page.locator("main form.fields").evaluate((form) => form.setAttribute("novalidate", ""));
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("alert").waitFor();
}

const PAGES: Listed<Ids>[] = [
  { name: "users", path: () => "/settings/users?Limit=10" },
  { name: "users-none", path: () => "/settings/users?Search=nobody+at+all&Is_Active=true" },
  { name: "user-add", path: () => "/settings/users/add" },
  {
    name: "user-refused",
    path: () => "/settings/users/add",
    act: (visitor) =>
      send(visitor, "Add user", { "User name": "admin", "Full name": `<b>"Ana"</b> ${"long ".repeat(30)}` }),
  },
  { name: "user", path: ({ user }) => `/settings/users/${user}` },
  { name: "user-change", path: ({ user }) => `/settings/users/${user}/change` },
  { name: "user-delete", path: ({ user }) => `/settings/users/${user}/delete` },
  {
    name: "user-password-link",
    path: ({ user }) => `/settings/users/${user}`,
    act: async ({ page }) => {
      await page.getByRole("button", { name: "Make password link" }).click();
      await page.getByRole("heading", { name: "Password link" }).waitFor();
    },
  },
  { name: "user-second-factor", path: ({ user }) => `/settings/users/${user}/second-factor/remove` },
  { name: "user-sessions", path: ({ user }) => `/settings/users/${user}/sessions` },
  { name: "user-sessions-end", path: ({ user }) => `/settings/users/${user}/sessions/end` },
  { name: "user-roles", path: ({ user }) => `/settings/users/${user}/roles` },
  { name: "user-applications", path: ({ user }) => `/settings/users/${user}/applications` },
  { name: "departments", path: () => "/settings/departments" },
  { name: "department", path: ({ department }) => `/settings/departments/${department}` },
  { name: "department-add", path: () => "/settings/departments/add" },
  { name: "department-change", path: ({ department }) => `/settings/departments/${department}/change` },
  { name: "department-delete", path: ({ department }) => `/settings/departments/${department}/delete` },
  { name: "policies", path: () => "/settings/policies" },
  { name: "policies-none", path: () => "/settings/policies?Name=Nothing" },
  { name: "policy-versions", path: ({ policy }) => `/settings/policies/${policy}/versions` },
  {
    name: "policy-words",
    path: () => "/settings/policies/add",
    act: async ({ page }) => {
      for (const part of await page.locator("main details").all()) await part.locator("summary").click();
    },
  },
  { name: "policy-try", path: ({ policy }) => `/settings/policies/try?Id=${policy}` },
  {
    name: "policy-try-denied",
    path: ({ policy }) => `/settings/policies/try?Id=${policy}`,
    act: async ({ page }) => {
      await page.getByLabel("Which one").fill("admin");
      await page.getByLabel("Which record").fill("nobody's");
      await page.getByRole("button", { name: "Try this call" }).click();
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "policy-try-changes",
    path: () => "/settings/policies/try",
    act: async ({ page }) => {
      await page.getByLabel("Policy", { exact: true }).fill("forbid (principal, action, resource is User);");
      await page.getByRole("button", { name: "Who would it change?" }).click();
      await page.getByRole("heading", { name: "What changes" }).waitFor();
    },
  },
  { name: "policy", path: ({ policy }) => `/settings/policies/${policy}` },
  {
    name: "policy-refused",
    path: () => "/settings/policies/add",
    act: (visitor) =>
      send(visitor, "Save policy", {
        Name: "Sales",
        Policy: [
          "permit (",
          '  principal in Role::"editor",',
          '  action == Action::"AccessManager:Raed",',
          "  resource is Application",
          ")",
          'when { resource.Nmae like "Sales *" };',
        ].join("\n"),
      }),
  },
  { name: "policy-delete", path: ({ policy }) => `/settings/policies/${policy}/delete` },
  { name: "roles", path: () => "/settings/roles" },
  { name: "role", path: ({ role }) => `/settings/roles/${role}` },
  { name: "role-members-add", path: ({ role }) => `/settings/roles/${role}/members/add` },
  { name: "role-members-none", path: ({ role }) => `/settings/roles/${role}/members/add?Search=nobody+at+all` },
  { name: "role-add", path: () => "/settings/roles/add" },
  { name: "role-change", path: ({ role }) => `/settings/roles/${role}/change` },
  { name: "role-delete", path: ({ role }) => `/settings/roles/${role}/delete` },
  { name: "organisation", path: () => "/settings/organisation" },
  { name: "api-reference", path: () => "/settings/api" },
  { name: "signing-keys", path: () => "/settings/signing-keys" },
  { name: "audit-log", path: () => "/settings/audit-log" },
  { name: "audit-log-refused", path: () => "/settings/audit-log?ActorId=7&Kind=SignOut" },
  { name: "audit-event", path: ({ event }) => `/settings/audit-log/${event}` },
];

/** A tenant with something to see on every page. */
async function arrange(): Promise<{ client: Client; ids: Ids }> {
  const client = await newClient({ first_party: true });
  const api = await signIn(shared().url, client.tenant);
  // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
  const call = async (method: string, path: string, body?: unknown): Promise<any> =>
    (await api.call(method, path, body)).body;
  const company = await call("PATCH", "/Department", { Name: "Northwind", ExternalId: "NW", Is_Active: true });
  const finance = await call("PATCH", "/Department", {
    Name: "Finance",
    ExternalId: "FIN",
    Description: "Books and payments.\nAlso insurance.",
    Is_Active: true,
    ParentId: { Id: company.Id },
  });
  await call("PATCH", "/Department", { Name: "Payroll", ParentId: { Id: finance.Id } });
  const colleague = await newColleague(api, "editor");
  const found = await call("GET", `/User?Username=${encodeURIComponent(colleague.username)}`);
  const user = found.Items[0].Id;
  const Username = "ana";
  const more = { Name: "Ana Silva", Email: "ana@example.com", MobilePhone: "+351 912 345 678", External_Id: "HR-1042" };
  await call("PATCH", "/User", { Id: user, Username, ...more, Department: { Id: finance.Id } });
  const ana = new Client({ ...client.tenant, admin: { ...colleague, username: Username } });
  const { person } = await enrolled(ana);
  const other = await otherClient(ana);
  await other.visit(person.visitor);
  const names = ["Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim"];
  const people = Array.from({ length: 12 }, (_, index) => ({
    Name: `${names[index % names.length]} Number ${index + 1}`,
    Username: `user${index + 1}`,
    Email: `user${index + 1}@example.com`,
    Is_Active: index % 7 !== 0,
  }));
  await call("PATCH", "/User", people);
  const role = (await call("GET", "/Role?Name=editor")).Items[0].Id;
  const policy = (await call("GET", "/Policy?Name=Auditors")).Items[0].Id;
  const event = (await call("GET", "/AuditEvent?Kind=Role.Changed")).Items[0].Id;
  return { client, ids: { user, department: finance.Id, policy, role, event } };
}

const browser = openWindows();

const PATIENCE_MS = 400_000;

test(
  "every page of people and access is accessible and fits, on a desktop and on a phone",
  async () => {
    const { client, ids } = await arrange();
    await inspectAll(await enterSettings(browser, client.tenant), PAGES, ids);
  },
  PATIENCE_MS,
);
