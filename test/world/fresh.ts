// For an operation of the document: a request that names records and tokens of the tenant which exist and fit it.

import { API, type Api, ok, unique, until } from "./api.ts";
import { CALLBACK, Client, newPkce, otherClient, setCredentials } from "./client.ts";
import { newColleague } from "./console.ts";
import { basic, postAs } from "./grants.ts";
import { signIn as signInForLogout } from "./logouts.ts";
import { enrolled } from "./person.ts";
import { plantLogouts } from "./planted.ts";
import { initialToken, metadata, register } from "./registrar.ts";
import { plantAlert, setRows } from "./rows.ts";
import { Visitor } from "./visitor.ts";

type Values = Record<string, unknown>;

/** Parts that replace those of a generated request; those left out stay. */
export interface Fresh {
  path?: Values;
  query?: Values;
  body?: unknown;
  authorization?: string;
}

type Recipe = () => Promise<Fresh>;

const NOWHERE = "https://localhost:9443/";
const WEBHOOK = { URL: NOWHERE, Entities: ["Department"], Events: ["Updated"] };
const PROVIDER = { Type: "OpenIDConnect", Issuer: "https://localhost:9443", ClientId: "gatehouse" };
const REGISTRATION = { client_registration: "InitialAccessToken" };

/** A minute before now. */
const ago = () => new Date(Date.now() - 60_000).toISOString();

