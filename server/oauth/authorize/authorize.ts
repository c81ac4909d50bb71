// The authorization endpoint: docs/behaviour.md "Authorization request", RFC 6749 4.1.1, OIDC Core 3.1.2.

import { Elysia } from "elysia";
import type { Logger } from "pino";
import type { Sql } from "../../db/sql.ts";
import {
  type AccountReturns,
  type Cookies,
  type Forms,
  type KnownBrowsers,
  type OwnPassword,
  type PageEndpoints,
  pageEndpoint,
  type SecondFactor,
  type Session,
  type Sessions,
  type SignIn,
  type Upstream,
} from "../../signin/index.ts";
import type { FindApis } from "../apis/known-apis.ts";
import { findConsent } from "../clients/consents.store.ts";
import type { FindKnownClient } from "../clients/known-clients.ts";
import type { FindLogo } from "../clients/logos.ts";
import type { SettingsClient } from "../clients/settings-client.ts";
import { AUTHORIZATION_REQUEST, SPEC_AUTHORIZATION_REQUEST } from "../contract.ts";
import type { PageEndpoint } from "../declared.ts";
import type { Door } from "../door.ts";
import { isCovered } from "../issuable.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { type AuthorizationRequest, checkRequest, RefusedRequest } from "./authorization-request.ts";
import { WrongAddress } from "./checks/wrong-address.ts";
import { issueCode } from "./code.ts";
import type { Devices } from "./device.ts";
import { nextStep } from "./next-step.ts";
import { chooseAccountPage, consentPage, isChosen, wrongAddressPage } from "./pages.tsx";
import {
  AUTHORIZATION_PARAMETERS,
  AUTHORIZATION_PATHS,
  choosingAnew,
  DEVICE_CONTINUE_PATH,
  goTo,
  queryOf,
  readParameters,
  type Target,
} from "./parameters.ts";
import type { PushedRequests } from "./pushed.ts";
import { askedOf, consentTo, destinationsOf, requireAny } from "./question.ts";
import { errorPage, errorReply, respond } from "./reply.ts";
import type { OpenRequestObject } from "./request-object.ts";
import { enrolPage, secondFactorPage } from "./second-factor.tsx";
import { showSignIn } from "./sign-in.ts";
import { sendToProvider } from "./upstream.tsx";

const DOORS_DIFFER: Record<Door, string> = {
  spec:
    "By default the answer stands in the query. With response_type `code id_token` it has code, state and nonce, " +
    "and never an id_token in a query.",
  rfc:
    "Strictly by the RFCs: the answer carries iss (RFC 9207), and with response_type `code id_token` stands in " +
    "the fragment by default. The modes that end in jwt have all of it in one signed JWT, `response` (JARM).",
};

export const AUTHORIZATION = Object.entries(AUTHORIZATION_PATHS).map(([path, door]): PageEndpoint & { door: Door } => {
  const id = path.replace(/\W+(\w)/g, (_, letter) => letter.toUpperCase());
  return {
    ...{ kind: "page", path, door },
    id: { get: `get${id}`, post: `post${id}` },
    summary: "Sign a user in and send the browser back with a code",
    description: DOORS_DIFFER[door],
    takes: door === "rfc" ? AUTHORIZATION_REQUEST : SPEC_AUTHORIZATION_REQUEST,
    answers: {
      200: "The next page: sign-in, consent, choice of account, or the form that sends a form_post answer.",
      302: "Back to redirect_uri with code and state, or with error, error_description and state.",
      303: "On to an address of ours.",
      400: "The request is not even fit to be told to a client.",
      404: "There is no such client, or redirect_uri is not registered to it; nothing is sent there.",
    },
  };
});

export function authorizationEndpoints(deps: AuthorizeDependencies) {
  const app = new Elysia();
  const device = { path: DEVICE_CONTINUE_PATH, door: "rfc" as const };
  for (const { path, door } of [...AUTHORIZATION, device]) {
    app.use(
      pageEndpoint(deps.endpoints, path, path === device.path ? ["GET"] : ["GET", "POST"], async (request) => {
        const target: Target = { path, door, parameters: await readParameters(AUTHORIZATION_PARAMETERS, request) };
        return tellingTheClient(deps, request, () => authorize(deps, request, target));
      }),
    );
  }
  return app;
}

