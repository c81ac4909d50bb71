import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import packageFile from "../../package.json" with { type: "json" };
import { SCOPES } from "../../server/records/access/scopes.ts";
import { date, id, reference, text, whole } from "../../server/records/fields.ts";
import { record } from "../../server/records/index.ts";
import { composedApp } from "../support/composed-app.ts";
import { type Json, operationsOf, readDocument, resolve, validatorOf } from "../world/documented.ts";
import { shared } from "../world/tenant.ts";
import { DOCUMENT, normalForm } from "./normal-form.ts";

const API = "/Endpoint/rest/api/v1";

const document = await readDocument();
const operations = operationsOf(document);

describe("GET /openapi.json", () => {
  test("is public, and cacheable for a while", async () => {
    const response = await fetch(`${shared().url}/openapi.json`);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = response.headers.get("etag")!;
    const again = await fetch(`${shared().url}/openapi.json`, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test("accepts only GET and HEAD", async () => {
    const head = await fetch(`${shared().url}/openapi.json`, { method: "HEAD" });
    expect(head.status).toBe(200);
    const response = await fetch(`${shared().url}/openapi.json`, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("names PUBLIC_URL as its server, for the token endpoint too", async () => {
    const response = await composedApp().handle(new Request("http://localhost/openapi.json"));
    const { servers, components } = (await response.json()) as Json;
    expect(servers).toEqual([{ url: "https://gatehouse.example.com" }]);
    const { clientCredentials, authorizationCode } = components.securitySchemes.oauth2.flows;
    const token = "https://gatehouse.example.com/oAuth/rest/v2/Token";
    expect(clientCredentials).toMatchObject({ tokenUrl: token, refreshUrl: token });
    expect(authorizationCode).toMatchObject({
      authorizationUrl: "https://gatehouse.example.com/oauth/authorize",
      tokenUrl: token,
    });
    expect(Object.keys(clientCredentials.scopes)).toEqual([...SCOPES]);
  });
});

describe("the document", () => {
  test("is valid OpenAPI 3.1 by an independent validator", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("has the version of package.json", () => {
    expect(document.info.version).toBe(packageFile.version);
  });

  /** To change the API, update this file with the new form, so the change can be reviewed. */
  test("equals document.txt in operations, fields and descriptions", async () => {
    const promised = await Bun.file(DOCUMENT).text();
    expect(normalForm(document).split("\n")).toEqual(promised.split("\n"));
  });

  test("the validator rejects an invalid document", async () => {
    const { info: _, ...broken } = document;
    expect((await new Validator().validate(structuredClone(broken))).valid).toBe(false);
  });

  test("every reference has a target", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
    expect(references.length).toBeGreaterThan(100);
    for (const $ref of new Set(references)) expect([$ref, resolve(document, { $ref })]).not.toEqual([$ref, undefined]);
  });

  test("every operation has a unique id, a summary, a documented tag, and known scopes", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }: Json) => name);
    for (const { operation } of operations) {
      expect(operation.summary).toMatch(/^[A-Z]/);
      expect(tags).toContain(operation.tags[0]);
      const scopes = operation.security.flatMap((one: Json) => one.oauth2 ?? []);
      for (const scope of scopes) expect(SCOPES).toContain(scope);
    }
  });

  test("every operation of the entity API can answer 401, 403, 429 and 500", () => {
    const guarded = operations.filter(({ path }) => path.startsWith(`${API}/`));
    expect(guarded.length).toBeGreaterThan(15);
    for (const { operation } of guarded) {
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["200", "401", "403", "429", "500"]));
    }
  });

  test("every example of a body or an answer fits its schema", () => {
    const validate = validatorOf(document);
    let count = 0;
    for (const { path, method, operation } of operations) {
      const answers = Object.values<Json>(operation.responses).map((answer) => resolve(document, answer));
      for (const part of [operation.requestBody, ...answers]) {
        for (const { schema, examples } of Object.values<Json>(part?.content ?? {})) {
          for (const [name, example] of Object.entries<Json>(examples ?? {})) {
            const problems = validate(schema, resolve(document, example).value);
            expect({ path, method, name, problems }).toEqual({ path, method, name, problems: undefined });
            count++;
          }
        }
      }
    }
    expect(count).toBeGreaterThan(100);
  });

  test("a status of several kinds of error has an example of each", () => {
    const badRequest = document.paths[`${API}/User/{Id}`].get.responses["400"];
    const types = Object.values<Json>(badRequest.content["application/json"].examples).map(
      (example) => resolve(document, example).value.Type,
    );
    expect(types).toEqual(["/Errors/Bad Input", "/Errors/Multible Rows"]);
  });
});

