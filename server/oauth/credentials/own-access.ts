// No client takes away by itself what it would need to undo it.

import type { Caller } from "../../access/index.ts";
import { Conflict } from "../../errors.ts";
import type { Credentials } from "../store.ts";
import type { StoredSecret } from "./store.ts";

type By = Pick<Caller, "clientId" | "actor">;

const SETTINGS_SCOPES = ["Settings:Read", "Settings:Update"];

/** @throws Conflict if the client that calls would lose the grant it calls by, or a scope that is for Settings */
export function refuseOwnLockOut(by: By, applicationId: number, before: Credentials, after: Credentials): void {
  if (String(applicationId) !== by.clientId) return;
  const ownGrant = by.actor.type === "Application" ? "client_credentials" : "authorization_code";
  const missing = (needed: string[], had: string[], has: string[]) =>
    needed.filter((one) => had.includes(one) && !has.includes(one));
  const lost = [
    ...missing([ownGrant], before.grantTypes, after.grantTypes).map((grant) => `GrantTypes without ${grant}`),
    ...missing(SETTINGS_SCOPES, before.scopes, after.scopes).map((scope) => `Scopes without ${scope}`),
  ];
  if (lost.length > 0) throw ownClient(applicationId, `with ${lost.join(" and ")} it could not undo this`);
}

/** @throws Conflict if the client that calls has none left */
export function refuseOwnLastSecret(by: By, applicationId: number, left: StoredSecret[]): void {
  if (String(applicationId) !== by.clientId || left.length > 0) return;
  throw ownClient(applicationId, "without a secret it could not call again");
}

function ownClient(applicationId: number, reason: string): Conflict {
  return new Conflict(`Application ${applicationId} is the client that calls, and ${reason}. Use another client.`);
}
