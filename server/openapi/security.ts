import type { Scope } from "../access/index.ts";
import { SPEC_TOKEN_PATH } from "../oauth/index.ts";

const SCOPE_TEXTS: Record<Scope, string> = {
  openid: "Sign a user in.",
  profile: "The user's profile claims.",
  name: "The user's name.",
  email: "The user's e-mail address.",
  address: "The user's postal address.",
  phone: "The user's phone number.",
  "AccessManager:Read": "Read entity records.",
  "AccessManager:Create": "Create entity records.",
  "AccessManager:Update": "Update entity records.",
  "AccessManager:Delete": "Delete entity records.",
  "Settings:Read": "Read credentials, policies and keys.",
  "Settings:Update": "Change credentials, policies and keys.",
  "Webhooks:Read": "Read webhook connections and the activity log.",
  "Webhooks:Create": "Create webhook connections.",
  "Webhooks:Update": "Update webhook connections.",
  "Webhooks:Delete": "Delete webhook connections.",
};

/** docs/behaviour.md "Authentication". */
export function securitySchemes(publicUrl: string) {
  const tokenUrl = publicUrl + SPEC_TOKEN_PATH;
  return {
    oauth2: {
      type: "oauth2",
      description: "Every scope that an operation names is needed.",
      flows: {
        clientCredentials: { tokenUrl, refreshUrl: tokenUrl, scopes: SCOPE_TEXTS },
        authorizationCode: {
          authorizationUrl: `${publicUrl}/oauth/authorize`,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes: SCOPE_TEXTS,
        },
      },
    },
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "An access token that the token endpoint has given, with the same scopes.",
    },
    client: {
      type: "http",
      scheme: "basic",
      description: "client_id and client_secret, for the token endpoint (RFC 6749 2.3.1).",
    },
  };
}
