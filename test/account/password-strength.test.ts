// New passwords are hard to guess, also for attackers who know the user, the organisation and the service.

import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEstimateStrength, ESTIMATED_LENGTH } from "../../server/identity/signin/strength.ts";
import { newId, type TenantId } from "../../server/platform/ids.ts";
import { type Api, ok } from "../world/api.ts";
import { alertOf, Person, signedIn } from "../world/person.ts";
import { setRows } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const ANA = { Name: "Ana Reis", Email: "ana.reis@payroll.example", Is_Active: true };

/** A one-time link for a new user. */
async function linkFor(api: Api, user: object): Promise<string> {
  const { Id } = await ok(api.patch("/User", user));
  const { Url } = await ok(api.call("POST", `/User/${Id}/PasswordReset`));
  return new URL(Url).pathname + new URL(Url).search;
}

const GUESSABLE: [string, RegExp][] = [
  ["ana.reis@payroll.example", /It contains your e-mail address\./],
  ["ANA.REIS@payroll.example", /It contains your e-mail address\./],
  ["anareis1", /less than a second|about \d+ seconds?/],
  ["AnaReis2026!", /about/],
  ["Passw0rd!", /It contains a common password or word\./],
  ["Summer2026!", /about \d+ minutes?\. It contains a common password or word\./],
  ["aaaaaaaa", /It contains repetitions\./],
  ["abababababab", /It contains repetitions\./],
  ["a".repeat(256), /It contains repetitions\./],
  ["password1password1", /It contains repetitions\./],
  ["abcdefgh", /It contains/],
  ["qwertyuiop", /It contains/],
  ["12345678", /It contains a common password or word\./],
  ["31.12.1999", /It contains a date\./],
  ["gatehouse", /It contains the name of this service\./],
  ["Gatehouse!1", /It contains the name of this service\./],
  ["Musterwerk 1", /It contains the name of your organisation\./],
  ["musterwerkag", /It contains the name of your organisation\./],
  ["Ana-Musterwerk-2026", /It contains .*the name of your organisation/],
  ["Mu5t3rw3rk-G@t3h0us3-2026", /It contains .*the name of this service/],
  ["reis-ana-reis", /It contains .*your e-mail address/],
  ["payroll.example-ana", /It contains .*your e-mail address/],
  ["Reis.Ana.Gatehouse.Musterwerk.2026", /It contains .*your e-mail address/],
  ["Gatehouse_Ana_31.12.1999", /a date/],
  ["Winter2025!!", /It contains a common password or word and a year\./],
  ["Winter-2025!!!", /It contains a common password or word and a year\./],
  ["Passw0rd Winter 2025", /It contains a common password or word/],
  ["Lisboa2026!", /It contains a single word and a year\./],
  ["2026-Coimbra!", /It contains a single word/],
  ["LISBOA2025!", /It contains a single word/],
  ["Alcobaça123!", /It contains a single word and a sequence\./],
  ["Setúbal47!", /It contains a single word\./],
  ["Москва2026!", /It contains/],
  ["Ｐａｓｓｗ０ｒｄ！", /It contains a common password or word/],
  ["P\u200ba\u200bs\u200bs\u200bw\u200b0\u200br\u200bd\u200b!", /It contains a common password or word/],
  ["P\u2063a\u034fs\u3164s\ufe0fw0rd!", /It contains a common password or word/],
  ["Раѕѕw0rd!", /It contains a common password or word/],
  ["Pässwörd1!", /It contains a common password or word/],
  ["Ｍｕѕtｅｒｗｅrk-2026", /It contains .*the name of your organisation/],
];

describe.concurrent("a password that is easy to guess", () => {
  test("is refused at both places, with the time in words and its reason, and not repeated", async () => {
    const api = await newTenant();
    await setRows("tenants", { id: api.tenantId }, { name: `Musterwerk AG ${api.tenantId}` });
    const visitor = new Visitor();
    const link = await linkFor(api, { ...ANA, Username: "ana" });
    const page = await visitor.open(link);
    for (const [new_password, says] of GUESSABLE) {
      const view = await visitor.submit(page, { new_password });
      const alert = alertOf(view);
      expect({ new_password, status: view.status, alert }).toEqual({
        new_password,
        status: 422,
        alert: expect.stringMatching(says),
      });
      expect(alert).toMatch(/^This password could be guessed in (less than a second|about \d+ \w+)\./);
      expect(alert).toEndWith("Choose a longer one, such as several unrelated words.");
      expect(alert).not.toContain(new_password);
    }
    expect((await visitor.submit(page, { new_password: "plum trolley vivid anchor" })).heading).toBe(
      "Your password is set",
    );

    const person = await signedIn();
    const { password } = person.client.tenant.admin;
    for (const new_password of ["Administrator2026!", "admin123", "Passw0rd!"]) {
      const view = await person.send("/account/password", { password, new_password });
      expect({ new_password, status: view.status, alert: alertOf(view) }).toEqual({
        new_password,
        status: 422,
        alert: expect.stringContaining("could be guessed in"),
      });
    }
    expect((await new Person(person.client).signIn(password)).status).toBe(302);
  });
});

