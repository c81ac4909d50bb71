// Applications: who they are, and what makes them OAuth clients.

import type { SettingsDependencies } from "../dependencies.ts";
import type { Page } from "../page.ts";
import { APPLICATIONS } from "./application.ts";
import { credentialsPage, saveCredentials } from "./credentials.tsx";
import { listPage } from "./list.tsx";
import { applicationPage } from "./page.tsx";
import {
  addApplication,
  addPage,
  changeApplication,
  changePage,
  deleteApplication,
  deletePage,
  setState,
} from "./save.tsx";
import { deleteSecret, deleteSecretPage, makeSecretPage } from "./secrets.tsx";

export function applicationPages(deps: SettingsDependencies): Page[] {
  const one = `${APPLICATIONS}/:id`;
  const read = ["AccessManager:Read"] as const;
  // As the REST API's upsert: PATCH may come to either.
  const write = ["AccessManager:Create", "AccessManager:Update"] as const;
  const set = ["AccessManager:Read", "Settings:Read", "Settings:Update"] as const;
  return [
    { path: APPLICATIONS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${APPLICATIONS}/add`,
      GET: { needs: write, answer: (visit) => addPage(deps, visit) },
      POST: { needs: write, answer: (visit) => addApplication(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => applicationPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: [...read, ...write], answer: (visit) => changePage(deps, visit) },
      POST: { needs: [...read, ...write], answer: (visit) => changeApplication(deps, visit) },
    },
    { path: `${one}/state`, POST: { needs: write, answer: (visit) => setState(deps, visit) } },
    {
      path: `${one}/delete`,
      GET: { needs: [...read, "AccessManager:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["AccessManager:Delete"], answer: (visit) => deleteApplication(deps, visit) },
    },
    {
      path: `${one}/credentials`,
      GET: { needs: set, answer: (visit) => credentialsPage(deps, visit) },
      POST: { needs: set, answer: (visit) => saveCredentials(deps, visit) },
    },
    {
      path: `${one}/secrets`,
      // Who loads the page anew is asked for no second secret.
      GET: { needs: read, answer: async (visit) => visit.goTo(`${APPLICATIONS}/${visit.params.id}`) },
      POST: { needs: set, answer: (visit) => makeSecretPage(deps, visit) },
    },
    {
      path: `${one}/secrets/:secret/delete`,
      GET: { needs: set, answer: (visit) => deleteSecretPage(deps, visit) },
      POST: { needs: ["Settings:Update"], answer: (visit) => deleteSecret(deps, visit) },
    },
  ];
}