describe("an entity", () => {
  /** A new entity for tests. */
  const room = record("Room", {
    description: "A place to meet.",
    table: "rooms",
    fields: {
      Id: id("int64", { description: "Unique identifier of the room." }),
      Name: text({ description: "What is on its door.", maxLength: 40 }),
      Seats: whole("int32", { description: "How many can sit." }),
      Opened_On: date({ description: "Since when." }),
      Department: reference("Department", { description: "Whose room it is." }),
    },
    identifiers: ["Name"],
  });

  test("added to the registry appears with its paths, parameters, schemas and events", async () => {
    const response = await composedApp([room]).handle(new Request("http://localhost/openapi.json"));
    const found = (await response.json()) as Json;
    expect(await new Validator().validate(structuredClone(found))).toEqual({ valid: true });
    expect(Object.keys(found.paths[`${API}/Room`])).toEqual(["get", "patch", "post", "parameters"]);
    expect(Object.keys(found.paths[`${API}/Room/{Id}`])).toEqual(["get", "delete", "parameters"]);
    const filters = found.paths[`${API}/Room`].get.parameters.flatMap(({ name }: Json) => name ?? []);
    expect(filters).toEqual(["Search", "Id", "Name", "Seats", "Opened_On", "Department", "Sort"]);
    expect(found.components.schemas.Room.properties).toMatchObject({
      Id: { type: "integer", format: "int64", default: 0 },
      Name: { type: "string", description: "What is on its door.", default: "" },
      Seats: { type: "integer", format: "int32", default: 0 },
      Opened_On: { type: "string", format: "date-time", default: "1900-01-01T12:00:00Z" },
      Department: { $ref: "#/components/schemas/AbstractLong" },
    });
    expect(found.components.schemas.RoomData.properties).toMatchObject({
      Name: { type: ["string", "null"], maxLength: 40 },
      Seats: { type: ["integer", "null"], format: "int32" },
    });
    expect(found.components.schemas.WebhookPayload.properties.EventRecord.enum).toContain("Room");
    expect(found.components.schemas.WebhookConnectionData.properties.Entities.items.enum).toContain("Room");
  });

  test("has its fields, types, defaults and descriptions as SPEC.md's tables have them", () => {
    expect(document.components.schemas.User.properties).toMatchObject({
      Id: { type: "integer", format: "int32", default: 0 },
      Name: { type: "string", description: "Full name." },
      Creation_Date: { type: "string", format: "date-time", default: "1900-01-01T12:00:00Z" },
      Last_Login: { type: "string", format: "date-time", default: "1900-01-01T12:00:00Z" },
      Is_Active: { type: "boolean", default: false, description: "Whether the user is still active." },
    });
    expect(document.components.schemas.Application.properties).toMatchObject({
      Id: { type: "string" },
      ModifiedBy: { $ref: "#/components/schemas/AbstractLong", description: "Who updated the record." },
      CreatedOn: { type: "string", format: "date-time", default: "1900-01-01T12:00:00Z" },
    });
    expect(document.components.schemas.AbstractLong).toMatchObject({
      required: ["Id"],
      properties: { Id: { type: "integer", format: "int64", default: 0 } },
    });
    expect(document.components.schemas.ErrorRecord.properties).toMatchObject({
      Type: { type: "string", default: "" },
      StatusCode: { type: "integer", format: "int32" },
    });
  });
});
