// `bun run build`: writes schema.ts, the types of the entity API, from the OpenAPI document. It is not committed.

import { join } from "node:path";
import { plugin } from "bun";
import typescript5 from "typescript5";
import { createDocument } from "../../server/openapi/document.ts";
import { API_PATH } from "../../server/platform/http/request.ts";
import { describedRoutes } from "../../test/support/generated.ts";

const document = createDocument("", describedRoutes());
const own = Object.entries(document.paths).filter(([path]) => path.startsWith(`${API_PATH}/`));
const paths = Object.fromEntries(own.map(([path, item]) => [path.slice(API_PATH.length), item]));
// openapi-typescript calls the compiler, which TypeScript 7 does not offer.
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
await Bun.write(join(import.meta.dir, "schema.ts"), astToString(types));

/** All answers have the same headers, which would be half of the file. */
function withoutHeaders(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutHeaders);
  if (typeof part !== "object" || part === null) return part;
  const isResponse = "headers" in part && "description" in part;
  const own = Object.entries(part).filter(([name]) => !(isResponse && name === "headers"));
  return Object.fromEntries(own.map(([name, value]) => [name, withoutHeaders(value)]));
}
