// …/IdentityProvider: external providers where a tenant's users may sign in.

import { route, settingsResource, settingsType } from "../../../access/index.ts";
import type { CheckUrl } from "../../../egress/index.ts";
import { idTextParameter } from "../../../http/query.ts";
import type { Route } from "../../../http/route.ts";
import { PROVIDER, PROVIDER_TEST, providerContract } from "./contract.ts";
import { createIdentityProviders, type IdentityProviders, type ProviderServiceDependencies } from "./service.ts";

const tag = {
  name: "IdentityProvider",
  description: "Providers that users sign in with: OpenID Connect, or OAuth 2.0 with userinfo.",
};
const id = idTextParameter("The Id of the provider.");

export const PROVIDERS = {
  type: settingsType(PROVIDER),
  create({ checkUrl, ...deps }: ProviderServiceDependencies & { checkUrl: CheckUrl }) {
    const contract = providerContract(checkUrl);
    const { Name, Type, Issuer, ClientId, Provisioning, AllowedDomains, Is_Active } = contract.example;
    const service = createIdentityProviders(deps);
    return settingsResource(
      {
        contract,
        service,
        tag,
        nouns: ["identity provider", "identity providers"],
        id,
        examples: {
          OpenIDConnect: {
            Name,
            Type,
            Issuer,
            ClientId,
            ClientSecret: "a-long-secret",
            Provisioning,
            AllowedDomains,
            Is_Active,
          },
          OAuth2: {
            Name: "Example Social",
            Type: "OAuth2",
            AuthorizationEndpoint: "https://social.example.com/authorize",
            TokenEndpoint: "https://social.example.com/token",
            UserinfoEndpoint: "https://social.example.com/me",
            ClientId,
            ClientSecret: "a-long-secret",
            Mapping: { Subject: "id", Name: "display_name" },
          },
        },
        upsert:
          "The provider that Id, or without it Name or ExternalId, points at is updated; else a new one is made, which " +
          "needs Name, Type, ClientId, and the Issuer or, with Type OAuth2, the three endpoints.",
        remove:
          "Its links to users and the sessions begun by it end, and these users' refresh tokens that came of signing " +
          "in at a provider; the users stay. 409 while an Application's AuthenticationId points at it.",
      },
      ownRoutes(service),
    );
  },
};

function ownRoutes(providers: IdentityProviders): Route[] {
  return [
    route({
      method: "POST",
      path: "/IdentityProvider/{Id}/Test",
      id: "testIdentityProvider",
      tag,
      summary: "Ask a provider what a sign-in would",
      description:
        "Reads the metadata and the keys, and presents a made-up code by the ClientId and its secret. Nothing is " +
        "changed, and a provider that is switched off is asked too. It takes 10 s at most.",
      scopes: ["Settings:Update"],
      params: { Id: id },
      answer: { description: "What was found.", schema: PROVIDER_TEST, example: TEST },
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
