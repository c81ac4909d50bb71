// POST /language: the person chooses the language of the pages. It is kept in the browser and, after a sign-in, as the
// user's Locale.

import type { Sql } from "../../platform/db/sql.ts";
import { BadInput, Permission } from "../../platform/errors.ts";
import { readForm } from "../../platform/http/body.ts";
import { NO_STORE } from "../../platform/http/conditions.ts";
import { mayBeOwnForm } from "../../platform/http/request.ts";
import { ownRecords } from "../../records/index.ts";
import { texts } from "../../ui/index.ts";
import { ACCOUNT_PATH } from "./account/visit.ts";
import type { Cookies } from "./cookies.ts";
import { ownPath, type PageEndpoints, type Pages } from "./endpoint.tsx";
import type { Sessions } from "./session.ts";

export interface LanguageDependencies {
  sql: Sql;
  cookies: Cookies;
  sessions: Sessions;
  endpoints: PageEndpoints;
}

export function languagePages({ sql, cookies, sessions, endpoints: { site } }: LanguageDependencies): Pages {
  return {
    [texts.LANGUAGE_PATH]: {
      async post(request) {
        const form = await readForm(request);
        // Without a CSRF token: pages without a form have the chooser too, and another site could at most change a
        // language.
        if (!mayBeOwnForm(request)) throw new Permission(texts.ERRORS.stale);
        const language = texts.LANGUAGE_CODES.find((code) => texts.LANGUAGES[code] === form.get("language"));
        if (!language) throw new BadInput(`language must be one of ${Object.values(texts.LANGUAGES).join(", ")}.`);
        const session = await sessions.findStarted(request);
        if (session && !session.isUnfinished && texts.bestOf(session.locale ?? undefined) !== language) {
          const { tenantId, userId } = session;
          await sql.beginFor(tenantId, (tx) =>
            ownRecords.changeOwnUser(tx, tenantId, userId, { Locale: language }, {}),
          );
        }
        const asked = texts.bestOf(form.get("asked"));
        const headers = new Headers({ location: site.href(ownPath(form.get("page")) ?? ACCOUNT_PATH), ...NO_STORE });
        headers.append("set-cookie", cookies.rememberLanguage(asked ? `${language}.${asked}` : language));
        return new Response(null, { status: 303, headers });
      },
    },
  };
}
