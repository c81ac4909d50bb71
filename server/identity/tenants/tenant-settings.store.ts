import { recordTable } from "../../records/index.ts";
import { TENANT_SETTINGS, type TenantSettings } from "./contract.ts";

export const TENANT_TABLE = recordTable<TenantSettings>(TENANT_SETTINGS, { owner: "id", more: ["name"] });
