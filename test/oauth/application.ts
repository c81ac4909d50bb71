// An Application of a tenant, with actions on its credentials and secrets.

import type { Api } from "../world/api.ts";

export async function newApplication(by: Api) {
  const { body } = await by.patch("/Application", { Name: `app ${Bun.randomUUIDv7()}`, Is_Active: true });
  const path = `/Application/${body.Id}`;
  return {
    id: body.Id as string,
    path,
    read: () => by.get(`${path}/Credentials`),
    change: (changes: unknown) => by.patch(`${path}/Credentials`, changes),
    makeSecret: () => by.send("POST", `${path}/Secrets`),
    // biome-ignore lint/suspicious/noExplicitAny: JSON of any shape
    makeNamed: (named: unknown) => by.call<any>("POST", `${path}/Secrets`, named),
    secrets: () => by.get(`${path}/Secrets`),
    removeSecret: (id: string) => by.send("DELETE", `${path}/Secrets/${id}`),
  };
}
