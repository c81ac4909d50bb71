// Identity providers: where people may sign in instead of here.

import type { SettingsDependencies } from "../dependencies.ts";
import type { Page } from "../page.ts";
import { listPage } from "./list.tsx";
import { providerPage } from "./page.tsx";
import { PROVIDERS } from "./provider.ts";
import { addPage, addProvider, changePage, changeProvider, deletePage, deleteProvider } from "./save.tsx";
import { testProvider } from "./test.tsx";

export function identityProviderPages(deps: SettingsDependencies): Page[] {
  const one = `${PROVIDERS}/:id`;
  const read = ["Settings:Read"] as const;
  const write = ["Settings:Update"] as const;
  const both = [...read, ...write] as const;
  return [
    { path: PROVIDERS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${PROVIDERS}/add/:type`,
      GET: { needs: write, answer: (visit) => addPage(visit) },
      POST: { needs: write, answer: (visit) => addProvider(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => providerPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: both, answer: (visit) => changePage(deps, visit) },
      POST: { needs: both, answer: (visit) => changeProvider(deps, visit) },
    },
    {
      path: `${one}/test`,
      // Who loads the page anew is not asked to test again.
      GET: { needs: read, answer: async (visit) => visit.goTo(`${PROVIDERS}/${visit.params.id}`) },
      POST: { needs: both, answer: (visit) => testProvider(deps, visit) },
    },
    {
      path: `${one}/delete`,
      GET: { needs: both, answer: (visit) => deletePage(deps, visit) },
      POST: { needs: write, answer: (visit) => deleteProvider(deps, visit) },
    },
  ];
}
