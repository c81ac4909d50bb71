import { describe, expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { ok, TOKEN_PATH } from "../world/api.ts";
import { askToken, basic, changeCredentials, expectTokenError, formOf, newClientOfType } from "../world/grants.ts";
import { newMember, newTenant, request } from "../world/tenant.ts";

const client = await newTenant();

const scopesOf = (answer: { body: { access_token: string } }) =>
  String(decodeJwt(answer.body.access_token).scope).split(" ");

describe("SPEC.md Endpoints 3: a token for the client itself", () => {
  test("by form: the whole token response", async () => {
    const answer = await askToken(formOf(client));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      token_type: "Bearer",
      expires_in: 3600,
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("pragma")).toBe("no-cache");
  });

  test("the client_secret is decoded from the form", async () => {
    const encoded = [...client.clientSecret].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
    const body = `grant_type=client%5Fcredentials&client_id=${client.clientId}&client_secret=${encoded}`;
    const answer = await askToken(body, { "content-type": "application/x-www-form-urlencoded" });
    expect(answer.status).toBe(200);
  });

  test.each([
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded;charset=UTF-8",
    "Application/X-WWW-Form-Urlencoded",
  ])("Content-Type %s", async (type) => {
    expect((await askToken(formOf(client).toString(), { "content-type": type })).status).toBe(200);
  });

  test("by Basic header, unencoded", async () => {
    const form = formOf(client, { client_id: undefined, client_secret: undefined });
    expect((await askToken(form, basic(client.clientId, client.clientSecret))).status).toBe(200);
  });

  test("by Basic header, form-encoded (RFC 6749 2.3.1)", async () => {
    const encode = (text: string) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("");
    const form = formOf(client, { client_id: undefined, client_secret: undefined });
    const header = basic(encode(client.clientId), encode(client.clientSecret));
    expect((await askToken(form, header)).status).toBe(200);
  });

  test("by Basic header, the same client_id and an empty client_secret in the form (RFC 6749 3.2)", async () => {
    const form = formOf(client, { client_secret: "" });
    expect((await askToken(form, basic(client.clientId, client.clientSecret))).status).toBe(200);
  });

  test("the new token opens the entity API", async () => {
    const { body } = await askToken(formOf(client, { scope: "AccessManager:Read" }));
    const answer = await client.send("GET", "/Entities", { headers: { authorization: `Bearer ${body.access_token}` } });
    expect(answer.status).toBe(200);
  });
});

describe("scope", () => {
  test.each([undefined, "", " "])("%p: the default openid profile name", async (scope) => {
    expect(scopesOf(await askToken(formOf(client, { scope })))).toEqual(["openid", "profile", "name"]);
  });

  test("without the defaults that the client does not have", async () => {
    const own = await newTenant();
    await changeCredentials(own, { Scopes: ["profile", "AccessManager:Read"] });
    expect(scopesOf(await askToken(formOf(own)))).toEqual(["profile"]);
  });

  test("* grants all of the client's scopes", async () => {
    const own = await newTenant();
    await changeCredentials(own, { Scopes: ["profile", "AccessManager:Read"] });
    expect(scopesOf(await askToken(formOf(own, { scope: "*" })))).toEqual(["profile", "AccessManager:Read"]);
    expect(scopesOf(await askToken(formOf(client, { scope: "openid *" }))).length).toBeGreaterThan(10);
  });

  test.each([
    ["AccessManager:Create, Update", ["AccessManager:Create", "AccessManager:Update"]],
    [
      "AccessManager:Read AccessManager:Create, Update",
      ["AccessManager:Read", "AccessManager:Create", "AccessManager:Update"],
    ],
    ["AccessManager:Create, Update openid", ["AccessManager:Create", "AccessManager:Update", "openid"]],
    ["Webhooks:Create, Update, Delete", ["Webhooks:Create", "Webhooks:Update", "Webhooks:Delete"]],
    ["AccessManager:Create, AccessManager:Update", ["AccessManager:Create", "AccessManager:Update"]],
    ["openid openid  profile", ["openid", "profile"]],
  ])("%p is %p", async (scope, expected) => {
    expect(scopesOf(await askToken(formOf(client, { scope })))).toEqual(expected);
  });

  test.each(["Color:Read", "groups Color:Read", "accessmanager:read", "Update", "AccessManager:Paint, Color", "**"])(
    "%p is not a scope of the client: Bad Input",
    async (scope) => {
      expectTokenError(await askToken(formOf(client, { scope })), 400, "Bad Input", /scope/);
    },
  );

  test("a known scope that the client does not have is Bad Input naming it", async () => {
    const own = await newTenant();
    await changeCredentials(own, { Scopes: ["profile"] });
    const answer = await askToken(formOf(own, { scope: "Webhooks:Delete" }));
    expectTokenError(answer, 400, "Bad Input", /Webhooks:Delete/);
    expect(answer.body.error_description).not.toContain("profile");
  });
});