async function authorize(deps: AuthorizeDependencies, request: Request, asked: Target): Promise<Response> {
  await deps.refreshClient(request, asked.parameters.sent.client_id);
  const checked = await checkRequest(deps, asked);
  const { target } = checked;
  const { site } = deps.endpoints;
  // Another site's form brings no SameSite=Lax cookie with it; a plain navigation does.
  const isBlind = request.method === "POST" && deps.cookies.read(request, "session") === undefined;
  if (isBlind) return goTo(site, target.path, queryOf(target.parameters));

  const session = await startedSessionFor(deps, request, checked);
  // Somebody else has signed in to this browser since.
  if (session && !isChosen(deps.forms, request, session))
    return goTo(site, target.path, choosingAnew(target.parameters));
  // Once: what is asked about is what is answered with.
  const asking = session && (await askedOf(deps.sql, checked, session));
  const step = await nextStep(checked, session, async ({ userId, tenantId }) =>
    isCovered(
      { ...consentTo(asking!), ...destinationsOf(checked) },
      await findConsent(deps.sql, tenantId, userId, checked.client.id),
    ),
  );
  if (step.name === "consent" || step.name === "answer") requireAny(asking!, checked);
  switch (step.name) {
    case "choose-account":
      return chooseAccountPage(deps, request, checked, step.session);
    case "sign-in":
      return checked.client.identityProvider
        ? sendToProvider(deps, request, target, checked, checked.client.identityProvider.id)
        : showSignIn(deps, request, target, checked, { username: checked.loginHint });
    case "second-factor":
      return secondFactorPage(deps, request, target, checked, step.session);
    case "enrolment":
      return enrolPage(deps, request, target, checked, step.session);
    case "consent":
      return consentPage(deps, request, checked, step.session, asking!);
    case "answer":
      return respond(site, checked.reply, await issueCode(deps, checked, step.session, asking!));
  }
}

/**
 * The session counts only if it is of the client's tenant and, where the client's users have to sign in at a provider,
 * began there. It may be unfinished.
 */
export async function startedSessionFor(
  { sessions }: Pick<AuthorizeDependencies, "sessions">,
  request: Request,
  { client }: AuthorizationRequest,
): Promise<Session | undefined> {
  const session = await sessions.findStarted(request);
  if (session?.tenantId !== client.tenantId) return undefined;
  const { identityProvider } = client;
  const isElsewhere = identityProvider && session.identityProviderId !== identityProvider.id;
  return isElsewhere && !identityProvider.allowLocal ? undefined : session;
}

/** Sends what the client may be told of to its redirect URI; of a client that nobody vouches for, a page says it first. */
export async function tellingTheClient(
  deps: Pick<AuthorizeDependencies, "endpoints" | "pushedRequests" | "sql" | "sessions" | "log">,
  request: Request,
  answer: () => Promise<Response>,
): Promise<Response> {
  const {
    endpoints: { site },
    pushedRequests,
  } = deps;
  try {
    return await answer();
  } catch (error) {
    if (error instanceof WrongAddress) return wrongAddressPage(deps, request, error);
    if (!(error instanceof RefusedRequest)) throw error;
    if (error.reply.pushed) await pushedRequests.take(error.reply.pushed);
    const { reply, isDecided } = error;
    return reply.isStrangers && !isDecided ? errorPage(site, reply, error.error) : errorReply(site, reply, error.error);
  }
}

/** What signing a user in at a client takes. */
export interface AuthorizeDependencies {
  sql: Sql;
  settingsClient: Pick<SettingsClient, "find">;
  tokens: Tokens;
  findApis: FindApis;
  issuer: string;
  pushedRequests: PushedRequests;
  findClient: FindKnownClient;
  findLogo: FindLogo;
  refreshClient: (request: Request, clientId: string | undefined) => Promise<void>;
  openRequestObject: OpenRequestObject;
  devices: Devices;
  cookies: Cookies;
  forms: Forms;
  sessions: Sessions;
  signIn: SignIn;
  ownPassword: OwnPassword;
  secondFactor: SecondFactor;
  browsers: KnownBrowsers;
  upstream: Upstream;
  accountReturns: AccountReturns;
  endpoints: PageEndpoints;
  log: Logger;
}
