// The types of packages/client, made from the OpenAPI document.

import { plugin } from "bun";
import typescript5 from "typescript5";
import { API_PATH } from "../../server/http/request.ts";
import { createDocument } from "../../server/openapi/document.ts";
import { describedRoutes } from "./generated.ts";

export const CLIENT_TYPES = "packages/client/schema.ts";

/** @returns the file's text: the entity API, its paths as they stand below API_PATH */
export async function clientTypes(): Promise<string> {
  const document = createDocument("", describedRoutes());
  const own = Object.entries(document.paths).filter(([path]) => path.startsWith(`${API_PATH}/`));
  const paths = Object.fromEntries(own.map(([path, item]) => [path.slice(API_PATH.length), item]));
  // TypeScript 7 has no compiler to call, which it is written with.
  plugin({
    name: "typescript 5",
    setup({ module }) {
      module("typescript", () => ({ exports: { default: typescript5 }, loader: "object" }));
    },
  });
  const { astToString, default: openapiTypes } = await import("openapi-typescript");
  const types = await openapiTypes(withoutHeaders({ ...document, paths, webhooks: {} }) as never, {
    defaultNonNullable: false,
  });
  return `// Made from the OpenAPI document by \`bun run docs\`.\n\n${astToString(types)}`;
}

/** They are the same for every answer, and half of the file. */
function withoutHeaders(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutHeaders);
  if (typeof part !== "object" || part === null) return part;
  const isResponse = "headers" in part && "description" in part;
  const own = Object.entries(part).filter(([name]) => !(isResponse && name === "headers"));
  return Object.fromEntries(own.map(([name, value]) => [name, withoutHeaders(value)]));
}
