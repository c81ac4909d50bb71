import { randomBytes } from "node:crypto";
import { ServiceBusy } from "../errors.ts";

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** Hashes computed at once: each takes 19 MiB and a core. */
const CONCURRENCY = 4;
/** Sign-ins that wait for their turn; more are told to come back. */
const WAITING_LIMIT = 200;
/** Characters of a password. */
const PASSWORD_LIMIT = 1_000;

export interface Passwords {
  /**
   * Takes the same time whether there is a hash or not.
   * @param hash undefined if there is no such account, or it has no password
   * @throws ServiceBusy
   */
  verify(password: string, hash: string | undefined): Promise<boolean>;
  /** @throws ServiceBusy */
  hash(password: string): Promise<string>;
}

export function hashPassword(password: string): Promise<string> {
  return Bun.password.hash(normalized(password), ARGON2ID);
}

/** The same characters may come composed or not, as the keyboard has them (NIST SP 800-63B 5.1.1.2). */
function normalized(password: string): string {
  return password.normalize("NFC");
}

export function createPasswords(): Passwords {
  const turns = createTurns(CONCURRENCY, WAITING_LIMIT);
  const dummy = hashPassword(randomBytes(32).toString("base64url"));
  return {
    async verify(password, hash) {
      if (password === "" || password.length > PASSWORD_LIMIT) return false;
      const against = hash ?? (await dummy);
      const matches = await turns(() => Bun.password.verify(normalized(password), against));
      return matches && hash !== undefined;
    },
    hash: (password) => turns(() => hashPassword(password)),
  };
}

/** Runs at most so many at once, the others in their order. */
function createTurns(concurrency: number, waitingLimit: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running >= concurrency) {
      if (waiting.length >= waitingLimit) throw new ServiceBusy();
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await task();
    } finally {
      // Who waits takes over the place, so that nobody gets between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
