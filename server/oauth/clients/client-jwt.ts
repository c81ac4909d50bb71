// What the JWTs that clients sign have in common, assertions and request objects. Who signed one is for the client's keys.

import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";

/** Seconds from now that one may live at most: so long its jti is kept. */
export const CLIENT_JWT_LIFETIME = 3_600;
/** Seconds that a client's clock may be off. */
export const CLOCK_TOLERANCE = 10;

/** Makes the error of the kind of JWT that it is. */
type Bad = (reason: string) => Error;

interface Kind {
  algs: readonly string[];
  /** In small letters. */
  types: readonly string[];
  /** What its typ must be, in words. */
  typ: string;
  /** What it is not, if it cannot be read. */
  name: string;
}

/** @throws what `bad` makes */
export function readClientJwt(
  jwt: string,
  { algs, types, typ, name }: Kind,
  bad: Bad,
): { alg: string; claims: JWTPayload } {
  const { header, claims } = decoded(jwt, bad, name);
  const alg = algs.find((one) => one === header.alg);
  if (!alg) throw bad(`alg must be one of ${algs.join(", ")}`);
  const type: unknown = header.typ;
  if (type !== undefined && !(typeof type === "string" && types.includes(type.toLowerCase()))) {
    throw bad(`typ must be ${typ}`);
  }
  if (header.crit !== undefined) throw bad("crit is not supported");
  return { alg, claims };
}

function decoded(jwt: string, bad: Bad, name: string) {
  try {
    return { header: decodeProtectedHeader(jwt), claims: decodeJwt(jwt) };
  } catch {
    throw bad(`it is no ${name}`);
  }
}

/**
 * @param now milliseconds since 1970
 * @returns its `exp`
 * @throws what `bad` makes
 */
export function requireLife({ exp, iat, nbf }: JWTPayload, now: number, bad: Bad): number {
  const seconds = now / 1000;
  if (!isTime(exp)) throw bad("exp is missing");
  if (exp <= seconds - CLOCK_TOLERANCE) throw bad("it has expired");
  if (exp > seconds + CLIENT_JWT_LIFETIME + CLOCK_TOLERANCE) {
    throw bad(`exp must be at most ${CLIENT_JWT_LIFETIME} seconds from now`);
  }
  if ([iat, nbf].some((time) => time !== undefined && !(isTime(time) && time <= seconds + CLOCK_TOLERANCE))) {
    throw bad("iat or nbf is in the future");
  }
  return exp;
}

export const isTime = (time: unknown): time is number => Number.isFinite(time);