describe("failed client authentication is 400 Unauthorized, with one message for all", () => {
  const ways: [string, () => ReturnType<typeof askToken>][] = [
    ["a wrong secret", () => askToken(formOf(client, { client_secret: `${client.clientSecret}x` }))],
    ["an unknown client", () => askToken(formOf(client, { client_id: "999999999" }))],
    ["a client_id that is no number", () => askToken(formOf(client, { client_id: "app'; --" }))],
    ["a client_id beyond numbers", () => askToken(formOf(client, { client_id: "9".repeat(400) }))],
    ["a client_id with a NUL", () => askToken(formOf(client, { client_id: "1\0" }))],
    ["a wrong secret by Basic", () => askToken(grantOnly(), basic(client.clientId, "wrong"))],
    ["an unknown client by Basic", () => askToken(grantOnly(), basic("nobody", client.clientSecret))],
    ["an unknown grant with a wrong secret", () => askToken(formOf(client, { grant_type: "x", client_secret: "y" }))],
  ];
  const grantOnly = () => formOf(client, { client_id: undefined, client_secret: undefined });

  test.each(ways)("%s", async (_, ask) => {
    const answer = await ask();
    expectTokenError(answer, 400, "Unauthorized");
    expect(answer.body.Title).toBe("Unauthorized");
    expect(answer.body.error_description).toBe("Client authentication failed: client_id or client_secret is wrong.");
  });

  test.each(["Bearer abc", "Basic", "Basic !!!", `Basic ${btoa("no colon")}`, `Basic ${btoa(":secret")}`, "Digest x"])(
    "Authorization: %s",
    async (authorization) => {
      expectTokenError(await askToken(grantOnly(), { authorization }), 400, "Unauthorized");
    },
  );

  test("another client's secret", async () => {
    const other = await newTenant();
    expectTokenError(await askToken(formOf(client, { client_secret: other.clientSecret })), 400, "Unauthorized");
  });

  test("an inactive application", async () => {
    const own = await newTenant();
    await ok((await newMember(own, "admin")).patch("/Application", { Id: own.clientId, Is_Active: false }));
    expectTokenError(await askToken(formOf(own)), 400, "Unauthorized");
  });

  test("an application without credentials", async () => {
    const { body } = await client.patch("/Application", { Is_Active: true });
    expectTokenError(await askToken(formOf(client, { client_id: body.Id })), 400, "Unauthorized");
  });

  test("of two valid secrets both work, a deleted one does not", async () => {
    const own = await newTenant();
    const secrets = `/Application/${own.clientId}/Secrets`;
    const [first] = (await ok(own.get(secrets))).Items;
    const { Secret: second } = await ok(own.send("POST", secrets));
    expect((await askToken(formOf(own))).status).toBe(200);
    expect((await askToken(formOf(own, { client_secret: second }))).status).toBe(200);
    await ok(own.send("DELETE", `${secrets}/${first.Id}`));
    expectTokenError(await askToken(formOf(own)), 400, "Unauthorized");
    expect((await askToken(formOf(own, { client_secret: second }))).status).toBe(200);
  });
});

test("a client without the grant gets 403 Permission", async () => {
  const own = await newTenant();
  await changeCredentials(own, { GrantTypes: ["authorization_code"] });
  const answer = await askToken(formOf(own));
  expectTokenError(answer, 403, "Permission", /client_credentials/);
  expect(answer.body.Title).toBe("Forbidden");
});

test.each(["public", "native"])("a %s client gets 403 Permission, with a secret or without", async (type) => {
  const own = await newClientOfType(type);
  for (const client_secret of [own.clientSecret, undefined]) {
    expectTokenError(await askToken(formOf(own, { client_secret })), 403, "Permission", /confidential client/);
  }
});

