// Users: who they are, and how they sign in.

import type { SettingsDependencies } from "../dependencies.ts";
import type { Page } from "../page.ts";
import { consentsPage, revokeConsent } from "./consents.tsx";
import { deletePage, deleteUser, setState } from "./delete.tsx";
import { linkIdentity, linkPage, unlinkIdentity } from "./identities.tsx";
import { listPage } from "./list.tsx";
import { userPage } from "./page.tsx";
import { USERS } from "./person.ts";
import { addPage, addUser, changePage, changeUser } from "./save.tsx";
import { endSession, endSessions, endSessionsPage, sessionsPage } from "./sessions.tsx";
import { makePasswordLink, removeFactor, removeFactorPage } from "./sign-in.tsx";

export function userPages(deps: SettingsDependencies): Page[] {
  const one = `${USERS}/:id`;
  const read = ["AccessManager:Read"] as const;
  // As the REST API's upsert: PATCH may come to either.
  const write = ["AccessManager:Create", "AccessManager:Update"] as const;
  const see = ["AccessManager:Read", "Settings:Read"] as const;
  const set = ["AccessManager:Read", "Settings:Update"] as const;
  return [
    { path: USERS, GET: { needs: read, answer: (visit) => listPage(deps, visit) } },
    {
      path: `${USERS}/add`,
      GET: { needs: write, answer: (visit) => addPage(deps, visit) },
      POST: { needs: write, answer: (visit) => addUser(deps, visit) },
    },
    { path: one, GET: { needs: read, answer: (visit) => userPage(deps, visit) } },
    {
      path: `${one}/change`,
      GET: { needs: [...read, ...write], answer: (visit) => changePage(deps, visit) },
      POST: { needs: [...read, ...write], answer: (visit) => changeUser(deps, visit) },
    },
    { path: `${one}/state`, POST: { needs: write, answer: (visit) => setState(deps, visit) } },
    {
      path: `${one}/delete`,
      GET: { needs: [...read, "AccessManager:Delete"], answer: (visit) => deletePage(deps, visit) },
      POST: { needs: ["AccessManager:Delete"], answer: (visit) => deleteUser(deps, visit) },
    },
    {
      path: `${one}/password-link`,
      // Who loads the page anew is asked for no second link.
      GET: { needs: read, answer: async (visit) => visit.goTo(`${USERS}/${visit.params.id}`) },
      POST: { needs: set, answer: (visit) => makePasswordLink(deps, visit) },
    },
    {
      path: `${one}/second-factor/remove`,
      GET: { needs: [...see, ...set], answer: (visit) => removeFactorPage(deps, visit) },
      POST: { needs: set, answer: (visit) => removeFactor(deps, visit) },
    },
    {
      path: `${one}/identity/link`,
      GET: { needs: set, answer: (visit) => linkPage(deps, visit) },
      POST: { needs: set, answer: (visit) => linkIdentity(deps, visit) },
    },
    { path: `${one}/identity/unlink`, POST: { needs: set, answer: (visit) => unlinkIdentity(deps, visit) } },
    { path: `${one}/sessions`, GET: { needs: see, answer: (visit) => sessionsPage(deps, visit) } },
    { path: `${one}/session/end`, POST: { needs: set, answer: (visit) => endSession(deps, visit) } },
    {
      path: `${one}/sessions/end`,
      GET: { needs: set, answer: (visit) => endSessionsPage(deps, visit) },
      POST: { needs: set, answer: (visit) => endSessions(deps, visit) },
    },
    { path: `${one}/applications`, GET: { needs: see, answer: (visit) => consentsPage(deps, visit) } },
    { path: `${one}/consent/revoke`, POST: { needs: set, answer: (visit) => revokeConsent(deps, visit) } },
  ];
}
