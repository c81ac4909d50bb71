// Callers who may change an address cannot learn the secrets sent to it.

import { describe, expect, test } from "bun:test";
import { BOUND_SECRETS } from "../../server/platform/egress/index.ts";
import { unique } from "../world/api.ts";
import { send } from "../world/spy.ts";
import { newMember, newTenant, savePolicy } from "../world/tenant.ts";

type Fields = Record<string, unknown>;
type Resource = keyof typeof BOUND_SECRETS;

/** Valid secrets, and the values for sending them again. */
const SECRETS: Record<string, unknown> = {
  Secret: "an old secret of thirty-two letters",
  ApiKey: "an-old-api-key",
  Headers: { Authorization: "an old token" },
  ClientSecret: "an old client secret",
};

/** A record with all its secrets for each address field, and the new address. */
const MADE: {
  [R in Resource]: Record<
    (typeof BOUND_SECRETS)[R]["addresses"][number],
    { fields: Fields; moved: string[]; same: string[] }
  >;
} = {
  WebhookConnection: {
    URL: {
      fields: { URL: "https://hooks.example.com/in", Entities: ["User"], Events: ["Created"] },
      moved: [
        "https://evil.example.com/in",
        "https://hooks.example.com:8443/in",
        "https://hooks.example.com.evil.example/in",
      ],
      same: ["https://hooks.example.com/in/2?x=1", "https://HOOKS.example.com:443/in"],
    },
  },
  IdentityProvider: {
    MetadataUri: {
      fields: {
        ...{ Type: "OpenIDConnect", ClientId: "gatehouse", Issuer: "https://id.example.com" },
        MetadataUri: "https://id.example.com/metadata",
      },
      moved: ["https://id.example.com/other", "https://elsewhere.example.com/metadata"],
      same: ["https://id.example.com/metadata"],
    },
    Issuer: {
      fields: { Type: "OpenIDConnect", ClientId: "us", Issuer: "https://id.example.com/a" },
      moved: ["https://evil.example.com/a", "https://id.example.com/b", "https://id.example.com/a/"],
      same: ["https://id.example.com/a"],
    },
    TokenEndpoint: {
      fields: {
        Type: "OAuth2",
        ClientId: "us",
        AuthorizationEndpoint: "https://social.example.com/authorize",
        TokenEndpoint: "https://social.example.com/token",
        UserinfoEndpoint: "https://social.example.com/me",
      },
      moved: ["https://evil.example.com/token", "https://social.example.com/other"],
      same: ["https://social.example.com/token"],
    },
  },
};

/** May change everything, but read nothing. */
const caller = await newTenant();
const updater = await newMember(caller);
const updates = '[Action::"Webhooks:Update", Action::"Settings:Update"]';
await savePolicy(
  caller,
  "Updater",
  `permit (principal == Client::"${updater.clientId}", action in ${updates}, resource);`,
);

const CASES = Object.entries(BOUND_SECRETS).flatMap(([resource, { addresses, secrets }]) =>
  addresses.map((address) => {
    const made = (MADE[resource as Resource] as Record<string, { fields: Fields; moved: string[]; same: string[] }>)[
      address
    ]!;
    return { resource, address, secrets: secrets as readonly string[], ...made };
  }),
);

describe.each(CASES)("$resource.$address", ({ resource, address, secrets, fields, moved, same }) => {
  const all = Object.fromEntries(secrets.map((name) => [name, SECRETS[name]]));
  const make = (stored: Fields) => caller.made(resource, { Name: unique("moved"), ...fields, ...stored });
  const change = (Id: unknown, body: Fields) => caller.patch(`/${resource}`, { Id, ...body });

  test("can be changed only if every stored secret is sent again; the error names each missing one", async () => {
    for (const url of moved) {
      const { Id } = await make(all);
      const before = await caller.get(`/${resource}/${Id}`);
      for (const missing of secrets) {
        const { [missing]: _, ...others } = all;
        const { status, body } = await change(Id, { [address]: url, ...others });
        expect({ url, missing, status, type: body.Type }).toEqual({
          url,
          missing,
          status: 400,
          type: "/Errors/Bad Input",
        });
        expect(body.Errors).toEqual([expect.stringContaining(`${missing} must be sent again: ${address}`)]);
      }
      const refused = await change(Id, { [address]: url });
      expect(refused.body.Errors).toHaveLength(secrets.length);
      expect(JSON.stringify(refused.body)).not.toContain("an old");
      expect((await caller.get(`/${resource}/${Id}`)).headers.get("etag")).toBe(before.headers.get("etag"));
      expect((await change(Id, { [address]: url, ...all })).status).toBe(200);
    }
  });

  test("tells callers without read permission neither the address nor which secrets are stored", async () => {
    const refused: unknown[] = [];
    for (const stored of [all, ...secrets.map((name) => ({ [name]: all[name] }))]) {
      const { Id } = await make(stored);
      for (const url of [...moved, ...same]) {
        const guess = await send(updater, "PATCH", `/${resource}`, { Id, [address]: url }, { "if-match": '"x"' });
        expect({ url, status: guess.status }).toEqual({ url, status: 412 });
      }
      for (const url of moved) {
        const { status, body } = await send(updater, "PATCH", `/${resource}`, { Id, [address]: url });
        expect({ url, status }).toEqual({ url, status: 400 });
        refused.push(body.Errors);
      }
    }
    expect(new Set(refused.map((errors) => JSON.stringify(errors))).size).toBe(1);
    for (const name of secrets) expect(refused[0]).toEqual([expect.stringContaining(name)]);
  });

  test("can be sent unchanged, and keeps its secrets", async () => {
    const { Id } = await make(all);
    for (const url of same) expect((await change(Id, { [address]: url })).status).toBe(200);
  });
});

test("a header to keep is not sent to a new address, and the ApiKey may be in the new address", async () => {
  const { fields } = MADE.WebhookConnection.URL;
  const { Id } = await caller.made("WebhookConnection", { ...fields, ...SECRETS, ClientSecret: undefined });
  const move = (body: Fields) =>
    caller.patch("/WebhookConnection", { Id, URL: "https://evil.example.com/?ApiKey=new", Secret: null, ...body });
  expect((await move({ Headers: { Authorization: null } })).body.Errors).toEqual([
    expect.stringContaining("Headers must be sent again"),
  ]);
  expect((await move({ Headers: null })).status).toBe(200);
  // The stored value is not returned either.
  const { body } = await caller.patch("/WebhookConnection", { Id, URL: "https://evil.example.com/" });
  expect(body.ApiKey).toBe("new");
});

test("a record without secrets can get a new address", async () => {
  const { Id } = await caller.made("IdentityProvider", {
    Name: unique("public"),
    ...MADE.IdentityProvider.Issuer.fields,
  });
  const { status } = await caller.patch("/IdentityProvider", { Id, Issuer: "https://other.example.com" });
  expect(status).toBe(200);
});
