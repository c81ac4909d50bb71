// POST /oauth2/par (RFC 9126).

import type { Logger } from "pino";
import { BadInput } from "../../../platform/errors.ts";
import { type AuthenticateClient, strangersNetwork } from "../clients/client-authentication.ts";
import { clientIdOf } from "../clients/store.ts";
import { PUSHED_REQUEST, PUSHED_RESPONSE } from "../contract.ts";
import { CLIENT, type FormEndpoint } from "../declared.ts";
import { PUSHED_REQUEST_PATH } from "../door.ts";
import { type Dpop, REFUSED_PROOF } from "../dpop/possession.ts";
import { formEndpoint, type OnFailure } from "../endpoint.ts";
import { AuthorizationError, TokenError } from "../errors.ts";
import { checkParameters, RefusedRequest, type RequestDependencies } from "./authorization-request.ts";
import { logWrongAddress, WrongAddress } from "./checks/wrong-address.ts";
import { AUTHORIZATION_PARAMETERS, parseParameters, type RequestParameters } from "./parameters.ts";
import { PUSH_LIFETIME } from "./pushed.ts";

/** Client authentication fields, which are not part of the request. */
const OF_THE_CLIENT = ["client_secret", "client_assertion", "client_assertion_type"];

export interface PushDependencies extends RequestDependencies {
  authenticateClient: AuthenticateClient;
  dpop: Dpop;
  log: Logger;
  onFailure: OnFailure;
}

export const PUSHED_AUTHORIZATION: FormEndpoint<typeof PUSHED_REQUEST> = {
  kind: "form",
  door: "rfc",
  path: PUSHED_REQUEST_PATH,
  id: "pushAuthorizationRequest",
  form: PUSHED_REQUEST,
  summary: "Push an authorization request (RFC 9126)",
  description:
    "Accepts and validates the parameters of the authorization endpoint. The browser then sends only " +
    "client_id and request_uri; other parameters are ignored. A request_uri is answered once.",
  examples: {
    form: {
      ...CLIENT,
      response_type: "code",
      redirect_uri: "https://payroll.example.com/callback",
      scope: "openid profile",
      state: "<STATE>",
      code_challenge: "<CODE_CHALLENGE>",
      code_challenge_method: "S256",
    },
  },
  status: 201,
  repeatable: ["resource"],
  answer: {
    description: "The reference of the request.",
    schema: PUSHED_RESPONSE,
    example: { request_uri: "urn:ietf:params:oauth:request_uri:<REFERENCE>", expires_in: PUSH_LIFETIME },
  },
  refused: [
    {
      when: "The request is invalid.",
      error: new TokenError("invalid_scope", "The client does not have the scope Settings:Read."),
    },
    ...REFUSED_PROOF,
  ],
};

export function pushController(deps: PushDependencies) {
  return formEndpoint(PUSHED_AUTHORIZATION, deps, async ({ request: pushing, client, form, text }) => {
    const jkt = await deps.dpop.keyOf(pushing, client);
    const all = new URLSearchParams(text);
    // RFC 9126 2.1.
    if (all.has("request_uri"))
      throw new BadInput("A pushed request must not contain request_uri: send its parameters.");
    for (const name of OF_THE_CLIENT) all.delete(name);
    all.set("client_id", clientIdOf(client));
    const request_uri = await tellingByCode(async () => {
      const object = all.get("request");
      const opened = object ? await deps.openRequestObject(client, object) : undefined;
      const sent = opened?.parameters ?? parseParameters(AUTHORIZATION_PARAMETERS, all.toString());
      const parameters = jkt === undefined ? sent : boundTo(jkt, sent);
      // Without an assertion, the client may be from memory.
      const present = form.client_assertion ? client : undefined;
      await checkParameters(deps, "rfc", { parameters, client: present }, { isSigned: opened !== undefined }).catch(
        (failure) => {
          if (failure instanceof WrongAddress) logWrongAddress(deps.log, pushing, failure);
          throw failure;
        },
      );
      const signed = opened && { object: object!, expiresAt: opened.expiresAt };
      return deps.pushedRequests.push(client, parameters.text, strangersNetwork(pushing, client), signed);
    });
    return { request_uri, expires_in: PUSH_LIFETIME };
  });
}

/** RFC 9449 10.1: a DPoP proof also determines the key required to redeem the code. */
function boundTo(jkt: string, parameters: RequestParameters): RequestParameters {
  const named = parameters.sent.dpop_jkt;
  if (named !== undefined && named !== jkt) {
    throw new AuthorizationError("invalid_request", "dpop_jkt is not the thumbprint of the DPoP proof's key.");
  }
  const all = new URLSearchParams(parameters.text);
  all.set("dpop_jkt", jkt);
  return parseParameters(AUTHORIZATION_PARAMETERS, all.toString());
}

/** RFC 9126 2.3: errors otherwise sent to the redirect URI are returned to the client directly. */
export async function tellingByCode<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (failure) {
    const error = failure instanceof RefusedRequest ? failure.error : failure;
    if (!(error instanceof AuthorizationError)) throw failure;
    throw new TokenError("invalid_request", error.message, error.code);
  }
}
