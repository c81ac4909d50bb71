// Passwords: their rules, their hashes, and asking signed-in users for their own.

import { randomBytes, randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { createBudget } from "../../platform/budget.ts";
import type { Sql } from "../../platform/db/sql.ts";
import { isPlaceholderTenant, type TenantId } from "../../platform/ids.ts";
import { matchesHash } from "../../platform/password-hash/formats.ts";
import { originOf } from "../../records/index.ts";
import { texts } from "../../ui/index.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { Session, Visitor } from "./session.ts";
import { findPasswordHash, findPasswordOwner, type PasswordOwner, usernameKey } from "./store.ts";
import { createEstimateStrength, ESTIMATED_LENGTH, plain } from "./strength.ts";
import type { Strength } from "./strength-thread.ts";
import { ANY_TENANT, admit, type CheckOutcome, countSuccess, noteFailure, noteThrottled } from "./throttle.ts";

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Hashes computed at once. Each takes 19 MiB and a core, so more than one per core would only slow requests down. */
const TOTAL = availableParallelism();
const BUDGET = { name: "passwords", perTenant: Math.ceil(TOTAL / 2), total: TOTAL, waiting: 200 };
/** Few, so they follow the load. */
const TIMES_KEPT = 20;
/** The maximum number of characters. */
const PASSWORD_LIMIT = 1_000;

export interface Passwords {
  /**
   * Takes the same time without a hash, which means no account or no password, and for tenants that do not exist. Those
   * share the budget of one tenant, so naming many makes no other tenant wait.
   * @param decoy checked if there is no hash; default: one of our own @throws TenantBusy
   */
  verify(tenantId: TenantId, password: string, hash: string | undefined, decoy?: string): Promise<boolean>;
  /** @throws TenantBusy */
  hash(tenantId: TenantId, password: string): Promise<string>;
}

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(normalized(password), ARGON2ID);
}

/** Keyboards produce the same characters composed or decomposed (NIST SP 800-63B 5.1.1.2). */
function normalized(password: string): string {
  return password.normalize("NFC");
}

export function createPasswords(): Passwords {
  const budget = createBudget(BUDGET);
  // Tenants that do not exist have queues like others, so a flood of one name does not reveal whether it exists.
  const pretended = createBudget({ ...BUDGET, total: Number.POSITIVE_INFINITY });
  const times = new RecentTimes();
  const dummy = times.measure(() => hashPassword(randomBytes(32).toString("base64url")));
  function inTurn(tenantId: TenantId, check: () => Promise<boolean>): Promise<boolean> {
    const turn = () => budget.run(tenantId, check);
    return budget.isIdle(tenantId) ? times.measure(turn) : turn();
  }
  /**
   * For a tenant that does not exist: one check at a time is computed, to measure the present load; the others only
   * wait.
   */
  async function checkOrWait(check: () => Promise<boolean>): Promise<void> {
    if (budget.isIdle(ANY_TENANT)) await inTurn(ANY_TENANT, check);
    else await Bun.sleep(times.any());
  }
  return {
    async verify(tenantId, password, hash, decoy) {
      if (password === "" || password.length > PASSWORD_LIMIT) return false;
      const against = hash ?? decoy ?? (await dummy);
      const check = () => matchesHash(password, against);
      if (isPlaceholderTenant(tenantId)) {
        await pretended.run(tenantId, () => checkOrWait(check));
        return false;
      }
      return (await inTurn(tenantId, check)) && hash !== undefined;
    },
    hash: (tenantId, password) => budget.run(tenantId, () => hashPassword(password)),
  };
}

/** How long recent checks took, with the wait for a core, if their tenant had no other check in progress. */
class RecentTimes {
  readonly #times: number[] = [];

  async measure<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    const done = await work();
    this.#times.push(performance.now() - began);
    if (this.#times.length > TIMES_KEPT) this.#times.shift();
    return done;
  }

  /** A random recent time, so pretended times vary like real ones. */
  any(): number {
    return this.#times[randomInt(this.#times.length)]!;
  }
}

// The rules of a password, by NIST SP 800-63B 5.1.1.2: long enough and hard to guess. There are no rules about kinds of
// characters.

export const PASSWORD_LENGTH = { min: 8, max: 256 };

/** @returns why a user's new password is rejected; undefined if it is accepted @throws TenantBusy, ServiceBusy */
export type PasswordProblem = (
  /** `owner`: of a user who does not exist yet. */
  user: { tenantId: TenantId; userId: number; owner?: PasswordOwner },
  password: string,
  language: texts.Language,
) => Promise<string | undefined>;

