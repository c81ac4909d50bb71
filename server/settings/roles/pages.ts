// Roles: groups that policies speak of.

import type { SettingsDependencies } from "../dependencies.ts";
import type { Page } from "../page.ts";
import { listPage } from "./list.tsx";
import { addMember, removeMember } from "./members.ts";
import { rolePage } from "./page.tsx";
import { ROLES } from "./role.ts";
import { addPage, addRole, changePage, changeRole, deletePage, deleteRole } from "./save.tsx";

export function rolePages(deps: SettingsDependencies): Page[] {
  const one = `${ROLES}/:id`;
  const read = ["Settings:Read"] as const;
  const write = ["Settings:Update"] as const;
  const both = [...read, ...write] as const;
  return [
    { path: ROLES, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${ROLES}/add`,
      GET: { needs: write, answer: (visit) => addPage(visit) },
      POST: { needs: write, answer: (visit) => addRole(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => rolePage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: both, answer: (visit) => changePage(deps, visit) },
      POST: { needs: both, answer: (visit) => changeRole(deps, visit) },
    },
    {
      path: `${one}/members/add`,
      POST: { needs: [...both, "AccessManager:Read"], answer: (visit) => addMember(deps, visit) },
    },
    { path: `${one}/members/remove`, POST: { needs: both, answer: (visit) => removeMember(deps, visit) } },
    {
      path: `${one}/delete`,
      GET: { needs: both, answer: (visit) => deletePage(deps, visit) },
      POST: { needs: write, answer: (visit) => deleteRole(deps, visit) },
    },
  ];
}
