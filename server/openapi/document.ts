import packageFile from "../../package.json" with { type: "json" };
import { documented } from "../identity/index.ts";
import type { Route } from "../platform/http/route.ts";
import { FOREIGN_KEY_SCHEMAS, SCOPE_TEXTS } from "../records/index.ts";
import { calls } from "./calls.ts";
import { DOCUMENTED_RECORD, ERROR_EXAMPLES, ERROR_RESPONSES } from "./errors.ts";
import { oauth } from "./oauth.ts";
import type { Area, PathItem } from "./objects.ts";
import { HEADERS, PARAMETERS, parameterRef } from "./operation.ts";
import { describedRoutes } from "./routes.ts";
import { service } from "./service.ts";

const DESCRIPTION = `An OAuth 2.0 and OpenID Connect provider, a REST API over entity records, and signed webhooks.

Get an access token from the token endpoint and send it as \`Authorization: Bearer <ACCESS_TOKEN>\`. Every error of the
entity API is an error record.

Records that the tenant's policies hide from a caller are not listed, and foreign keys to them are \`{ Id, Type }\`. A write or
deletion returns the whole record with its ETag to callers who may read it, and to others its Id and the fields they sent.`;

/**
 * @elysiajs/openapi cannot read our routes: they accept every method, to answer 405 and their own errors, and a
 * record's path is a wildcard.
 */
export function createDocument(publicUrl: string, routes: readonly Route[]) {
  const areas: Area[] = [describedRoutes(routes), oauth(), service()];
  return {
    openapi: "3.1.1",
    info: {
      title: "Gatehouse",
      version: packageFile.version,
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Map(areas.flatMap(({ tags }) => tags).map((tag) => [tag.name, tag])).values()],
    paths: withRequestId(merged(areas.map(({ paths }) => paths))),
    webhooks: calls(),
    components: {
      schemas: {
        ...merged(areas.map(({ schemas }) => schemas)),
        ...FOREIGN_KEY_SCHEMAS,
        ErrorRecord: DOCUMENTED_RECORD,
      },
      responses: ERROR_RESPONSES,
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: ERROR_EXAMPLES,
      securitySchemes: securitySchemes(publicUrl),
    },
  };
}

/** @throws Error if two areas use the same name */
function merged<T>(parts: Record<string, T>[]): Record<string, T> {
  const all: Record<string, T> = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    if (Object.hasOwn(all, name)) throw new Error(`${name} is in the OpenAPI document twice.`);
    all[name] = value;
  }
  return all;
}

function withRequestId(paths: Record<string, PathItem>): Record<string, PathItem> {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [path, { ...item, parameters: [parameterRef("RequestId")] }]),
  );
}

/** docs/behaviour.md "Authentication". */
export function securitySchemes(publicUrl: string) {
  const tokenUrl = publicUrl + documented.SPEC_TOKEN_PATH;
  const flow = { tokenUrl, refreshUrl: tokenUrl, scopes: SCOPE_TEXTS };
  return {
    oauth2: {
      type: "oauth2",
      description: "All scopes listed for an operation are required.",
      flows: {
        clientCredentials: flow,
        authorizationCode: { authorizationUrl: `${publicUrl}/oauth/authorize`, ...flow },
      },
    },
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "An access token of the token endpoint, with the same scopes.",
    },
    client: {
      type: "http",
      scheme: "basic",
      description: "client_id and client_secret, for the token endpoint (RFC 6749 2.3.1).",
    },
  };
}
