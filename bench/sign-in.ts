// Checks that the time of a rejected sign-in does not reveal whether the account exists. It compares wrong passwords of a
// known account with unknown user names, accounts without a password, and inactive accounts. Requests are sent one at a
// time. Failure counts are cleared in between, because a throttled attempt is answered sooner.
//
//   bun run bench sign-in [--rounds=7] [--attempts=20]

import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { startOwnApi } from "./own-api.ts";
import { spread } from "./rounds.ts";

const { values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "7" }, attempts: { type: "string", default: "20" } },
});
const [rounds, attempts] = [Number(values.rounds), Number(values.attempts)];

/** Fewer failures than one account and one address may have before they are throttled. */
const UNCOUNTED = 4;
const WARM_UP = 10;

let made = 0;

await using api = await startOwnApi();
const { sql, tenant } = api;
const { tenantId, admin } = tenant;

await sql`
  insert into users (tenant_id, username, is_active)
  values (${tenantId}, 'no-password', true), (${tenantId}, 'switched-off', false)`;
await sql`
  insert into passwords (user_id, hash)
  select o.id, p.hash from users o, passwords p join users u on u.id = p.user_id
  where o.tenant_id = ${tenantId} and o.username = 'switched-off' and u.tenant_id = ${tenantId}
    and u.username = ${admin.username}`;

/** The others are compared to the first. */
const ACCOUNTS: Record<string, () => string> = {
  "known account": () => admin.username,
  "unknown user name": () => `nobody-${crypto.randomUUID().slice(0, 8)}`,
  "no password": () => "no-password",
  inactive: () => "switched-off",
};

const form = await openForm();
for (let n = 0; n < WARM_UP; n++) for (const name of Object.values(ACCOUNTS)) await attempt(name());

const measured = Array.from({ length: rounds }, () => new Map<string, number[]>());
for (const round of measured) {
  for (let n = 0; n < attempts; n++) {
    // In random order, so the pause does not always precede the same account.
    for (const [account, name] of shuffled(Object.entries(ACCOUNTS))) {
      round.set(account, [...(round.get(account) ?? []), await attempt(name())]);
    }
  }
}
report();

function report(): void {
  const [known, ...others] = Object.keys(ACCOUNTS) as [string, ...string[]];
  const medianOf = (account: string, round: Map<string, number[]>) => spread([...round.get(account)!])[0];
  console.log("\nrejected sign-ins (aim: a ratio of 1.00)");
  for (const account of [known, ...others]) {
    const all = spread(measured.flatMap((round) => round.get(account)!));
    const ratios = spread(measured.map((round) => medianOf(account, round) / medianOf(known, round)));
    const [median, lowest, highest] = all.map((time) => time.toFixed(2));
    const [ratio, min, max] = ratios.map((value) => value.toFixed(3));
    const time = `${median} ms (${lowest} to ${highest})`;
    const against = account === known ? "" : `ratio ${ratio} (${min} to ${max})`;
    console.log(`  ${account.padEnd(18)} ${time.padEnd(32)} ${against}`);
  }
  console.log(`  ${rounds} rounds of ${attempts} attempts each, load average ${loadavg()[0]!.toFixed(1)}`);
}

/** @returns the page's form and its cookie */
async function openForm() {
  const { clientId, redirectUris } = tenant.client;
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: redirectUris[0]! });
  const page = await fetch(`${api.url}/oauth2/authorize?${query}`);
  const html = await page.text();
  const csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1];
  if (!csrf) throw new Error(`There is no form: ${page.status} ${html}`);
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  return { csrf, cookie, request: `/oauth2/authorize?${query}` };
}

/** @returns milliseconds until the complete answer */
async function attempt(username: string): Promise<number> {
  if (made++ % UNCOUNTED === 0) await sql`delete from signin_failures where tenant_id = ${tenantId}`;
  const { cookie, ...fields } = form;
  const body = new URLSearchParams({ ...fields, username, password: "not the password" });
  const begun = performance.now();
  const answer = await fetch(`${api.url}/signin`, { method: "POST", headers: { cookie }, body, redirect: "manual" });
  await answer.arrayBuffer();
  const elapsed = performance.now() - begun;
  if (answer.status !== 422) throw new Error(`A wrong password was answered by ${answer.status}.`);
  return elapsed;
}

function shuffled<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
