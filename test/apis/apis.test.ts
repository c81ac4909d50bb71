// …/Api: validation, and the effect of its scopes on clients and roles.

import { describe, expect, test } from "bun:test";
import { API, type Api, expectError, ok } from "../world/api.ts";
import { newApi, newAudience } from "../world/apis.ts";
import { elapse } from "../world/rows.ts";
import { newTenant, shared } from "../world/tenant.ts";

const admin = await newTenant();

const given = () => ({ Name: Bun.randomUUIDv7(), Audience: newAudience() });

test("a new API has the defaults, is changed field by field and found by its Name", async () => {
  const fields = given();
  const made = await ok(admin.patch("/Api", fields));
  expect(made).toMatchObject({
    ...fields,
    Scopes: [],
    AccessTokenAlg: "RS256",
    AccessTokenType: "at+jwt",
    TokenLifetime: null,
    ApplicationId: "",
    CreatedBy: { Type: "Application" },
  });
  const changes = {
    Name: fields.Name,
    Audience: "urn:example:orders",
    Scopes: [{ Name: `${made.Id}:read`, Description: "Read" }, { Name: `${made.Id}:write` }],
    AccessTokenAlg: "ES256",
    AccessTokenType: "JWT",
    TokenLifetime: 60,
    ApplicationId: admin.clientId,
  };
  const changed = await ok(admin.patch("/Api", { ...changes, Audience: `urn:example:${made.Id}` }));
  expect(changed).toMatchObject({
    ...changes,
    Id: made.Id,
    Audience: `urn:example:${made.Id}`,
    Scopes: [
      { Name: `${made.Id}:read`, Description: "Read" },
      { Name: `${made.Id}:write`, Description: "" },
    ],
  });
  expect((await admin.get(`/Api/${made.Id}`)).body).toEqual(changed);
  expect(await ok(admin.patch("/Api", { Id: made.Id, ApplicationId: null }))).toMatchObject({ ApplicationId: "" });
});

