// Who calls, as an access token or a session says it.

import type { TenantId } from "../ids.ts";
import type { CallContext } from "./decisions/permissions.ts";

/** Who stands in CreatedBy and ModifiedBy. */
export interface Actor {
  type: "Application" | "User";
  id: number;
}

/** What an access token says. */
export interface Bearer {
  tenantId: TenantId;
  clientId: string;
  actor: Actor;
  scopes: ReadonlySet<string>;
  /** The thumbprint of the key that its holder has to prove (RFC 9449 6); undefined: any holder may use it. */
  jkt?: string | undefined;
  /** The `sub` of who acts for the user (RFC 8693 4.1). */
  actedBy?: string | undefined;
}

/** A call by someone whose token is good. */
export type Call = Bearer & Omit<CallContext, "tenantId" | "scopes">;
