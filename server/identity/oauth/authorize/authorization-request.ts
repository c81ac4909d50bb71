import { BadInput } from "../../../platform/errors.ts";
import { pageBelow } from "../../../platform/http/request.ts";
import { type Site, texts } from "../../../ui/index.ts";
import { ACCOUNT_PATH, ACCOUNT_SIGN_IN_PATH } from "../../signin/account/visit.ts";
import type { Api } from "../apis/contract.ts";
import type { FindApis } from "../apis/known-apis.ts";
import type { FindKnownClient } from "../clients/known-clients.ts";
import { type Client, isStranger } from "../clients/store.ts";
import type { Door } from "../door.ts";
import { AuthorizationError } from "../errors.ts";
import { apisInReach } from "../resources.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { type ClientDependencies, registeredClient } from "./checks/client.ts";
import {
  answersIdToken,
  attainableAcr,
  type ClaimsRequest,
  claims,
  expectedUser,
  maxAge,
  nonce,
  openIdForHybrid,
  type Prompt,
  prompts,
  UNATTAINABLE,
} from "./checks/openid.ts";
import {
  codeAloneByProfile,
  codeChallenge,
  dpopJkt,
  mayUseCodes,
  namedResources,
  noNul,
  noRequestObject,
  nothingRepeated,
  ownedScopes,
  parametersOfReply,
  permittedResponseMode,
  pushedIfRequired,
  redirectUriByProfile,
  registeredResponseType,
  responseMode,
  returnedState,
  signedIfRequired,
  supportedResponseType,
} from "./checks/request.ts";
import { type AuthorizationTarget, DEVICE_CONTINUE_PATH, type RequestParameters, targetText } from "./parameters.ts";
import type { OpenedRequest, PushedRequests } from "./pushed.ts";
import type { Reply } from "./reply.ts";
import type { OpenRequestObject } from "./request-object.ts";

export interface AuthorizationRequest {
  door: Door;
  client: Client;
  reply: Reply;
  /** If true, the token request must repeat it. */
  redirectUriSent: boolean;
  isHybrid: boolean;
  scopes: string[];
  /** Resources that tokens can be requested for with the code. */
  resources: string[];
  /** APIs in the client's reach. */
  apis: readonly Api[];
  nonce: string | undefined;
  prompts: ReadonlySet<Prompt>;
  /** Seconds. */
  maxAge: number | undefined;
  /** The user's session must have begun after this time. */
  signedInSince: Date | undefined;
  codeChallenge: string | undefined;
  /** The thumbprint of the key required to redeem the code. */
  dpopJkt: string | undefined;
  claims: ClaimsRequest;
  /** The only user who may answer; undefined: any user. */
  expectedUser: number | undefined;
  loginHint: string;
  /** Set for the account pages, which need only the session: the page to continue at. */
  accountPage?: string;
  /** Set for a device, which fetches the response itself (RFC 8628). */
  device?: { digest: Buffer; userCode: string };
}

/** The request is invalid; it is valid but cannot be answered now, such as with prompt none; or the user denied it. */
export type RefusalCause = "invalid" | "unanswerable" | "denied";

/** An error that may be reported to the client. */
export class RefusedRequest extends Error {
  constructor(
    readonly error: AuthorizationError,
    readonly reply: Reply,
    override readonly cause: RefusalCause,
  ) {
    super(error.message);
  }
}

export interface RequestDependencies extends ClientDependencies {
  endpoints: { site: Pick<Site, "wear"> };
  tokens: Pick<Tokens, "readIdTokenHint" | "signAnswer">;
  findApis: FindApis;
  issuer: string;
  pushedRequests: PushedRequests;
  findClient: FindKnownClient;
  openRequestObject: OpenRequestObject;
  devices: {
    /** @throws BadInput if the device is no longer waiting */
    check(target: AuthorizationTarget): Promise<AuthorizationRequest>;
  };
}

export interface Checked extends AuthorizationRequest {
  target: AuthorizationTarget;
}

