import { plantImport } from "../world/planted.ts";
import { newTenant } from "../world/tenant.ts";
import type { Asking } from "./asking.ts";

/** The rest of an import of invitations is cancelled. */
export async function cancelledImport(): Promise<Asking> {
  const api = await newTenant();
  const Id = await plantImport(api.tenantId, undefined, { state: "Paused", ended_on: null });
  const page = `/settings/invitation-imports/${Id}`;
  const isDone = async () => (await api.get(`/InvitationImport/${Id}`)).body.State === "Cancelled";
  return { api, page, action: `${page}/cancel`, isDone };
}