test("a user name is known also if the names of the user and the organisation are long", async () => {
  const api = await newTenant();
  const parts = (start: string) => Array.from({ length: 24 }, (_, count) => `${start}${count + 10}`);
  await setRows("tenants", { id: api.tenantId }, { name: parts("o").join(" ") });
  const Email = `${parts("e").slice(0, 15).join(".")}@payroll.example`;
  const user = { Username: "qzvxkwjp", Name: parts("n").join(" "), Email, Is_Active: true };
  const visitor = new Visitor();
  const page = await visitor.open(await linkFor(api, user));
  const view = await visitor.submit(page, { new_password: "Qzvxkwjp17" });
  expect(alertOf(view)).toContain("It contains your user name");
});

test("only who knows the old password learns what is wrong with the new one", async () => {
  const person = await signedIn();
  const view = await person.send("/account/password", { password: "a wrong guess", new_password: "Passw0rd!" });
  expect(alertOf(view)).toBe("Wrong password.");
});

describe("an estimate", () => {
  const estimate = createEstimateStrength();
  const tenantId = newId<TenantId>();
  let people = 0;
  const somebody = (tenant = tenantId) => ({ tenantId: tenant, userId: ++people });

  test("accepts generated passwords and unrelated words", async () => {
    for (let tried = 0; tried < 20; tried++) {
      const generated = randomBytes(15).toString("base64url");
      expect(await estimate(somebody(), generated, ["admin"])).toMatchObject({ strong: true });
    }
    const phrases = [
      "plum trolley vivid anchor",
      "correct horse battery staple",
      "plum-trolley-vivid",
      "admin plum trolley vivid",
      "coffee-window-1984-lamp",
      "k$9!xQ2#vB",
      "прогулка тёплый чайник",
      "Lisboa tram 28 verde",
      "plumtrolley vivid",
      "Lisboa-4711-Hxq!",
      "xkqzvbnwpl47!",
      "Lisboa83042!",
    ];
    for (const phrase of phrases) {
      expect({ phrase, ...(await estimate(somebody(), phrase, ["admin"])) }).toMatchObject({ phrase, strong: true });
    }
  });

  test("looks at the beginning of a long password, and runs in a thread", async () => {
    for (const part of ["a", "4@8({[<", "p4$$w0rd5!", "monkeydragonletmein", "12", "1.1.2011"]) {
      const long = part.repeat(100_000);
      const pending = estimate(somebody(), long, []);
      const first = await Promise.race([pending.then(() => "estimated"), Bun.sleep(0).then(() => "other work")]);
      expect(first).toBe("other work");
      expect(await pending).toEqual(await estimate(somebody(), long.slice(0, ESTIMATED_LENGTH), []));
    }
  });

  test("is limited for one person, and for one tenant", async () => {
    const one = somebody();
    const own = Array.from({ length: 60 }, () => estimate(one, "aaaaaaaa", []));
    const others = Array.from({ length: 50 }, () => estimate(somebody(), "aaaaaaaa", []));
    const elsewhere = estimate(somebody(newId()), "aaaaaaaa", []);
    const [ofOne, ofOthers] = await Promise.all([own, others].map(refusalsOf));
    expect(ofOne).toEqual(
      Array(58).fill("This person has 2 password checks in progress, the maximum. Try again when these have ended."),
    );
    expect(ofOthers).toEqual(Array(2).fill(expect.stringContaining("This tenant has 50 password checks in progress")));
    await elsewhere;
  });

  const FAULTS = {
    "ends in silence": ["process.exit(0)", "The check of the password was interrupted. Try again."],
    "never answers": ["{}", "The check of the password took too long. Try again in a moment."],
    "never comes to an end": ["for (;;) {}", "The check of the password took too long. Try again in a moment."],
    throws: ["throw new Error('broken')", "broken"],
  };
  for (const [fault, [statement, says]] of Object.entries(FAULTS)) {
    test(`in a thread that ${fault} is refused, and the next one has a new thread`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "gatehouse-"));
      const code = pathToFileURL(join(folder, "thread.ts"));
      const broken = createEstimateStrength({ code, maxMs: 3_000 });
      const thread = (answer: string) =>
        writeFile(
          code,
          `import { parentPort } from "node:worker_threads"; parentPort.on("message", () => { ${answer} });`,
        );
      await thread(statement!);
      const tries = [somebody(), somebody(newId())].map((who) => broken(who, "aaaaaaaa", []));
      expect(await refusalsOf(tries)).toEqual(Array(2).fill(expect.stringContaining(says!)));
      await thread(`parentPort.postMessage({ strength: "estimated" })`);
      expect(await broken(somebody(), "aaaaaaaa", [])).toBe("estimated" as never);
      await rm(folder, { recursive: true });
    });
  }
});

async function refusalsOf(tries: Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(tries);
  return results.flatMap((result) => (result.status === "rejected" ? [(result.reason as Error).message] : []));
}
