// An administrator lists an application's logouts, and sends one again.

import { expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { API, type Api, until } from "../world/api.ts";
import { Client, issuer } from "../world/client.ts";
import { logoutClient, setCredentials, signIn, signOut, tokensOf } from "../world/logouts.ts";
import { startReceiver } from "../world/receiver.ts";
import { clientOf, newMember, newTenant, request, savePolicy } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

// biome-ignore lint/suspicious/noExplicitAny: as the API answers it
type Logout = any;

const listOf = async (
  api: Api,
  id: string,
  query = "",
): Promise<{ Items: Logout[]; Next: string | null; Hidden: number | null }> =>
  (await api.call("GET", `/Application/${id}/Logouts${query}`)).body as never;

/** The newest logout, after it has ended. */
const ended = (api: Api, id: string, run = 1): Promise<Logout> =>
  until("the logout to end", async () => {
    const [newest] = (await listOf(api, id)).Items;
    return newest?.EndedOn && newest.Run === run ? newest : undefined;
  });

test("a failed one is listed with its attempts, and resent to the current address", async () => {
  const echo = (token: string) => new Response(`no: ${token}`, { status: 500 });
  await using failing = startReceiver(({ payload }) =>
    echo((payload as unknown as Record<string, string>).logout_token!),
  );
  await using working = startReceiver(200);
  const { api, client } = await logoutClient(failing.url);
  const { visitor, idToken, sid } = await signIn(client);
  await signOut(visitor, idToken);
  const failed = await ended(api, client.id);
  expect(failed).toMatchObject({
    UserId: Number(decodeJwt(idToken).sub!.slice("user-".length)),
    SessionId: sid,
    State: "Exhausted",
    Reason: "localhost answered 500",
    Run: 1,
    WorkflowId: `Application/${client.id}/Logout/${failed.Id}`,
    WorkflowUrl: expect.stringContaining(encodeURIComponent(`Application/${client.id}/Logout/${failed.Id}`)),
  });
  // The token in the receiver's response is not stored.
  const attempt = { StatusCode: 500, Failure: null, Response: { Headers: expect.any(String), Body: "no: …" } };
  expect(failed.Attempts).toEqual(
    [1, 2, 3].map((number) => ({
      ...attempt,
      ...{ Number: number, StartedOn: expect.any(String), DurationMs: expect.any(Number) },
    })),
  );
  const path = `/Application/${client.id}/Logouts/${failed.Id}`;
  expect((await api.call("GET", path)).body).toEqual(failed);

  await setCredentials(api, client, { BackchannelLogoutUri: working.url });
  const again = await api.call("POST", `${path}/Redeliver`);
  expect([again.status, again.body]).toEqual([
    200,
    {
      ...failed,
      State: "Pending",
      Reason: null,
      EndedOn: null,
      Run: 2,
      WorkflowId: `${failed.WorkflowId}/2`,
      WorkflowUrl: expect.any(String),
    },
  ]);
  const delivered = await ended(api, client.id, 2);
  expect(delivered).toMatchObject({ State: "Delivered", Reason: null });
  expect(delivered.Attempts.map((one: Logout) => one.StatusCode)).toEqual([500, 500, 500, 200]);
  expect(decodeJwt(tokensOf(working)[0]!).sid).toBe(sid);
  const { body } = await api.call<{ Items: Logout[] }>("GET", "/AuditEvent?Kind=Logout.Redelivered");
  expect(body.Items).toMatchObject([{ Details: { LogoutId: failed.Id } }]);
});

test("one in progress, and one of an application without an address, cannot be resent", async () => {
  await using receiver = startReceiver(new Response(null, { status: 503, headers: { "retry-after": "3600" } }));
  const { api, client } = await logoutClient(receiver.url);
  const { visitor, idToken } = await signIn(client);
  await signOut(visitor, idToken);
  const waiting = await until("its first attempt", async () => {
    const [newest] = (await listOf(api, client.id)).Items;
    return newest?.State === "Retrying" ? newest : undefined;
  });
  const path = `/Application/${client.id}/Logouts/${waiting.Id}/Redeliver`;
  expect((await api.call("POST", path)).status).toBe(409);
  await setCredentials(api, client, { BackchannelLogoutUri: null });
  const refused = await api.call("POST", path);
  expect([refused.status, refused.body.Errors]).toEqual([409, ["The Application has no BackchannelLogoutUri."]]);
});

test("they are visible to readers of the application's credentials, in pages", async () => {
  await using receiver = startReceiver(200);
  const { api, client } = await logoutClient(receiver.url);
  for (const _ of [1, 2, 3]) {
    const { visitor, idToken } = await signIn(client);
    await signOut(visitor, idToken);
  }
  await until("all", async () => (await listOf(api, client.id)).Items.every(({ EndedOn }) => EndedOn));
  const all = (await listOf(api, client.id)).Items;
  const [first, ...others] = all;
  const page = await listOf(api, client.id, "?Limit=1");
  const rest = await listOf(api, client.id, `?Limit=2&Cursor=${encodeURIComponent(page.Next!)}`);
  expect([page.Items, rest]).toEqual([[first], { Items: others, Next: null, Hidden: 0 }]);

  const own = `/Application/${client.id}/Logouts`;
  const stranger = await newTenant();
  const reader = await clientOf(api.tenant);
  const hidden = await newMember(reader);
  await savePolicy(
    reader,
    "Hide",
    `forbid (principal == Client::"${hidden.clientId}", action, resource is Credentials);`,
  );
  for (const [method, path] of [
    ["GET", own],
    ["GET", `${own}/${first.Id}`],
    ["POST", `${own}/${first.Id}/Redeliver`],
  ] as const) {
    expect([path, (await stranger.call(method, path)).status]).toEqual([path, 404]);
    const headers = { authorization: `Bearer ${hidden.token}` };
    expect([path, (await request(method, API + path, { headers })).status]).toEqual([path, 403]);
  }
  const foreign = `/Application/${stranger.clientId}/Logouts/${first.Id}`;
  await setCredentials(stranger, new Client(stranger.tenant), {
    BackchannelLogoutUri: receiver.url,
  });
  for (const [method, path] of [
    ["GET", foreign],
    ["POST", `${foreign}/Redeliver`],
  ] as const) {
    expect([path, (await stranger.call(method, path)).status]).toEqual([path, 404]);
  }
});

test("the application's page lists them, and a button resends one", async () => {
  await using receiver = startReceiver([500, 500, 500, 200]);
  const { api, client } = await logoutClient(receiver.url);
  const { visitor: person, idToken } = await signIn(client);
  await signOut(person, idToken);
  await ended(api, client.id);
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${api.tenantId}`), api.tenant.admin);
  const page = await visitor.open(`/settings/applications/${client.id}/logouts`);
  expect(page.html.replace(/<[^>]*>/g, "")).toContain("500, 500, 500");
  const form = page.forms.find(({ action }) => action.endsWith("/redeliver"))!;
  const told = await visitor.post(form.action, form.fields);
  expect(told.html).toContain("The logout is being sent again.");
  expect(await ended(api, client.id, 2)).toMatchObject({ State: "Delivered" });
});
