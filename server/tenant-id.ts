export type { TenantId } from "../workflows/contract.ts";
