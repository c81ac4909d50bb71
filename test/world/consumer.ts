// A consumer of a Pull connection.

import { type Api, ok, unique } from "./api.ts";
import { newTenant } from "./tenant.ts";

export interface Pulled {
  Items: { EventId: string; Headers: Record<string, string>; Body: string }[];
  LeasedUntil: string | null;
  Waiting: number;
  Gap: { Count: number; From: string; To: string } | null;
}

export const made = (api: Api, fields: Record<string, unknown> = {}) =>
  ok(
    api.call("POST", "/WebhookConnection", {
      ...{ Kind: "Pull", Name: unique("consumer"), Entities: ["Application"], Events: ["Created", "Updated"] },
      ...fields,
    }),
  );
export const asked = (api: Api, id: string, query = "") => api.get(`/WebhookConnection/${id}/Events?${query}`);
export const pull = (api: Api, id: string, query = ""): Promise<Pulled> => ok(asked(api, id, query));
export const acked = (api: Api, id: string, Upto: string | undefined) =>
  api.call("POST", `/WebhookConnection/${id}/Ack`, { Upto });
export const ack = async (api: Api, id: string, upto: string | undefined): Promise<number> =>
  (await ok(acked(api, id, upto))).Acknowledged;
export const namesOf = ({ Items }: Pulled) => Items.map(({ Body }) => JSON.parse(Body).Data.Name);

/** A consumer's connection, and these changes. */
export async function arranged(names: string[], fields: Record<string, unknown> = {}) {
  const api = await newTenant();
  const { Id } = await made(api, fields);
  for (const Name of names) await api.change({ Name });
  return { api, Id: Id as string };
}
