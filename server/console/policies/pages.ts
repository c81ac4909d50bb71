// Policies: who may do what, in Cedar.

import type { Page, SettingsDependencies } from "../page.tsx";
import { listPage, POLICIES } from "./list.tsx";
import { addPage, addPolicy, changePolicy, deletePage, deletePolicy, policyPage } from "./save.tsx";

export function policyPages(deps: SettingsDependencies): Page[] {
  const one = `${POLICIES}/:id`;
  const read = ["Settings:Read"] as const;
  const write = ["Settings:Update"] as const;
  return [
    { path: POLICIES, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${POLICIES}/add`,
      GET: { needs: write, answer: (visit) => addPage(visit) },
      POST: { needs: write, answer: (visit) => addPolicy(deps, visit) },
    },
    {
      path: one,
      GET: { needs: read, answer: (visit) => policyPage(deps, visit) },
      POST: { needs: [...read, ...write], answer: (visit) => changePolicy(deps, visit) },
    },
    {
      path: `${one}/delete`,
      GET: { needs: [...read, ...write], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: write, answer: (visit) => deletePolicy(deps, visit) },
    },
  ];
}
