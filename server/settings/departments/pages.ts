// Departments: the parts of the organisation.

import type { SettingsDependencies } from "../dependencies.ts";
import type { Page } from "../page.ts";
import { DEPARTMENTS } from "./department.ts";
import { listPage } from "./list.tsx";
import { departmentPage } from "./page.tsx";
import { addDepartment, addPage, changeDepartment, changePage, deleteDepartment, deletePage } from "./save.tsx";

export function departmentPages(deps: SettingsDependencies): Page[] {
  const one = `${DEPARTMENTS}/:id`;
  const read = ["AccessManager:Read"] as const;
  // As the REST API's upsert: PATCH may come to either.
  const write = ["AccessManager:Create", "AccessManager:Update"] as const;
  return [
    { path: DEPARTMENTS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${DEPARTMENTS}/add`,
      GET: { needs: write, answer: (visit) => addPage(deps, visit) },
      POST: { needs: write, answer: (visit) => addDepartment(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => departmentPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: [...read, ...write], answer: (visit) => changePage(deps, visit) },
      POST: { needs: [...read, ...write], answer: (visit) => changeDepartment(deps, visit) },
    },
    {
      path: `${one}/delete`,
      GET: { needs: [...read, "AccessManager:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["AccessManager:Delete"], answer: (visit) => deleteDepartment(deps, visit) },
    },
  ];
}
