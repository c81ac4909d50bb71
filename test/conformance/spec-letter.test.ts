// Details of SPEC.md that are easy to overlook.

import { describe, expect, test } from "bun:test";
import { API, type Api, cases, expectError, TOKEN_PATH } from "../world/api.ts";
import { answerOf, CALLBACK, newClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { askToken, formOf } from "../world/grants.ts";
import { payloadsOf } from "../world/rows.ts";
import { newTenant, request, shared } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const ENTITIES = ["Application", "Department", "User"];

describe.concurrent("the order of members in answers", () => {
  test.each(ENTITIES)(
    "%s ends with those of ModifiedOn, ModifiedBy, CreatedBy, CreatedOn that it has",
    async (entity) => {
      const caller = await newTenant();
      const made = await caller.made(entity, { Name: "one" });
      const stamps = ["ModifiedOn", "ModifiedBy", "CreatedBy", "CreatedOn"].filter((name) => name in made);
      expect(Object.keys(made).slice(-stamps.length)).toEqual(stamps);
      const listed = (await caller.get(`/${entity}?Name=one`)).body.Items[0];
      const read = (await caller.get(`/${entity}/${made.Id}`)).body;
      const [{ payload }] = (await payloadsOf(caller.tenantId)) as unknown as [{ payload: { Data: object } }];
      for (const record of [listed, read, payload.Data]) expect(Object.keys(record)).toEqual(Object.keys(made));
      const described = (await caller.get("/Entities")).body.Items.find(
        ({ Name }: { Name: string }) => Name === entity,
      );
      const names: string[] = described.Fields.map(({ Name }: { Name: string }) => Name);
      expect(names.filter((name) => name in made)).toEqual(Object.keys(made));
      const { body: document } = await request("GET", "/openapi.json");
      expect(Object.keys(document.components.schemas[entity].properties)).toEqual(Object.keys(made));
    },
  );

  test.each([undefined, "fragment"])(
    "a code is returned as code, state, nonce (response_mode %p)",
    async (response_mode) => {
      const client = await newClient();
      const back = await client.visit(new Visitor(), { response_mode, nonce: "n-1" }, SPEC_PATH);
      expect(Object.keys(answerOf(back))).toEqual(["code", "state", "nonce"]);
    },
  );

  test("an error is returned as error, error_description, state", async () => {
    const client = await newClient();
    const back = await new Visitor().open(client.authorize({ response_type: "token" }, SPEC_PATH));
    expect(Object.keys(answerOf(back))).toEqual(["error", "error_description", "state"]);
  });
});

describe.concurrent("an empty state", () => {
  test("is returned after consent, denial and error", async () => {
    const client = await newClient();
    const visitor = new Visitor();
    const allowed = await client.visit(visitor, { state: "" }, SPEC_PATH);
    expect(answerOf(allowed)).toEqual({ code: expect.any(String), state: "" });
    const page = await visitor.open(client.authorize({ state: "", prompt: "consent" }, SPEC_PATH));
    expect(answerOf(await visitor.submit(page, { decision: "deny" }))).toMatchObject({
      error: "access_denied",
      state: "",
    });
    const refused = await visitor.open(client.authorize({ state: "", response_type: "token" }, SPEC_PATH));
    expect(answerOf(refused)).toMatchObject({ state: "" });
  });

  test("is treated as absent by the RFCs (RFC 6749 3.1)", async () => {
    const client = await newClient();
    expect(answerOf(await client.visit(new Visitor(), { state: "" }, RFC_PATH))).not.toHaveProperty("state");
  });
});

describe.concurrent("a token error", () => {
  const FIELDS = ["error", "error_description", "Errors", "Type", "Title", "StatusCode", "Instance"];

  test("has its seven fields, and the RequestKey in the header", async () => {
    const { tenant } = await newClient();
    const refused = [
      await askToken(formOf({ ...tenant.client, clientSecret: "wrong" })),
      await askToken(formOf(tenant.client, { grant_type: "password" })),
      await request("GET", TOKEN_PATH),
    ];
    for (const { body, headers } of refused) {
      expect(Object.keys(body)).toEqual(FIELDS);
      expect(headers.get("x-request-id")).toMatch(/./);
    }
    const { body: document } = await request("GET", "/openapi.json");
    expect(Object.keys(document.components.schemas.TokenError.properties)).toEqual(FIELDS);
  });

  test("is Unauthorized for missing or incomplete client authentication", async () => {
    const { tenant } = await newClient();
    const missing = [
      formOf(tenant.client, { client_id: undefined }),
      formOf(tenant.client, { client_secret: undefined }),
      formOf(tenant.client, { client_id: "", client_secret: "" }),
      formOf(tenant.client, { client_id: undefined, client_secret: undefined }),
      new URLSearchParams(),
    ];
    for (const form of missing) {
      const answer = await askToken(form, { "content-type": "application/x-www-form-urlencoded" });
      expect(answer).toMatchObject({ status: 400, body: { error: "Unauthorized", Type: "/Errors/Unauthorized" } });
    }
  });
});

describe.concurrent("an upsert", () => {
  test.each([
    ["Application", { Name: "a", ExternalId: "b" }],
    ["Department", { Name: "a", ExternalId: "b" }],
    ["User", { Username: "a", External_Id: "b" }],
  ])("of %s whose identifiers match different records is Bad Input, in an array too", async (entity, both) => {
    const caller = await newTenant();
    for (const [name, value] of Object.entries(both)) await caller.made(entity, { [name]: value });
    expectError(await caller.patch(`/${entity}`, both), 400, "Bad Input", /point at several/);
    expectError(await caller.patch(`/${entity}`, [both]), 400, "Bad Input", /point at several/);
  });

  test("with a foreign key that matches several records is Bad Input", async () => {
    const caller = await newTenant();
    await caller.made("User", { Username: "twin" });
    const made = [await caller.made("User", { Name: "same" }), await caller.made("User", { Name: "same" })];
    expect(made[0].Id).not.toBe(made[1].Id);
    const CreatedBy = { FieldType: "Name", Value: "same", Type: "User" };
    const answer = await caller.patch("/Department", { Name: "one", CreatedBy });
    expectError(answer, 400, "Bad Input", /several User/);
  });

  test.each(cases(7, 0, 1.5, 2 ** 53, true, {}, []))(
    "of an Application with the Id %p is Bad Input, because Id is a string",
    async (Id) => {
      const caller = await newTenant();
      const answer = await caller.patch("/Application", { Id, Name: "one" });
      expectError(answer, 400, "Bad Input", /Id must be/);
      const inArray = await caller.patch("/Application", [{ Id, Name: "one" }]);
      expectError(inArray, 400, "Bad Input", /Record 0: Id must be/);
    },
  );
});

test.concurrent("a bulk change that touched one record is EventResponse Object", async () => {
  const caller = await newTenant();
  const [one] = (await caller.patch("/Department", [{ Name: "one" }])).body;
  const [, two] = (await caller.patch("/Department", [{ Id: one.Id, Name: "uno" }, { Name: "two" }])).body;
  await caller.patch("/Department", [
    { Id: one.Id, Description: "a" },
    { Id: one.Id, Description: "b" },
  ]);
  await caller.patch("/Department", [
    { Id: one.Id, Description: "c" },
    { Id: two.Id, Description: "c" },
  ]);
  const payloads = (await payloadsOf(caller.tenantId)).map(({ payload }) => payload);
  expect(payloads.map(({ EventType, EventResponse }) => `${EventType} ${EventResponse}`)).toEqual([
    "Created Object",
    "Created Object",
    "Updated Object",
    "Updated Object",
    "Updated Array",
  ]);
  for (const { EventResponse, Data } of payloads) expect(Array.isArray(Data)).toBe(EventResponse === "Array");
});

describe.concurrent("SPEC.md's own paths, in any letter case", () => {
  const CASES: [string, (path: string) => string][] = [
    ["lower", (path) => path.toLowerCase()],
    ["upper", (path) => path.toUpperCase()],
  ];

  test.each(CASES)("include every path of the entity API (%s)", async (_, write) => {
    const { token } = await newTenant();
    const { body: document } = await request("GET", "/openapi.json");
    const paths = Object.keys(document.paths).filter((path) => path.startsWith(API));
    expect(paths.length).toBeGreaterThan(30);
    for (const path of paths) {
      // A method that no path has: Allow then lists the path's methods.
      const allowed = async (to: string) => {
        const answer = await request("PUT", to, { headers: { authorization: `Bearer ${token}` } });
        return { path, status: answer.status, allow: answer.headers.get("allow") };
      };
      const own = path.replace(/\{[^}]+\}/g, "1");
      expect(await allowed(write(own))).toEqual({ ...(await allowed(own)), status: 405 });
    }
  });

  test.each(CASES)("include the token and the authorization endpoint (%s)", async (_, write) => {
    const client = await newClient();
    const form = formOf(client.tenant.client);
    expect((await request("POST", write(TOKEN_PATH), { body: form })).status).toBe(200);
    const refused = await request("POST", write(TOKEN_PATH), { body: new URLSearchParams() });
    expect(refused.body.Instance).toBe(TOKEN_PATH);
    const visitor = new Visitor();
    const back = await client.goThrough(visitor, await visitor.open(client.authorize({}, write(SPEC_PATH))));
    expect(back.location!.href).toStartWith(`${CALLBACK}?code=`);
  });

  test("leave a record's Id, the query and the body unchanged", async () => {
    const caller = await newTenant();
    const user = await caller.made("User", { External_Id: "MiXeD", Email: "a/USER/b" });
    const read = async (path: string) =>
      (await request("GET", path, { headers: { authorization: `Bearer ${caller.token}` } })).body.Id;
    expect(await read(`${API.toUpperCase()}/USER/MiXeD?Name=External_Id`)).toBe(user.Id);
    const encoded = Buffer.from("a/USER/b").toString("base64");
    expect(await read(`${API.toLowerCase()}/user/base64|${encoded}?Name=Email`)).toBe(user.Id);
    const missing = await caller.send("GET", "/user/mixed?Name=External_Id");
    expectError({ ...missing, path: `${API}/User/mixed` }, 404, "Not Found");
  });

  test("include no other: paths outside SPEC.md stay Not Found", async () => {
    for (const path of ["/HEALTHZ", "/OAUTH2/TOKEN", "/Settings", `${API}s/User`.toLowerCase()]) {
      expect((await fetch(shared().url + path, { headers: { accept: "application/json" } })).status).toBe(404);
    }
  });
});

