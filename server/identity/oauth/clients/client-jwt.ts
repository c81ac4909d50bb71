// Common rules of JWTs signed by clients: assertions and request objects. Signatures are checked separately.

import { decodeJwt, decodeProtectedHeader, type JWTPayload } from "jose";

/** The maximum lifetime in seconds, because the jti is stored for so long. */
export const CLIENT_JWT_LIFETIME = 3_600;
/** The allowed clock skew in seconds. */
export const CLOCK_TOLERANCE = 10;

type Bad = (reason: string) => Error;

interface Kind {
  algs: readonly string[];
  /** In lower case. */
  types: readonly string[];
  typ: string;
  name: string;
}

/** @throws the error that `bad` creates */
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
    throw bad(`it is not a ${name}`);
  }
}

/** @param now milliseconds since 1970 @returns its `exp` @throws the error that `bad` creates */
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