/** The request's pages wear the face of its tenant. @throws NotFound, BadInput for the user only; RefusedRequest */
export async function checkRequest(
  deps: RequestDependencies,
  request: Request,
  asked: AuthorizationTarget,
): Promise<Checked> {
  const checked = await checkTarget(deps, asked);
  const { target, client, accountPage } = checked;
  deps.endpoints.site.wear(client.tenantId);
  texts.learn(request, { asked: target.parameters.sent.ui_locales, page: targetText(target) });
  // A named organisation may not exist, so its language must not tell.
  if (!client.isConsole && !accountPage) texts.learn(request, { tenant: client.tenantPages });
  return checked;
}

async function checkTarget(deps: RequestDependencies, asked: AuthorizationTarget): Promise<Checked> {
  if (asked.path === DEVICE_CONTINUE_PATH) return { ...(await deps.devices.check(asked)), target: asked };
  if (asked.path === ACCOUNT_SIGN_IN_PATH) return { ...(await accountRequest(deps, asked)), target: asked };
  const opened = await openRequest(deps, asked.parameters);
  const checked = await checkParameters(deps, asked.door, opened);
  return { ...checked, target: { ...asked, parameters: opened.parameters } };
}

/**
 * The account pages' request, which ends with the session. The application, or Settings with the name of an
 * organisation, selects the tenant. For an unknown or inactive one the page looks the same, but sign-in fails, so
 * strangers cannot probe for them. The application of Settings may be inactive.
 * @throws BadInput
 */
async function accountRequest(deps: RequestDependencies, { parameters }: AuthorizationTarget) {
  const { consoleClient, findClient, issuer } = deps;
  const { application, next = null } = Object.fromEntries(new URLSearchParams(parameters.text));
  if (!application) throw new BadInput("This address does not say which application you belong to.");
  const [settings, known, unknown] = await Promise.all([
    consoleClient.find(application, "Account"),
    findClient(application, "anew"),
    consoleClient.find(consoleClient.clientId(undefined, application), "Account"),
  ]);
  const client = settings ?? (known?.isActive || known?.isConsole ? known : unknown!);
  const named = { name: "your account", isConsole: settings !== undefined, firstParty: true, isOpen: false };
  const accountPage = pageBelow(ACCOUNT_PATH, next) ?? ACCOUNT_PATH;
  return ownRequest(parameters, issuer + accountPage, { client: { ...client, ...named }, accountPage });
}

const OWN_PROMPTS: readonly Prompt[] = ["login", "select_account"];

/** A request of our own pages, which has none of a client's parameters. */
export function ownRequest(
  { sent }: RequestParameters,
  redirectUri: string,
  asked: Pick<AuthorizationRequest, "client"> & Partial<AuthorizationRequest>,
): AuthorizationRequest {
  const prompts = sent.prompt?.split(" ") ?? [];
  return {
    door: "rfc",
    reply: { redirectUri, mode: "query", state: undefined, issuer: undefined },
    redirectUriSent: false,
    isHybrid: false,
    scopes: [],
    resources: [],
    apis: [],
    nonce: undefined,
    prompts: new Set(OWN_PROMPTS.filter((prompt) => prompts.includes(prompt))),
    maxAge: undefined,
    signedInSince: undefined,
    codeChallenge: undefined,
    dpopJkt: undefined,
    claims: { idToken: [], userinfo: [] },
    expectedUser: undefined,
    loginHint: "",
    ...asked,
  };
}

/** Stored like a pushed request: answered once. A client that must push its requests must push this one, too. */
async function openRequest(deps: RequestDependencies, parameters: RequestParameters): Promise<OpenedRequest> {
  const { pushedRequests, findClient, openRequestObject } = deps;
  const { client_id: clientId, request, request_uri: uri } = parameters.sent;
  if (!request || uri) return pushedRequests.open(parameters);
  const client = clientId ? await findClient(clientId) : undefined;
  if (!client?.isActive || client.isConsole || client.requirePar) return { parameters };
  try {
    nothingRepeated(parameters);
    const { parameters: signed, expiresAt } = await openRequestObject(client, request);
    return await pushedRequests.openSigned(client, { object: request, parameters: signed.text, expiresAt });
  } catch (error) {
    if (error instanceof AuthorizationError) return { parameters, refused: error };
    throw error;
  }
}

