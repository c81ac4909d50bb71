// …/IdentityProvider: external providers where a tenant's users may sign in.

import type { CheckUrl } from "../../../../platform/egress/index.ts";
import { idTextParameter } from "../../../../platform/http/query.ts";
import type { Route } from "../../../../platform/http/route.ts";
import { route, settingsResource } from "../../../../records/index.ts";
import { PROVIDER, PROVIDER_TEST, providerContract } from "./contract.ts";
import { createIdentityProviders, type IdentityProviders, type ProviderServiceDependencies } from "./service.ts";

const tag = { name: PROVIDER.name, description: PROVIDER.texts.group };
const id = idTextParameter("The Id of the provider.");

export const PROVIDERS = {
  type: PROVIDER,
  create({ checkUrl, ...deps }: ProviderServiceDependencies & { checkUrl: CheckUrl }) {
    const service = createIdentityProviders(deps);
    return settingsResource(providerContract(checkUrl), service, ownRoutes(service), id);
  },
};

function ownRoutes(providers: IdentityProviders): Route[] {
  return [
    route({
      method: "POST",
      path: "/IdentityProvider/{Id}/Test",
      id: "testIdentityProvider",
      tag,
      summary: "Test an identity provider",
      description:
        "Reads the metadata and the keys, and sends an invalid code with the ClientId and its secret. Nothing is " +
        "changed. Inactive providers can be tested too. It takes at most 10 s.",
      scopes: ["Settings:Update"],
      params: { Id: id },
      answer: { description: "The result.", schema: PROVIDER_TEST, example: TEST },
      handle: (caller, { params: { Id } }) => providers.test(caller, Id),
    }),
  ];
}

const TEST = {
  Works: false,
  Checks: [
    { Name: "Metadata", Outcome: "Passed", Message: "The issuer's metadata can be used." },
    { Name: "Keys", Outcome: "Passed", Message: "2 keys verify id_tokens: RS256, ES256." },
    {
      Name: "Client",
      Outcome: "Failed",
      Message: "The ClientId or its secret is wrong: the token endpoint answered 401 invalid_client.",
    },
  ],
};