/** @param host of this service, which attackers try in passwords */
export function createPasswordProblem(sql: Sql, host: string): PasswordProblem {
  const estimate = createEstimateStrength();
  return async (user, password, language) => {
    const { t, locale } = language;
    const { format } = new Intl.NumberFormat(locale);
    // A long text is not normalized, because that would take long.
    const length = password.length > PASSWORD_LIMIT ? Number.POSITIVE_INFINITY : [...normalized(password)].length;
    if (length < PASSWORD_LENGTH.min) return texts.fill(t.passwordTooShort, { min: format(PASSWORD_LENGTH.min) });
    if (length > PASSWORD_LENGTH.max) return texts.fill(t.passwordTooLong, { max: format(PASSWORD_LENGTH.max) });
    const words = knownWords(user.owner ?? (await findPasswordOwner(sql, user.tenantId, user.userId)), host);
    const strength = await estimate(user, normalized(password), [...words.keys()]);
    return strength.strong ? undefined : weakness(strength, words, language);
  };
}

function weakness({ seconds, parts }: Strength, words: Map<string, WeakPart>, { t, locale }: texts.Language): string {
  const found = [...new Set(parts.flatMap((part) => namePart(part, words) ?? []))].map((part) => t.weakParts[part]);
  const list = new Intl.ListFormat(locale).format(found);
  const contains = found.length > 0 ? [texts.fill(t.passwordContains, { parts: list })] : [];
  const time = inWords(seconds, { t, locale });
  return [texts.fill(t.passwordWeak, { time }), ...contains, t.passwordAdvice].join(" ");
}

type WeakPart = keyof texts.Texts["weakParts"];

function namePart(
  { pattern, dictionaryName, matchedWord = "" }: Strength["parts"][number],
  words: Map<string, WeakPart>,
): WeakPart | undefined {
  if (pattern !== "dictionary") return PATTERNS.get(pattern);
  return dictionaryName === "userInputs" ? words.get(matchedWord) : "common";
}

const PATTERNS = new Map<string, WeakPart>([
  ["word", "word"],
  ["spatial", "spatial"],
  ["repeat", "repeat"],
  ["sequence", "sequence"],
  ["wordSequence", "sequence"],
  ["regex", "regex"],
  ["date", "date"],
]);

const UNITS = { hour: 3_600, minute: 60, second: 1 } as const;

function inWords(seconds: number, { t, locale }: Pick<texts.Language, "t" | "locale">): string {
  const name = (Object.keys(UNITS) as (keyof typeof UNITS)[]).find((one) => seconds >= UNITS[one]);
  return name ? texts.fill(t.about, { time: texts.unit(locale, seconds / UNITS[name], name) }) : t.lessThanSecond;
}

const SERVICE = "gatehouse";
/** Shorter words occur in others by chance. */
const MIN_WORD = 3;

/**
 * Words about the user and the service in lower case, in whole, in parts and joined; each with its name. The first are the
 * most important ones, because an estimate takes a limited number.
 */
function knownWords({ username, name, email, organisation }: PasswordOwner, host: string): Map<string, WeakPart> {
  const named = { username, email, service: SERVICE, name, organisation, host } satisfies Partial<
    Record<WeakPart, string>
  >;
  const words = (Object.entries(named) as [WeakPart, string][]).flatMap(([what, text]) => {
    const whole = normalized(text.slice(0, ESTIMATED_LENGTH)).toLowerCase();
    const parts = whole.split(/[^\p{L}\p{M}\p{N}]+/u);
    const all = [whole, whole.replace(/@.*/s, ""), parts.join(""), ...parts];
    return all
      .map(plain)
      .filter((word) => word.length >= MIN_WORD)
      .map((word) => [word, what] as const);
  });
  const first = new Map<string, WeakPart>();
  for (const [word, what] of words) if (!first.has(word)) first.set(word, what);
  return first;
}

/** Asks a signed-in user for the password again before sensitive changes. */
export interface OwnPassword {
  /** False for users who sign in only at a provider. */
  exists(session: Session): Promise<boolean>;
  /** Throttled like a sign-in. @throws TenantBusy */
  check(request: Request, session: Session, password: string, visitor: Visitor): Promise<CheckOutcome>;
}

export function createOwnPassword(sql: Sql, passwords: Passwords, browsers: KnownBrowsers): OwnPassword {
  return {
    exists: async ({ tenantId, userId }) => (await findPasswordHash(sql, tenantId, userId)) !== undefined,
    async check(request, session, password, { address }) {
      const { tenantId, userId, username } = session;
      const known = await browsers.recognize(request, session, address);
      const account = await usernameKey(sql, username);
      const attempt = { tenantId, account, factor: "password", address, ...known } as const;
      const retryAfter = await admit(sql, attempt);
      const subject = { type: "User", id: userId };
      if (retryAfter !== undefined) {
        await noteThrottled(sql, attempt, originOf(request, {}), subject);
        return { outcome: "throttled", retryAfter };
      }
      if (!(await passwords.verify(tenantId, password, await findPasswordHash(sql, tenantId, userId)))) {
        const details = { Reason: "WrongPassword" };
        await noteFailure(sql, attempt, originOf(request, {}), { kind: "SignIn.Failed", subject, details });
        return { outcome: "wrong" };
      }
      await countSuccess(sql, attempt);
      return { outcome: "right" };
    },
  };
}
