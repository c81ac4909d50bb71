import type { TenantId } from "../../platform/ids.ts";
import type { CallContext } from "./decisions/permissions.ts";

/** The actor in CreatedBy and ModifiedBy. */
export interface Actor {
  type: "Application" | "User";
  id: number;
}

export interface Bearer {
  tenantId: TenantId;
  clientId: string;
  actor: Actor;
  scopes: ReadonlySet<string>;
  /** The thumbprint of the key that its holder must prove (RFC 9449 6); undefined: any holder may use it. */
  jkt?: string | undefined;
  /** The `sub` of the party that acts for the user (RFC 8693 4.1). */
  actedBy?: string | undefined;
}

export type Call = Bearer & Omit<CallContext, "tenantId" | "scopes">;