/** @param api an administrator of the tenant */
export async function freshRecords(api: Api): Promise<(operationId: string, path: string) => Promise<Fresh>> {
  const owner = new Client(api.tenant);
  const registrar = { admin: api, tenantId: api.tenantId, ...api.tenant.admin };
  const client = await otherClient(owner, {
    grant_types: [
      "authorization_code",
      "refresh_token",
      "client_credentials",
      "urn:ietf:params:oauth:grant-type:device_code",
    ],
    scopes: ["openid", "profile", "AccessManager:Read"],
    first_party: true,
  });
  const authorization = basic(client.id, client.tenant.client.clientSecret).authorization!;

  const fields: Record<string, () => Values> = {
    Api: () => ({ Name: unique("api"), Audience: `urn:${Bun.randomUUIDv7()}` }),
    Application: () => ({ Name: unique("application") }),
    Department: () => ({ Name: unique("department") }),
    Group: () => ({ Name: unique("group") }),
    IdentityProvider: () => ({ ...PROVIDER, Name: unique("provider") }),
    Policy: () => ({ Name: unique("policy"), Policy: 'permit (principal == Client::"0", action, resource);' }),
    Role: () => ({ Name: unique("role") }),
    User: () => ({ Username: unique("user"), Name: "A user", Is_Active: true }),
    WebhookConnection: () => ({ ...WEBHOOK, Name: unique("connection") }),
  };
  const first = async (list: string) => String((await ok(api.get(`/${list}?Limit=1`))).Items[0].Id);
  const makers: Record<string, () => Promise<string>> = {
    ...Object.fromEntries(
      Object.entries(fields).map(([kind, of]) => [kind, async () => String((await api.made(kind, of())).Id)]),
    ),
    // A connection has one open alert of a kind.
    Alert: async () =>
      plantAlert(api.tenantId, { connection_id: await makers.WebhookConnection!(), kind: "ErrorRate" }),
    AuditEvent: () => first("AuditEvent"),
    Erasure: erased,
    Redelivery: async () => (await api.replay({ ConnectionId: await makers.WebhookConnection!(), From: ago() })).Id,
    Request: async () => {
      await until("a request to be recorded", async () => (await ok(api.get("/Request"))).Items.length > 0);
      return first("Request");
    },
  };

  async function erased(): Promise<string> {
    const { Id } = await ok(api.call("POST", `/User/${await makers.User!()}/Erase`, { Deliveries: "Cancel" }));
    await until("the erasure to end", async () => (await ok(api.get(`/Erasure/${Id}`))).State === "Completed");
    return Id;
  }

  /** An event with an exhausted delivery. */
  async function exhausted(): Promise<string> {
    const { Id } = await api.connect(NOWHERE, { Name: unique("connection") });
    const { EventId } = await api.settledChange({ Name: unique("application") });
    // It gets no later change.
    await api.made("WebhookConnection", { Id, Entities: ["Department"] });
    return EventId;
  }

  async function changed(): Promise<string> {
    await api.change({ Name: unique("application") });
    return (await api.newestEvent()).EventId;
  }

  const adminId = async () => String((await ok(api.get("/User?Username=admin"))).Items[0].Id);

  /** A person who has signed in to the client. */
  async function session() {
    const visitor = new Visitor();
    const tokens = (await client.token(await client.code(visitor, { scope: "openid profile" }))).body;
    const user = await adminId();
    const { Items } = await ok(api.get(`/User/${user}/Sessions`));
    return { user, tokens, session: String(Items[0].Id) };
  }

  async function registered(): Promise<{ id: string; token: string }> {
    const { body } = await register(registrar, metadata(), await initialToken(registrar));
    return { id: body.client_id, token: body.registration_access_token };
  }

  async function logout(): Promise<Values> {
    const [id] = await plantLogouts(api, client.id, 1, { state: "Exhausted", ended_on: new Date() });
    return { Id: client.id, LogoutId: id! };
  }

  async function identity(): Promise<Values> {
    const [Id, IdentityProviderId] = [await makers.User!(), await makers.IdentityProvider!()];
    const { Id: IdentityId } = await ok(
      api.call("POST", `/User/${Id}/Identities`, { IdentityProviderId, Subject: unique("subject") }),
    );
    return { Id, IdentityId };
  }

  async function withSecret(): Promise<string> {
    const id = await makers.WebhookConnection!();
    await ok(api.call("POST", `/WebhookConnection/${id}/Secret`, {}));
    return id;
  }

  /** A Pull connection with an event. */
  async function pulled(): Promise<string> {
    const fields = { Kind: "Pull", Name: unique("consumer"), Entities: ["Application"], Events: ["Created"] };
    const { Id } = await api.made("WebhookConnection", fields);
    await changed();
    return Id;
  }

  async function secondFactor(): Promise<string> {
    const admin = await newColleague(api);
    await enrolled(new Client({ ...client.tenant, admin }));
    return String((await ok(api.get(`/User?Username=${encodeURIComponent(admin.username)}`))).Items[0].Id);
  }

  const question = (): Values => ({
    ...{ response_type: "code", client_id: client.id, redirect_uri: CALLBACK, scope: "openid", state: "x" },
    ...newPkce().challenge,
  });
  const authorize: Recipe = async () => ({ query: question(), body: question() });
  const token: Recipe = async () => ({ authorization, body: { grant_type: "client_credentials" } });
  const ofToken: Recipe = async () => {
    const { body } = await postAs(client.tenant.client, "/oauth2/token", { grant_type: "client_credentials" });
    return { authorization, body: { token: body.access_token } };
  };
  const registration: Recipe = async () => {
    const { id, token: bearer } = await registered();
    return { path: { client_id: id }, body: { ...metadata(), client_id: id }, authorization: `Bearer ${bearer}` };
  };
  const registering: Recipe = async () => {
    const bearer = `Bearer ${await initialToken(registrar)}`;
    return { path: { tenant: api.tenantId }, body: metadata(), authorization: bearer };
  };
  const userInfo: Recipe = async () => ({ authorization: `Bearer ${(await session()).tokens.access_token}` });

  await setRows("tenants", { id: api.tenantId }, REGISTRATION);
  const own: Record<string, Recipe> = {
    getLogout: async () => ({ path: await logout() }),
    redeliverLogout: async () => {
      await setCredentials(client.id, { backchannel_logout_uri: NOWHERE });
      return { path: await logout() };
    },
    revokeRegistrationAccessToken: async () => ({ path: { Id: (await registered()).id } }),
    getRegistrationAccessToken: async () => ({ path: { Id: (await registered()).id } }),
    replaceRegistrationAccessToken: async () => ({ path: { Id: (await registered()).id } }),
    deleteSecret: async () => {
      const Id = await makers.Application!();
      await ok(api.call("POST", `/Application/${Id}/Secrets`, {}));
      const { Id: SecretId } = await ok(api.call("POST", `/Application/${Id}/Secrets`, {}));
      return { path: { Id, SecretId } };
    },
    changeRedelivery: async () => ({ path: { Id: await makers.Redelivery!() }, body: { Rate: 5 } }),
    createRedelivery: async () => ({
      body: { ConnectionId: await makers.WebhookConnection!(), From: ago() },
    }),
    deleteRegistrationToken: async () => ({
      path: { Id: (await ok(api.call("POST", "/RegistrationToken", {}))).Id },
    }),
    evaluatePolicies: async () => ({
      body: {
        Principal: { Type: "User", Id: await adminId() },
        Action: "AccessManager:Read",
        Resource: { Type: "Application", Id: await makers.Application!() },
      },
    }),
    eraseUser: async () => ({ path: { Id: await makers.User!() }, body: { Deliveries: "Cancel" } }),
    revokeGrant: async () => ({ path: { Id: (await session()).user, ApplicationId: client.id } }),
    linkIdentity: async () => ({
      path: { Id: await makers.User!() },
      body: { IdentityProviderId: await makers.IdentityProvider!(), Subject: unique("subject") },
    }),
    unlinkIdentity: async () => ({ path: await identity() }),
    getSecondFactor: async () => ({ path: { Id: await secondFactor() } }),
    deleteSecondFactor: async () => ({ path: { Id: await secondFactor() } }),
    endSession: async () => {
      const { user, session: SessionId } = await session();
      return { path: { Id: user, SessionId } };
    },
    testWebhookConnection: async () => ({
      path: { Id: await makers.WebhookConnection!() },
      body: { EventRecord: "Department", EventType: "Updated" },
    }),
    tryWebhookFilter: async () => ({
      path: { Id: await makers.WebhookConnection!() },
      body: { Filter: "resource.Is_Active || !resource.Is_Active" },
    }),
    pullWebhookEvents: async () => ({ path: { Id: await pulled() } }),
    acknowledgeWebhookEvents: async () => {
      const Id = await pulled();
      const { Items } = await ok(api.get(`/WebhookConnection/${Id}/Events`));
      return { path: { Id }, body: { Upto: Items[0].EventId } };
    },
    discardWebhookDeliveries: async () => ({
      path: { Id: await makers.WebhookConnection!() },
      body: { Before: new Date().toISOString(), DryRun: true },
    }),
    endWebhookSecretRotation: async () => ({ path: { Id: await withSecret() } }),
    proveWebhookSecret: async () => ({ path: { Id: await withSecret() } }),
    getWebhookEvent: async () => ({ path: { EventId: await changed() } }),
    redeliverWebhookEvent: async () => ({ path: { EventId: await exhausted() }, body: {} }),
    explainWebhookEvent: async () => ({ path: { EventId: await changed() } }),
    requestToken: token,
    token,
    getOauthAuthorize: authorize,
    postOauthAuthorize: authorize,
    getOauth2Authorize: authorize,
    postOauth2Authorize: authorize,
    deleteRegisteredClient: registration,
    readRegisteredClient: registration,
    changeRegisteredClient: registration,
    authorizeDevice: async () => ({ authorization, body: { scope: "openid" } }),
    introspect: ofToken,
    revoke: ofToken,
    logout: async () => ({ query: { id_token_hint: (await signInForLogout(client)).idToken } }),
    postLogout: async () => ({ body: { id_token_hint: (await signInForLogout(client)).idToken } }),
    pushAuthorizationRequest: async () => ({ authorization, body: question() }),
    registerClient: registering,
    registerClientOfTenant: registering,
    getUserInfo: userInfo,
    postUserInfo: userInfo,
  };
  return async (operationId, path) => {
    const recipe = own[operationId] ?? general(path);
    return recipe?.() ?? {};
  };

  /** A record of the kind in the path; for a path of the kind itself, the record's fields. */
  function general(path: string): Recipe | undefined {
    const [kind, id] = path.startsWith(`${API}/`) ? path.slice(API.length + 1).split("/") : [];
    if (id === "{Id}" && makers[kind!]) return async () => ({ path: { Id: await makers[kind!]!() } });
    if (id === undefined && fields[kind!]) return async () => ({ body: await fields[kind!]!() });
    return undefined;
  }
}
