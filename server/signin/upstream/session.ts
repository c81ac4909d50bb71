import type { Origin } from "../../audit/index.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import { ACR, type Caller, type Sessions } from "../sessions.ts";
import type { UpstreamIdentity } from "./identity.ts";
import type { Attempt } from "./store.ts";

/** RFC 8176 has no word for it; and how the provider has done it is the provider's own business. */
const BY_PROVIDER = { amr: ["fed"], acr: ACR.oneFactor };

/**
 * Signs in a user whom a provider has.
 * @param clientId the application that it is for
 * @returns Set-Cookie values
 */
export async function beginSessionByProvider(
  { sessions, browsers }: { sessions: Sessions; browsers: KnownBrowsers },
  request: Request,
  caller: Caller,
  { tenantId, providerId, maxAge }: Attempt,
  { authTime: since }: UpstreamIdentity,
  { userId, clientId }: { userId: number } & Pick<Origin, "clientId">,
): Promise<string[]> {
  // Where the user had to be asked again, the provider has proved it; else its own session may be older.
  const isOlder = maxAge === null && since !== undefined;
  const authTime = isOlder ? new Date(Math.min(since * 1_000, Date.now())) : undefined;
  const authentication = { tenantId, clientId, userId, ...BY_PROVIDER, identityProviderId: providerId, authTime };
  const { cookie, isUnfinished } = await sessions.begin(request, authentication, caller);
  return isUnfinished ? [cookie] : [cookie, await browsers.remember(request, { tenantId, userId }, caller.address)];
}
