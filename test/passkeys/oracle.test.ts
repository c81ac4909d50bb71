// Registrations and assertions of an authenticator in software, judged by a second library: the public
// key, the counter and the model that we store are those that it reads, and it refuses what we refuse.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { cachedFolder, markOf } from "../support/cache.ts";
import { printedBy } from "../support/packages.ts";
import { issuer } from "../world/client.ts";
import { Person, signedIn } from "../world/person.ts";
import { rowsOf } from "../world/rows.ts";
import { type Answer, answerWith, newPasskeyPage, optionsOf, SecurityKey } from "../world/security-key.ts";
import type { View } from "../world/visitor.ts";

const VERSION = "3.0.1";

interface Case {
  credential: unknown;
  challenge: string;
  rpId: string;
  origin: string;
  publicKey?: string;
}

/** Installed once. */
async function judge(cases: Case[]): Promise<unknown[]> {
  const options = ["--quiet", "--disable-pip-version-check", "--retries", "10"];
  const mark = markOf(VERSION, await printedBy(["python3", "--version"]));
  const PYTHONPATH = await cachedFolder(`webauthn-${mark}`, (folder) =>
    printedBy(["python3", "-m", "pip", "install", ...options, "--target", folder, `webauthn==${VERSION}`]),
  );
  const script = join(import.meta.dir, "oracle.py");
  return JSON.parse(
    await printedBy(["python3", script], undefined, { input: JSON.stringify(cases), env: { PYTHONPATH } }),
  );
}

function caseOf(view: View, credential: string, publicKey?: string): Case {
  const { challenge, rpId, rp } = optionsOf(view);
  const at = { challenge, rpId: rpId ?? rp.id, origin: issuer() };
  return { credential: JSON.parse(credential), ...at, ...(publicKey && { publicKey }) };
}

const WRONG: Answer[] = [
  { origin: "https://evil.example" },
  { rpId: "evil.example" },
  { challenge: "A".repeat(43) },
  { isVerified: false },
  { type: "webauthn.other" },
];

test("a second library accepts and reads the same bytes as we do, and refuses the same", async () => {
  const person = await signedIn();
  const aaguid = crypto.randomUUID();
  const key = new SecurityKey({ isSynced: true, counts: true, aaguid });
  const page = await newPasskeyPage(person);
  const wrongNew = WRONG.map((answer) => caseOf(page, key.create(page, answer)));
  const made = key.create(page);
  await answerWith(person, page, made);
  const [stored] = await rowsOf("passkeys", { tenant_id: person.client.tenant.tenantId });
  const publicKey = Buffer.from(stored!.public_key as Uint8Array).toString("base64url");

  const other = new Person(person.client);
  const asked = await other.visitor.open(person.client.authorize());
  const wrongUse = [...WRONG, { signedBy: new SecurityKey() }].map((answer) =>
    caseOf(asked, key.get(asked, answer), publicKey),
  );
  const used = key.get(asked);
  expect((await answerWith(other, asked, used)).location).toBeDefined();
  const [after] = await rowsOf("passkeys", { tenant_id: person.client.tenant.tenantId });

  const [registration, assertion, ...refused] = await judge([
    caseOf(page, made),
    caseOf(asked, used, publicKey),
    ...wrongNew,
    ...wrongUse,
  ]);
  expect(registration).toEqual({ publicKey, count: Number(stored!.sign_count), aaguid, isSynced: true });
  expect(stored!.aaguid).toBe(aaguid);
  expect(assertion).toEqual({ count: Number(after!.sign_count), isSynced: true });
  expect(refused).toHaveLength(wrongNew.length + wrongUse.length);
  for (const one of refused) expect(one).toHaveProperty("refused");
}, 300_000);
