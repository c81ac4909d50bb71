// Webhooks: the connections, and the form of SPEC.md's "Add Webhook Connection".

import type { SettingsDependencies } from "../dependencies.ts";
import type { Page } from "../page.ts";
import { addConnection, addPage } from "./add.tsx";
import { changeConnection, changePage } from "./change.tsx";
import { connectionPage, ping, setState } from "./connection.tsx";
import { deletePage, deleteTheConnection } from "./delete.tsx";
import { listPage } from "./list.tsx";

export function webhookPages(deps: SettingsDependencies): Page[] {
  const path = "/settings/webhooks";
  const read = ["Webhooks:Read"] as const;
  // As the REST API's upsert: PATCH may come to either.
  const write = ["Webhooks:Create", "Webhooks:Update"] as const;
  return [
    { path, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${path}/add`,
      GET: { needs: write, answer: async (visit) => addPage(deps, visit) },
      POST: { needs: write, answer: (visit) => addConnection(deps, visit) },
    },
    { path: `${path}/:id`, GET: { needs: read, answer: (visit) => connectionPage(deps, visit) } },
    {
      path: `${path}/:id/change`,
      GET: { needs: write, answer: (visit) => changePage(deps, visit) },
      POST: { needs: write, answer: (visit) => changeConnection(deps, visit) },
    },
    { path: `${path}/:id/ping`, POST: { needs: ["Webhooks:Update"], answer: (visit) => ping(deps, visit) } },
    { path: `${path}/:id/state`, POST: { needs: write, answer: (visit) => setState(deps, visit) } },
    {
      path: `${path}/:id/delete`,
      GET: { needs: ["Webhooks:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["Webhooks:Delete"], answer: (visit) => deleteTheConnection(deps, visit) },
    },
  ];
}
