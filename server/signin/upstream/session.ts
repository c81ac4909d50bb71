import type { Origin } from "../../audit/index.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import { ACR, type Caller, type Sessions } from "../sessions.ts";
import type { UpstreamIdentity } from "./identity.ts";
import type { Attempt } from "./store.ts";

/** RFC 8176 has no word for it; and how the provider has done it is the provider's own business. */
const BY_PROVIDER = { amr: ["fed"], acr: ACR.oneFactor };
/** Its clock may differ so much, as for id_tokens. */
const CLOCK_TOLERANCE_MS = 30_000;

/**
 * Signs in a user whom a provider has.
 * @param clientId the application that it is for
 * @returns Set-Cookie values
 */
export async function beginSessionByProvider(
  { sessions, browsers }: { sessions: Sessions; browsers: KnownBrowsers },
  request: Request,
  caller: Caller,
  { tenantId, providerId, maxAge, startedOn }: Attempt,
  { authTime: told }: UpstreamIdentity,
  { userId, clientId }: { userId: number } & Pick<Origin, "clientId">,
): Promise<string[]> {
  const authTime = authTimeOf(told, maxAge, startedOn);
  const when = { authTime, isAuthTimeKnown: told !== undefined };
  const authentication = { tenantId, clientId, userId, ...BY_PROVIDER, identityProviderId: providerId, ...when };
  const { cookie, isUnfinished } = await sessions.begin(request, authentication, caller);
  return isUnfinished ? [cookie] : [cookie, await browsers.remember(request, { tenantId, userId }, caller.address)];
}

/**
 * When the user has signed in there, if that was before this attempt.
 * @param told seconds since 1970, by the provider's clock
 * @returns undefined: just now, however long all of it took
 */
function authTimeOf(told: number | undefined, maxAge: number | null, startedOn: Date): Date | undefined {
  if (told === undefined) return undefined;
  const since = told * 1_000;
  if (maxAge === null) return new Date(since);
  // A clock that is behind must not lead there again and again: what max_age counts is at most so much too young.
  return since < startedOn.getTime() - CLOCK_TOLERANCE_MS ? new Date(since + CLOCK_TOLERANCE_MS) : undefined;
}
