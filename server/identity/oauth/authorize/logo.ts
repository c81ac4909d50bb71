// The client's logo on the consent page, readable only by the browser that was shown the page.

import { NotFound } from "../../../platform/errors.ts";
import { requestUrl } from "../../../platform/http/request.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import type { Forms } from "../../signin/forms.ts";
import type { Session } from "../../signin/session.ts";
import { logoOf } from "../clients/logos.ts";
import type { Client } from "../clients/store.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";

const LOGO_PATH = "/consent/logo";

const NONE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#5b7299" stroke-width="1.5">' +
  '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="M3 9.5h18M6 7.3h.01M8.5 7.3h.01"/></svg>';

const HEADERS = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'; sandbox",
};

export function logoPages(deps: AuthorizeDependencies): Pages {
  return { [`${LOGO_PATH}/:client_id`]: { get: (request) => logo(deps, request) } };
}

async function logo({ sessions, forms, findClient, findLogo }: AuthorizeDependencies, request: Request) {
  const { pathname, searchParams } = requestUrl(request);
  const session = await sessions.find(request);
  const client = session && (await findClient(pathname.slice(LOGO_PATH.length + 1)));
  const seal = searchParams.get("shown") ?? undefined;
  const isShown =
    client?.tenantId === session?.tenantId &&
    client !== undefined &&
    forms.hasShown(forms.protect(request, session).csrf, seal, shownLogo(client, session!));
  if (!isShown) throw new NotFound("There is no logo at this address.");
  const png = await findLogo(client);
  // The seal in the address is valid only for this session.
  const kept = { "cache-control": `private, max-age=${png ? 300 : 60}` };
  return new Response(png ?? NONE, {
    headers: { ...HEADERS, ...kept, "content-type": png ? "image/png" : "image/svg+xml" },
  });
}

/** @param csrf the token of the page @returns undefined if there is no logo */
export function logoPath(forms: Forms, csrf: string, client: Client, session: Session): string | undefined {
  if (logoOf(client) === "") return undefined;
  const shown = forms.sealShown(csrf, shownLogo(client, session));
  return `${LOGO_PATH}/${client.id}?${new URLSearchParams({ shown })}`;
}

const shownLogo = (client: Client, { userId }: Session) => ["logo", userId, client.id, logoOf(client)] as const;