/** RFC 9207; security profiles require it at both doors (FAPI 2.0 Security Profile 5.3.2.2). */
function namesIssuer(door: Door, { securityProfile }: Client): boolean {
  return door === "rfc" || securityProfile !== "None";
}

/** @param pushing set if the client pushes the request (RFC 9126 2.1) @throws the errors of checkRequest */
export async function checkParameters(
  deps: RequestDependencies,
  door: Door,
  { parameters, client: present, pushed, signedInSince, refused }: OpenedRequest,
  pushing?: { isSigned: boolean },
): Promise<AuthorizationRequest> {
  const { tokens, issuer } = deps;
  const { client, redirectUri } = await registeredClient(deps, door, parameters, present);
  const asked = parametersOfReply(parameters);
  const { mode, isSigned } = responseMode(door, asked);
  const sign: Reply["sign"] = isSigned ? (fields) => tokens.signAnswer(client, fields) : undefined;
  const state = returnedState(door, asked);
  const isStrangers = isStranger(client);
  const reply: Reply = {
    redirectUri,
    mode,
    sign,
    state,
    isStrangers,
    pushed,
    issuer: namesIssuer(door, client) ? issuer : undefined,
  };
  try {
    if (refused) throw refused;
    pushedIfRequired(client, pushed !== undefined || pushing !== undefined);
    // A pushed request was checked when it was pushed.
    signedIfRequired(client, pushed !== undefined || pushing?.isSigned === true);
    nothingRepeated(parameters);
    noNul(parameters);
    noRequestObject(parameters);
    const responseType = supportedResponseType(parameters);
    registeredResponseType(client, responseType);
    codeAloneByProfile(client, responseType);
    redirectUriByProfile(client, parameters);
    permittedResponseMode(door, responseType, parameters);
    const isHybrid = answersIdToken(responseType, mode);
    mayUseCodes(client);
    const apis = apisInReach(await deps.findApis(client.tenantId), client);
    const resources = namedResources(apis, issuer, parameters);
    const scopes = ownedScopes(door, client, { apis, resources }, parameters);
    openIdForHybrid(isHybrid, scopes);
    const challenge = codeChallenge(client, parameters);
    const boundKey = dpopJkt(parameters);
    const requested = claims(parameters);
    attainableAcr(requested);
    const asking = prompts(parameters);
    return {
      door,
      client,
      reply,
      redirectUriSent: parameters.sent.redirect_uri !== undefined,
      isHybrid,
      scopes,
      resources,
      apis,
      nonce: nonce(isHybrid, parameters),
      prompts: asking,
      maxAge: maxAge(parameters),
      signedInSince,
      codeChallenge: challenge,
      dpopJkt: boundKey,
      claims: requested,
      expectedUser: await expectedUser(tokens, client, parameters, requested, asking),
      loginHint: parameters.sent.login_hint ?? "",
    };
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error;
    throw new RefusedRequest(error, reply, error.code === UNATTAINABLE ? "unanswerable" : "invalid");
  }
}

export function isExpected({ expectedUser }: AuthorizationRequest, userId: number): boolean {
  return expectedUser === undefined || expectedUser === userId;
}

/** A request of our own pages, whose errors are for the user: no client would show them. */
export function isOwn({ accountPage, device, client }: AuthorizationRequest): boolean {
  return accountPage !== undefined || device !== undefined || client.isConsole;
}

/** An earlier sign-in elsewhere may not be recent enough. */
export function wantsFreshSignIn({ prompts, maxAge }: AuthorizationRequest): boolean {
  return prompts.has("login") || maxAge !== undefined;
}