describe.concurrent("a new client", () => {
  const DEFAULTS = {
    GrantTypes: ["authorization_code", "client_credentials", "refresh_token"],
    Scopes: ["openid", "profile", "name"],
  };

  async function newApplication(): Promise<{ caller: Api; id: string; path: string }> {
    const caller = await newTenant();
    const { Id } = await caller.made("Application", { Name: "Payroll", Is_Active: true });
    return { caller, id: Id, path: `/Application/${Id}` };
  }

  test("has all three grants and the scopes openid profile name", async () => {
    const { caller, id, path } = await newApplication();
    expect((await caller.get(`${path}/Credentials`)).body).toMatchObject(DEFAULTS);
    const { body } = await caller.send("POST", `${path}/Secrets`);
    const token = await askToken(formOf({ clientId: id, clientSecret: body.Secret }));
    expect(token).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } });
    await caller.patch(`${path}/Credentials`, { GrantTypes: [], Scopes: [] });
    const set = (await caller.patch(`${path}/Credentials`, { GrantTypes: null, Scopes: null })).body;
    expect(set).toMatchObject(DEFAULTS);
  });

  test.each(["public", "native"])("of the type %s does not have client_credentials", async (ClientType) => {
    const { caller, path } = await newApplication();
    const changed = await caller.patch(`${path}/Credentials`, { ClientType });
    const own = { ClientType, GrantTypes: ["authorization_code", "refresh_token"], Scopes: DEFAULTS.Scopes };
    expect(changed).toMatchObject({ status: 200, body: own });
    expect((await caller.patch(`${path}/Credentials`, { GrantTypes: null })).body).toMatchObject(own);
  });

  test("created from each example of the OpenAPI document signs a user in", async () => {
    const { body: document } = await request("GET", "/openapi.json");
    const { examples } =
      document.paths[`${API}/Application/{Id}/Credentials`].patch.requestBody.content["application/json"];
    expect(Object.keys(examples).length).toBeGreaterThan(1);
    for (const { value } of Object.values<{ value: { RedirectUris: string[] } }>(examples)) {
      const { caller, id, path } = await newApplication();
      expect((await caller.patch(`${path}/Credentials`, value)).status).toBe(200);
      const page = await new Visitor().open(
        `${SPEC_PATH}?${new URLSearchParams({
          response_type: "code",
          client_id: id,
          redirect_uri: value.RedirectUris[0]!,
          code_challenge: "x".repeat(43),
          code_challenge_method: "S256",
        })}`,
      );
      expect(page).toMatchObject({ status: 200, heading: "Sign in" });
    }
  });

  test.each(["confidential", "public", "native"])("of the type %s can use http on loopback", async (ClientType) => {
    const { caller, path } = await newApplication();
    for (const uri of ["http://127.0.0.1:3001/cb", "http://[::1]/cb", "http://localhost:3001/cb"]) {
      const answer = await caller.patch(`${path}/Credentials`, { ClientType, RedirectUris: [uri] });
      expect(answer).toMatchObject({ status: 200, body: { RedirectUris: [uri] } });
    }
    const outside = await caller.patch(`${path}/Credentials`, { RedirectUris: ["http://app.example/cb"] });
    expect(outside.status).toBe(400);
  });
});
