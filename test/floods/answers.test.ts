// Answers to our own requests: however a provider answers, the test of its settings says so, and other tenants' requests
// are answered meanwhile.

import { expect, test } from "bun:test";

import { ok, unique } from "../world/api.ts";
import { type Behaviour, startForgedProvider } from "../world/forged-provider.ts";
import { addProvider, newUpstreamTenant } from "../world/provider.ts";
import { newTenant } from "../world/tenant.ts";
import { apart } from "./doubling.ts";
import { FLOOR_MS, slowestOf } from "./neighbour.ts";

/** A busy machine is late, but not each time. */
const TRIES = 4;
/** An answer has at most 256 KiB. */
const LENGTH = 120_000;
const HOSTS: Record<string, string> = {
  marks: "\u0316\u0301".repeat(LENGTH / 2),
  "marks apart": apart("\u00ad", LENGTH),
  "marks apart, of a limited length": apart("\u2064", 3_900),
  "escaped marks": "%CC%96%CC%81".repeat(LENGTH / 12),
  "characters that grow": "\ufdfa".repeat(LENGTH / 2),
};
const MEMBERS = ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"];

const hosts: [string, Behaviour, string][] = Object.entries(HOSTS).flatMap(([name, host]) =>
  MEMBERS.map((member): [string, Behaviour, string] => [
    `${member} of ${name}`,
    { metadata: { [member]: `https://a${host}/` } },
    "Metadata",
  ]),
);

const key = { kty: "RSA", n: "x", e: "AQAB" };
const others: [string, Behaviour, string][] = [
  [
    "an end of sessions at a host of marks",
    { metadata: { end_session_endpoint: `https://a${HOSTS.marks}/` } },
    "SignOut",
  ],
  [
    "many algorithms for many keys",
    {
      metadata: { id_token_signing_alg_values_supported: Array.from({ length: 25_000 }, () => "RS256") },
      answers: { "/jwks": () => Response.json({ keys: Array.from({ length: 5_000 }, () => ({ ...key, n: "y" })) }) },
    },
    "",
  ],
  [
    "many addresses",
    {
      metadata: Object.fromEntries(
        Array.from({ length: 3_000 }, (_, at) => [`m${at}`, `https://${apart("\u00ad", 20)}${at}/`]),
      ),
    },
    "",
  ],
];

test.each([...hosts, ...others])("%s", async (_, behaviour, failing) => {
  await using provider = await startForgedProvider(behaviour);
  const [{ caller }, neighbour] = await Promise.all([tenant, newTenant()]);
  const { Id } = await addProvider(caller, {
    ...{ Name: unique("provider"), Issuer: provider.issuer, ClientSecret: "a secret", SignOut: true },
  });
  let slowest = Number.POSITIVE_INFINITY;
  let Checks: { Name: string; Outcome: string }[] = [];
  for (let turn = 0; turn < TRIES && slowest >= FLOOR_MS; turn++) {
    const asked = ok(caller.call<{ Checks: typeof Checks }>("POST", `/IdentityProvider/${Id}/Test`, {}));
    slowest = Math.min(slowest, await slowestOf(neighbour, asked));
    ({ Checks } = await asked);
  }
  expect(slowest).toBeLessThan(FLOOR_MS);
  const failed = Checks.filter(({ Outcome }) => Outcome === "Failed").map(({ Name }) => Name);
  if (failing) expect(failed).toContain(failing);
  else expect(failed).not.toContain("Metadata");
});

const tenant = newUpstreamTenant({ Issuer: "https://id.example.com" });