test.each(["client_id", "client_secret"])("%s is missing or empty: Unauthorized", async (field) => {
  for (const value of [undefined, ""]) {
    const answer = await askToken(formOf(client, { [field]: value }));
    expectTokenError(answer, 400, "Unauthorized", new RegExp(`${field} is missing`));
    expect(answer.body.Title).toBe("Unauthorized");
  }
});

test("an empty form is Unauthorized", async () => {
  const answer = await askToken("", { "content-type": "application/x-www-form-urlencoded" });
  expectTokenError(answer, 400, "Unauthorized", /client_id is missing/);
});

describe("Bad Input", () => {
  test("grant_type is missing or empty", async () => {
    for (const value of [undefined, ""]) {
      const answer = await askToken(formOf(client, { grant_type: value }));
      expectTokenError(answer, 400, "Bad Input", /grant_type is missing/);
      expect(answer.body.Title).toBe("Bad Request");
    }
  });

  test.each(["password", "Client_Credentials", "implicit", "constructor", "__proto__", "client_credentials "])(
    "grant_type %p is unknown",
    async (grant) => {
      expectTokenError(await askToken(formOf(client, { grant_type: grant })), 400, "Bad Input", /grant_type must be/);
    },
  );

  test.each(["grant_type", "client_id", "client_secret", "scope"])("%s is repeated in the form", async (field) => {
    const form = formOf(client, { scope: "openid" });
    form.append(field, form.get(field)!);
    expectTokenError(await askToken(form), 400, "Bad Input", new RegExp(field));
  });

  test("credentials in the form and in the header", async () => {
    const answer = await askToken(formOf(client), basic(client.clientId, client.clientSecret));
    expectTokenError(answer, 400, "Bad Input", /not both/);
  });

  test("different client_ids in the form and the header", async () => {
    const form = formOf(client, { client_id: "1", client_secret: undefined });
    expectTokenError(await askToken(form, basic(client.clientId, client.clientSecret)), 400, "Bad Input", /client_id/);
  });

  test("bytes that are not UTF-8", async () => {
    const type = { "content-type": "application/x-www-form-urlencoded" };
    expectTokenError(await askToken(Buffer.from("grant_type=\xff", "latin1"), type), 400, "Bad Input", /UTF-8/);
  });
});

describe("the request itself", () => {
  test.each(["application/json", "text/plain", "multipart/form-data; boundary=x"])(
    "Content-Type %s is 415",
    async (type) => {
      expectTokenError(
        await askToken(formOf(client).toString(), { "content-type": type }),
        415,
        "Unsupported Media Type",
      );
    },
  );

  test.each(["GET", "PUT", "PATCH", "DELETE"])("%s is 405 with Allow", async (method) => {
    const answer = await request(method, `${TOKEN_PATH}?client_secret=${client.clientSecret}`);
    expectTokenError(answer, 405, "Method Not Allowed");
    expect(answer.headers.get("allow")).toBe("POST");
  });

  test("a form above 64 KiB is 413", async () => {
    const answer = await askToken(formOf(client, { scope: "x ".repeat(40_000) }));
    expectTokenError(answer, 413, "Payload Too Large");
  });
});

test("no error repeats a secret", async () => {
  const secret = `${client.clientSecret}hunter2`;
  const header = basic(client.clientId, secret);
  const answers = await Promise.all([
    askToken(formOf(client, { client_secret: secret })),
    askToken(formOf(client, { client_secret: secret, grant_type: secret })),
    askToken(formOf(client, { client_secret: secret, client_id: undefined })),
    askToken(formOf(client, { client_secret: secret }), header),
    askToken(formOf(client, { client_secret: undefined, client_id: "1" }), header),
    askToken(`${formOf(client)}&client_secret=${secret}`, { "content-type": "application/x-www-form-urlencoded" }),
    askToken(formOf(client, { client_secret: secret }).toString(), { "content-type": "text/plain" }),
    askToken(`client_secret=${secret}%`, { "content-type": "application/x-www-form-urlencoded" }),
    askToken(new URLSearchParams({ grant_type: "client_credentials" }), { authorization: `Basic ${secret}` }),
    request("GET", `${TOKEN_PATH}?client_secret=${secret}`),
  ]);
  for (const answer of answers) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(answer.body)).not.toContain(client.clientSecret);
  }
});
