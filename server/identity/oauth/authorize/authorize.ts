// The authorization endpoint: docs/behaviour.md "Authorization request", RFC 6749 4.1.1, OIDC Core 3.1.2.

import type { Pages } from "../../signin/endpoint.tsx";
import { redirectTo } from "../../signin/sign-out.tsx";
import { AUTHORIZATION_REQUEST, SPEC_AUTHORIZATION_REQUEST } from "../contract.ts";
import type { PageEndpoint } from "../declared.ts";
import type { Door } from "../door.ts";
import { isCovered } from "../issuable.ts";
import { type AuthorizationRequest, checkRequest } from "./authorization-request.ts";
import { issueCode } from "./code.ts";
import { askedOf, consentTo, destinationsOf, requireAny } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import { keepPage } from "./keep.tsx";
import { newPasskeyPage } from "./new-passkey.tsx";
import { nextStep } from "./next-step.ts";
import { chooseAccountPage, consentPage, isChosen } from "./pages.tsx";
import {
  AUTHORIZATION_PARAMETERS,
  AUTHORIZATION_PATHS,
  type AuthorizationTarget,
  choosingAnew,
  continueRequest,
  goTo,
  OWN_PATHS,
  readParameters,
} from "./parameters.ts";
import { respond } from "./reply.ts";
import { enrolPage, secondFactorPage } from "./second-factor.tsx";
import { showSignIn } from "./sign-in.ts";
import { startedSessionFor, tellingTheClient } from "./step.ts";
import { sendToProvider } from "./upstream.tsx";

const DOORS_DIFFER: Record<Door, string> = {
  spec:
    "By default the response is in the query. With response_type `code id_token` it has code, state and nonce, " +
    "and no id_token in a query.",
  rfc:
    "Strictly by the RFCs: the response has iss (RFC 9207), and with response_type `code id_token` is in " +
    "the fragment by default. Modes that end in jwt put it into one signed JWT, `response` (JARM).",
};

export const AUTHORIZATION = Object.entries(AUTHORIZATION_PATHS).map(([path, door]): PageEndpoint & { door: Door } => {
  const id = path.replace(/\W+(\w)/g, (_, letter) => letter.toUpperCase());
  return {
    kind: "page",
    path,
    door,
    id: { get: `get${id}`, post: `post${id}` },
    summary: "Sign a user in and send the browser back with a code",
    description: DOORS_DIFFER[door],
    takes: door === "rfc" ? AUTHORIZATION_REQUEST : SPEC_AUTHORIZATION_REQUEST,
    answers: {
      200: "The next page: sign-in, consent, choice of account, or the form that sends a form_post answer.",
      302: "Back to redirect_uri with code and state, or with error, error_description and state.",
      303: "Redirect to an address of this service.",
      400: "The request is invalid, and the error cannot be sent to a client.",
      404: "Unknown client or unregistered redirect_uri; there is no redirect.",
    },
  };
});

export function authorizationPages(deps: AuthorizeDependencies): Pages {
  const at = (path: string, door: Door) => async (request: Request) => {
    const parameters = await readParameters(AUTHORIZATION_PARAMETERS, request);
    return tellingTheClient(deps, request, () => authorize(deps, request, { path, door, parameters }));
  };
  const pages: Pages = Object.fromEntries(OWN_PATHS.map((path) => [path, { get: at(path, "rfc") }]));
  for (const { path, door } of AUTHORIZATION) pages[path] = { get: at(path, door), post: at(path, door) };
  return pages;
}

async function authorize(deps: AuthorizeDependencies, request: Request, asked: AuthorizationTarget): Promise<Response> {
  await deps.refreshClient(request, asked.parameters.sent.client_id);
  const checked = await checkRequest(deps, request, asked);
  const { target } = checked;
  const { site } = deps.endpoints;
  // A cross-site form submission carries no SameSite=Lax cookie; a navigation does.
  const isBlind = request.method === "POST" && deps.cookies.read(request, "session") === undefined;
  if (isBlind) return continueRequest(site, target);

  const session = await startedSessionFor(deps, request, checked);
  // The browser's user has changed since the account was chosen.
  if (session && !isChosen(deps.forms, request, session))
    return goTo(site, target.path, choosingAnew(target.parameters));
  // Computed once, so the question and the answer cover the same scopes.
  const asking = session && askedOf(checked, session);
  const step = await nextStep(checked, session, async () =>
    isCovered({ ...consentTo(asking!), ...destinationsOf(checked) }, session!.consent),
  );
  if (step.name === "answer" && checked.accountPage) {
    return redirectTo(site.href(checked.accountPage), [deps.cookies.rememberOrganisation(step.session.tenantId)]);
  }
  if (step.name === "consent" || step.name === "answer") requireAny(asking!, checked);
  switch (step.name) {
    case "choose-account":
      return chooseAccountPage(deps, request, checked, step.session);
    case "sign-in":
      return checked.client.identityProvider && !showsBoth(checked)
        ? sendToProvider(deps, request, target, checked, checked.client.identityProvider.id)
        : showSignIn(deps, request, target, checked, { username: checked.loginHint });
    case "second-factor":
      return secondFactorPage(deps, request, target, step.session);
    case "enrolment":
      return enrolPage(deps, request, target, checked, step.session);
    case "new-passkey":
    case "offer-passkey":
      return newPasskeyPage(deps, request, target, step.session);
    case "keep":
      return keepPage(deps, request, checked, step.session);
    case "consent":
      return consentPage(deps, request, checked, step.session, asking!);
    case "answer":
      return respond(site, request, checked.reply, await issueCode(deps, checked, step.session, asking!));
  }
}

/** The account pages let the user choose between the application's provider and a password. */
function showsBoth({ accountPage, client }: AuthorizationRequest): boolean {
  return accountPage !== undefined && client.identityProvider?.allowLocal === true;
}
