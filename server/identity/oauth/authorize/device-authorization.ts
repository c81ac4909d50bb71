// POST /oauth2/device_authorization (RFC 8628 3.1).

import type { FindApis } from "../apis/known-apis.ts";
import { type AuthenticateClient, strangersNetwork } from "../clients/client-authentication.ts";
import { DEVICE_GRANT, DEVICE_REQUEST, DEVICE_RESPONSE } from "../contract.ts";
import { CLIENT, type FormEndpoint } from "../declared.ts";
import { DEVICE_AUTHORIZATION_PATH } from "../door.ts";
import { formEndpoint, type OnFailure } from "../endpoint.ts";
import { mayNotUse, TokenError } from "../errors.ts";
import { apisInReach } from "../resources.ts";
import { namedResources, ownedScopes } from "./checks/request.ts";
import { DEVICE_LIFETIME, type Devices, POLL_INTERVAL } from "./device.ts";
import { AUTHORIZATION_PARAMETERS, DEVICE_PATH, parseParameters } from "./parameters.ts";
import { tellingByCode } from "./push.ts";

export interface DeviceAuthorizationDependencies {
  issuer: string;
  devices: Devices;
  findApis: FindApis;
  authenticateClient: AuthenticateClient;
  onFailure: OnFailure;
}

export const DEVICE_AUTHORIZATION: FormEndpoint<typeof DEVICE_REQUEST> = {
  kind: "form",
  door: "rfc",
  path: DEVICE_AUTHORIZATION_PATH,
  id: "authorizeDevice",
  form: DEVICE_REQUEST,
  summary: "Start signing in a device without a browser (RFC 8628)",
  description:
    "The device shows its user verification_uri and user_code, or verification_uri_complete as a QR code, and polls the " +
    "token endpoint with device_code.",
  examples: { form: { ...CLIENT, scope: "openid profile" } },
  repeatable: ["resource"],
  answer: {
    description: "The codes.",
    schema: DEVICE_RESPONSE,
    example: {
      device_code: "<DEVICE_CODE>",
      user_code: "WDJB-MJHT",
      verification_uri: "https://gatehouse.example.com/device",
      verification_uri_complete: "https://gatehouse.example.com/device?user_code=WDJB-MJHT",
      expires_in: DEVICE_LIFETIME,
      interval: POLL_INTERVAL,
    },
  },
  refused: [
    {
      when: "The request is invalid.",
      error: new TokenError("invalid_scope", "The client does not have the scope Settings:Read."),
    },
  ],
};

export function deviceAuthorizationController(deps: DeviceAuthorizationDependencies) {
  const { issuer, devices, findApis } = deps;
  return formEndpoint(DEVICE_AUTHORIZATION, deps, async ({ request, client, text }) => {
    if (!client.grantTypes.includes(DEVICE_GRANT)) {
      throw new TokenError("unauthorized_client", mayNotUse(DEVICE_GRANT));
    }
    const parameters = parseParameters(AUTHORIZATION_PARAMETERS, text);
    const asked = await tellingByCode(async () => {
      const apis = apisInReach(await findApis(client.tenantId), client);
      const resources = namedResources(apis, issuer, parameters);
      return { resources, scopes: ownedScopes("rfc", client, { apis, resources }, parameters) };
    });
    const { deviceCode, userCode } = await devices.begin(client, asked, strangersNetwork(request, client));
    const verification_uri = issuer + DEVICE_PATH;
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri,
      verification_uri_complete: `${verification_uri}?${new URLSearchParams({ user_code: userCode })}`,
      expires_in: DEVICE_LIFETIME,
      interval: POLL_INTERVAL,
    };
  });
}
