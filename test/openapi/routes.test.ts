import { describe, expect, test } from "bun:test";
import { composedApp } from "../support/composed-app.ts";
import { type Json, readDocument } from "../world/documented.ts";
import { newTenant, shared } from "../world/tenant.ts";

/** Routes outside the API: the entry, the viewer, SCIM, the sign-in pages and Settings with their assets and forms. */
const LEFT_OUT =
  /^\/(|openapi|openapi\/\*|assets\/.*|language|scim\/.*|signin(\/.*)?|consent(\/.*)?|signout|(account|device|settings)(\/.*)?)$/;
/** A method that no path has. */
const NO_METHOD = "PROPFIND";

const document = await readDocument();

/** Independent of the names of parameters and of wildcards for them. */
const shapeOf = (path: string) => path.replace(/\{[^}]+\}|:[^/]+|\*$/g, "{}");

describe("the document and the routes", () => {
  test("have the same paths", () => {
    const routes = composedApp()
      .routes.map(({ path }) => path)
      .filter((path) => !LEFT_OUT.test(path));
    const documented = Object.keys(document.paths);
    expect([...new Set(routes.map(shapeOf))].sort()).toEqual(documented.map(shapeOf).sort());
  });

  test("have the same methods, as Allow says", async () => {
    const { token } = await newTenant();
    for (const [path, item] of Object.entries<Json>(document.paths)) {
      const response = await fetch(shared().url + path.replace(/\{[^}]+\}/g, "1"), {
        method: NO_METHOD,
        headers: { authorization: `Bearer ${token}` },
      });
      const allowed = response.headers.get("allow")?.split(", ") ?? [];
      const documented = Object.keys(item).filter((key) => key !== "parameters");
      // HEAD is GET without the body, and OPTIONS a browser's preflight.
      const methods = allowed.filter((method) => method !== "HEAD" && method !== "OPTIONS");
      expect({ path, status: response.status, methods: methods.sort() }).toEqual({
        path,
        status: 405,
        methods: documented.map((method) => method.toUpperCase()).sort(),
      });
    }
  });
});