describe("is rejected:", () => {
  const issuer = () => shared().url.replace("127.0.0.1", "localhost");
  test.each<[string, () => Record<string, unknown>, RegExp]>([
    ["no Audience", () => ({ Audience: undefined }), /^Audience is missing/],
    ["a relative Audience", () => ({ Audience: "/orders" }), /^Audience must be an absolute URI/],
    ["a name", () => ({ Audience: "orders" }), /^Audience must be/],
    ["a fragment (RFC 8707 2)", () => ({ Audience: "https://orders.example.com#x" }), /^Audience must be/],
    ["an empty fragment", () => ({ Audience: "https://orders.example.com/#" }), /^Audience must be/],
    ["a space", () => ({ Audience: "https://orders.example.com/a b" }), /^Audience must be/],
    ["a long one", () => ({ Audience: `https://orders.example.com/${"x".repeat(500)}` }), /^Audience must be/],
    ["the issuer", () => ({ Audience: issuer() }), /^Audience must not be an address of this service/],
    ["the issuer in capitals", () => ({ Audience: issuer().toUpperCase() }), /^Audience must not be an address/],
    [
      "an address of ours with credentials",
      () => ({ Audience: issuer().replace("//", "//a:b@") }),
      /^Audience must not/,
    ],
    ["the entity API", () => ({ Audience: `${issuer()}${API}` }), /^Audience must not be an address/],
    ["a scope of ours", () => scopes("openid"), /^Scopes\[0\]\.Name is a scope of this service/],
    ["another scope of ours", () => scopes("x", "AccessManager:Read"), /^Scopes\[1\]\.Name is a scope/],
    ["offline_access", () => scopes("offline_access"), /^Scopes\[0\]\.Name is a scope/],
    ["all scopes", () => scopes("*"), /^Scopes\[0\]\.Name must have/],
    ["a comma, which lends a prefix", () => scopes("a:b,"), /^Scopes\[0\]\.Name must have/],
    ["two words", () => scopes("a b"), /^Scopes\[0\]\.Name must have/],
    ["an empty scope", () => scopes(""), /^Scopes\[0\]\.Name must have/],
    ["a scope twice", () => scopes("a", "b", "a"), /^Scopes\[2\]\.Name occurs twice/],
    ["a scope that is a text", () => ({ Scopes: ["a"] }), /^Scopes\[0\] must be/],
    ["nothing for a scope", () => ({ Scopes: [null] }), /^Scopes\[0\] must be/],
    ["more of a scope", () => ({ Scopes: [{ Name: "a", Color: 1 }] }), /^Scopes\[0\] must be/],
    ["a long text", () => ({ Scopes: [{ Name: "a", Description: "x".repeat(201) }] }), /^Scopes\[0\]\.Description/],
    [
      "too many",
      () => scopes(...Array.from({ length: 101 }, (_, n) => `s${n}`)),
      /^Scopes must be a list of at most 100/,
    ],
    ["another algorithm", () => ({ AccessTokenAlg: "HS256" }), /^AccessTokenAlg must be RS256 or ES256 or EdDSA/],
    ["another type", () => ({ AccessTokenType: "jwt" }), /^AccessTokenType must be at\+jwt or JWT/],
    [
      "a short life",
      () => ({ TokenLifetime: 59 }),
      /^TokenLifetime must be a whole number of seconds from 60 to 86400/,
    ],
    ["no Application", () => ({ ApplicationId: "1" }), /^ApplicationId: there is no Application 1/],
    ["no Id", () => ({ ApplicationId: "x" }), /^ApplicationId must be an Application's Id/],
  ])("%s", async (_, fields, says) => {
    const Name = Bun.randomUUIDv7();
    expectError(await admin.patch("/Api", { ...given(), Name, ...fields() }), 400, "Bad Input", says);
    expect((await admin.get(`/Api?Name=${Name}`)).body.Items).toEqual([]);
  });

  test("another tenant's Application", async () => {
    const { clientId } = await newTenant();
    const answer = await admin.patch("/Api", { ...given(), ApplicationId: clientId });
    expectError(answer, 400, "Bad Input", /^ApplicationId: there is no Application/);
  });

  test("an Audience of another tenant, because the APIs could not tell the tokens apart", async () => {
    const other = await newTenant();
    const { audience } = await newApi(other, "Orders", []);
    const answer = await admin.patch("/Api", { ...given(), Audience: audience });
    expectError(answer, 409, "Conflict", /^Audience is already used by another Api\.$/);
    const equal = audience.toUpperCase().replace(/$/, ":443/");
    expectError(
      await admin.patch("/Api", { ...given(), Audience: equal }),
      409,
      "Conflict",
      /^Audience is already used/,
    );
    const own = await ok(admin.patch("/Api", given()));
    const moved = await admin.patch("/Api", { Id: own.Id, Audience: audience });
    expectError(moved, 409, "Conflict", /^Audience is already used/);
  });

  test("an Audience released by another tenant while a token for it may be valid; the former owner can reuse it", async () => {
    const [first, second] = [await newTenant(), await newTenant()];
    const [deleted, moved] = [await newApi(first, "Orders", []), await newApi(first, "Stock", [])];
    await ok(first.send("DELETE", `/Api/${deleted.id}`));
    await ok(first.patch("/Api", { Id: moved.id, Audience: newAudience() }));
    for (const { audience } of [deleted, moved]) {
      const wanted = { Name: "Wanted", Audience: audience };
      const answer = await second.patch("/Api", wanted);
      expectError(answer, 409, "Conflict", /^Audience is already used by another Api\.$/);
    }
    const { Id } = await ok(first.patch("/Api", { Name: "Orders", Audience: deleted.audience }));
    await ok(first.send("DELETE", `/Api/${Id}`));
    await elapse("86400 seconds", "resting_audiences", { tenant_id: first.tenantId }, "rests_until");
    await ok(second.patch("/Api", { Name: "Wanted", Audience: deleted.audience }));
  });

  test("concurrent claims of one Audience, except one", async () => {
    const tenants = await Promise.all(Array.from({ length: 4 }, () => newTenant()));
    const Audience = newAudience();
    const answers = await Promise.all(tenants.map((tenant) => tenant.patch("/Api", { Name: "Orders", Audience })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  });

  test("a scope name of another API of the same tenant; other tenants may use it", async () => {
    const own = await newTenant();
    await newApi(own, "Orders", ["orders:read"]);
    const answer = await own.patch("/Api", { ...given(), ...scopes("x", "orders:read") });
    expectError(answer, 409, "Conflict", /^Scopes: orders:read is a scope of another Api/);
    expect((await own.get("/Api")).body.Items).toHaveLength(1);
    await newApi(admin, "Orders of another", ["orders:read"]);
  });
});

const scopes = (...names: string[]) => ({ Scopes: names.map((Name) => ({ Name, Description: "" })) });

describe("its scopes", () => {
  test("are granted to clients and roles by name; unknown names are rejected", async () => {
    const own = await newTenant();
    const { Id } = await ok(own.patch("/Application", { Name: "shop", Is_Active: true }));
    const credentials = `/Application/${Id}/Credentials`;
    const change = { Scopes: ["openid", "orders:read"] };
    const refused = /^Scopes: there is no scope orders:read/;
    expectError(await own.patch(credentials, change), 400, "Bad Input", refused);
    expectError(await own.patch("/Role", { Name: "clerk", ...change }), 400, "Bad Input", refused);
    await newApi(own, "Orders", ["orders:read"]);
    expect(await ok(own.patch(credentials, change))).toMatchObject(change);
    expect(await ok(own.patch("/Role", { Name: "clerk", ...change }))).toMatchObject(change);
    const stranger = await newTenant();
    const foreign = await stranger.patch("/Role", { Name: "clerk", ...change });
    expectError(foreign, 400, "Bad Input", refused);
  });

  test.each<[string, (own: Api, id: string) => Promise<unknown>]>([
    ["when the API leaves one out", (own, Id) => ok(own.patch("/Api", { Id, ...scopes("orders:list") }))],
    ["with the API", (own, id) => own.send("DELETE", `/Api/${id}`)],
  ])("are removed from clients and roles %s, and do not return with another API", async (_, lose) => {
    const own = await newTenant();
    const { id } = await newApi(own, "Orders", ["orders:read", "orders:write", "orders:list"]);
    const { Id } = await ok(own.patch("/Application", { Name: "shop", Is_Active: true }));
    const credentials = `/Application/${Id}/Credentials`;
    const Scopes = ["orders:read", "orders:write", "openid"];
    await ok(own.patch(credentials, { Scopes }));
    await ok(own.patch("/Role", { Name: "clerk", Scopes }));
    await ok(own.patch("/TenantSettings", { RegistrationScopes: Scopes }));
    await lose(own, id);
    await newApi(own, "Orders anew", ["orders:read", "orders:write"]);
    expect((await own.get("/TenantSettings")).body.RegistrationScopes).toEqual(["openid"]);
    expect((await own.get(credentials)).body.Scopes).toEqual(["openid"]);
    expect((await own.get("/Role?Name=clerk")).body.Items[0].Scopes).toEqual(["openid"]);
    // Later changes do not restore the scope.
    await ok(own.send("POST", `/Application/${Id}/Secrets`));
    expect(await ok(own.patch(credentials, { FirstParty: true }))).toMatchObject({ Scopes: ["openid"] });
  });
});

test("concurrent changes of an API and its own client do not deadlock", async () => {
  const own = await newTenant();
  const api = await ok(own.patch("/Api", given()));
  const { Id: application } = await ok(own.patch("/Application", { Name: "introspects" }));
  const changes = [
    (round: number) => own.patch("/Api", { Id: api.Id, ApplicationId: round % 2 ? application : null }),
    (round: number) => own.patch(`/Application/${application}/Credentials`, { Scopes: round % 2 ? ["openid"] : [] }),
    (round: number) =>
      own.patch(`/Application/${application}/Credentials`, { RedirectUris: [`https://a.example/${round}`] }),
  ];
  const rounds = Array.from({ length: 25 }, (_, round) => round);
  const answers = await Promise.all(
    changes.map(async (change) => {
      const statuses: number[] = [];
      for (const round of rounds) statuses.push((await change(round)).status);
      return statuses;
    }),
  );
  expect(new Set(answers.flat())).toEqual(new Set([200]));
});
