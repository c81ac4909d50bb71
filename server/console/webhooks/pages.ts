// Webhooks: the connections, and the form "Add Webhook Connection".

import { readConnection, toConnectionId } from "../../webhooks/index.ts";
import type { Page, SettingsDependencies } from "../page.tsx";
import { connectionPage, ping, setState } from "./connection.tsx";
import { listPage, titleOf } from "./list.tsx";
import { changeTheRedelivery, redeliver, redeliverPage, redeliveryPage } from "./redelivery.tsx";
import {
  addConnection,
  addPage,
  changeConnection,
  changePage,
  deletePage,
  deleteTheConnection,
  WRITE,
} from "./save.tsx";
import { giveUp, prove, secretPage, stage } from "./secret.tsx";

export function webhookPages(deps: SettingsDependencies): Page[] {
  const path = "/settings/webhooks";
  const read = ["Webhooks:Read"] as const;
  return [
    { path, area: "Webhooks", GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${path}/add`,
      GET: { needs: WRITE, answer: async (visit) => addPage(deps, visit) },
      POST: { needs: WRITE, answer: (visit) => addConnection(deps, visit) },
    },
    {
      path: `${path}/:id`,
      shows: "WebhookConnection",
      record: {
        type: "WebhookConnection",
        async read({ caller, params }) {
          const { record } = await readConnection(deps.sql, deps.masterKey, caller, toConnectionId(params.id!));
          return { id: record.Id, title: titleOf(record), above: [{ name: "Webhooks", path }] };
        },
      },
      tab: "Connection",
      GET: { needs: read, answer: (visit) => connectionPage(deps, visit) },
    },
    {
      path: `${path}/:id/change`,
      GET: { needs: WRITE, answer: (visit) => changePage(deps, visit) },
      POST: { needs: WRITE, answer: (visit) => changeConnection(deps, visit) },
    },
    { path: `${path}/:id/ping`, POST: { needs: ["Webhooks:Update"], answer: (visit) => ping(deps, visit) } },
    { path: `${path}/:id/state`, POST: { needs: WRITE, answer: (visit) => setState(deps, visit) } },
    {
      path: `${path}/:id/secret`,
      GET: { needs: read, answer: (visit) => secretPage(deps, visit) },
      POST: { needs: ["Webhooks:Update"], answer: (visit) => stage(deps, visit) },
    },
    { path: `${path}/:id/secret/prove`, POST: { needs: ["Webhooks:Update"], answer: (visit) => prove(deps, visit) } },
    {
      path: `${path}/:id/secret/give-up`,
      POST: { needs: ["Webhooks:Update"], answer: (visit) => giveUp(deps, visit) },
    },
    {
      path: `${path}/:id/redeliver`,
      GET: { needs: ["Webhooks:Create"], answer: (visit) => redeliverPage(deps, visit) },
      POST: { needs: ["Webhooks:Create"], answer: (visit) => redeliver(deps, visit) },
    },
    {
      path: "/settings/redeliveries/:id",
      shows: "Redelivery",
      GET: { needs: read, answer: (visit) => redeliveryPage(deps, visit) },
      POST: { needs: ["Webhooks:Update"], answer: (visit) => changeTheRedelivery(deps, visit) },
    },
    {
      path: `${path}/:id/delete`,
      GET: { needs: ["Webhooks:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["Webhooks:Delete"], answer: (visit) => deleteTheConnection(deps, visit) },
    },
  ];
}
