import { describe, expect, test } from "bun:test";
import { TooManyRequests } from "../../server/platform/errors.ts";
import { contextOf } from "../../server/platform/http/context.ts";
import { createRateLimit } from "../../server/platform/http/rate-limit.ts";
import { type PrivateApp, startPrivateApp } from "../support/private-app.ts";
import { until } from "../world/api.ts";
import { newClient } from "../world/client.ts";
import { newTenant } from "../world/tenant.ts";

const API = "/Endpoint/rest/api/v1";
const TOKEN = "/oAuth/rest/v2/Token";
const TINY = { rateLimit: { perSecond: 1, burst: 3 } };
const MANY = 30;
const POLICY = '"client";q=3;w=3';

const manyTimes = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: MANY }, ask));
const byStatus = (answers: Response[], status: number) => answers.filter((answer) => answer.status === status);

describe.concurrent("a client that asks too often", () => {
  test("gets an error record with Retry-After, and is served again after it", async () => {
    await using app = startPrivateApp(TINY);
    const authorization = await bearerOf(app);
    const ask = () => fetch(`${app.url}${API}/Entities`, { headers: { authorization } });
    const answers = await manyTimes(ask);
    const [served, refused] = [byStatus(answers, 200), byStatus(answers, 429)];
    expect(served.length).toBeGreaterThanOrEqual(2);
    expect(refused.length).toBeGreaterThan(0);
    expect(served.length + refused.length).toBe(MANY);

    for (const answer of answers) expect(answer.headers.get("ratelimit-policy")).toBe(POLICY);
    for (const answer of served) expect(answer.headers.get("ratelimit")).toMatch(/^"client";r=[0-2];t=1$/);
    for (const answer of refused) {
      expect(answer.headers.get("ratelimit")).toBe('"client";r=0;t=1');
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(await answer.json()).toEqual({
        Errors: ["This client sends more than 1 requests a second. Wait before the next one."],
        Type: "/Errors/Too Many Requests",
        Title: "Too Many Requests",
        StatusCode: 429,
        Instance: `${API}/Entities`,
        RequestKey: answer.headers.get("x-request-id"),
      });
    }
    await until("the client to be served again", async () => (await ask()).status === 200);
  });

  test("does not use up another client's quota", async () => {
    await using app = startPrivateApp(TINY);
    const [greedy, modest] = [await bearerOf(app), await bearerOf(app)];
    const ask = (authorization: string) => fetch(`${app.url}${API}/Entities`, { headers: { authorization } });
    const answers = await manyTimes(() => ask(greedy));
    expect(byStatus(answers, 429).length).toBeGreaterThan(0);
    expect((await ask(modest)).status).toBe(200);
  });

  test("is rejected by the token endpoint in its own format", async () => {
    await using app = startPrivateApp(TINY);
    const { client } = (await newTenant()).tenant;
    const answers = await manyTimes(() => askToken(app.url, client.clientId, client.clientSecret));
    const refused = byStatus(answers, 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers.get("retry-after")).toBe("1");
    expect(refused[0]!.headers.get("ratelimit-policy")).toBe(POLICY);
    expect(await refused[0]!.json()).toMatchObject({
      error: "Too Many Requests",
      Type: "/Errors/Too Many Requests",
      StatusCode: 429,
      Instance: TOKEN,
    });
  });
});

describe.concurrent("unauthenticated requests use up no quota", () => {
  test("without a token every answer is 401", async () => {
    await using app = startPrivateApp(TINY);
    const answers = await manyTimes(() => fetch(`${app.url}${API}/Entities`));
    expect(byStatus(answers, 401)).toHaveLength(MANY);
    for (const answer of answers) expect(answer.headers.has("ratelimit")).toBe(false);
  });

  test("a client's id without its secret cannot use up its quota", async () => {
    await using app = startPrivateApp(TINY);
    const { client } = (await newTenant()).tenant;
    const answers = await manyTimes(() => askToken(app.url, client.clientId, "guessed"));
    expect(byStatus(answers, 400)).toHaveLength(MANY);
    expect((await askToken(app.url, client.clientId, client.clientSecret)).status).toBe(200);
  });

  test("nor can the id of a public client: each address has its own quota", async () => {
    await using app = startPrivateApp({ ...TINY, trustProxy: true });
    const { id: client_id } = await newClient({ client_type: "public", grant_types: ["refresh_token"] });
    const body = new URLSearchParams({ client_id, grant_type: "refresh_token", refresh_token: "none" }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const askFrom = (address: string) =>
      fetch(`${app.url}/oauth2/token`, { method: "POST", headers: { ...headers, "x-forwarded-for": address }, body });
    const answers = await manyTimes(() => askFrom("203.0.113.1"));
    expect(byStatus(answers, 429).length).toBeGreaterThan(0);
    expect((await askFrom("203.0.113.2")).status).toBe(400);
  });
});

test("a quota refills steadily up to its burst", () => {
  let clock = 0;
  const admit = createRateLimit({ perSecond: 2, burst: 3 }, () => clock);
  const ask = () => {
    const request = new Request("http://localhost/");
    const headers: Record<string, string> = {};
    contextOf(request).headers = headers;
    try {
      admit(request, "client");
    } catch (error) {
      expect(error).toBeInstanceOf(TooManyRequests);
      return `refused ${headers.ratelimit}`;
    }
    return headers.ratelimit;
  };
  expect([ask(), ask(), ask(), ask()]).toEqual([
    '"client";r=2;t=1',
    '"client";r=1;t=1',
    '"client";r=0;t=1',
    'refused "client";r=0;t=1',
  ]);
  clock += 499;
  expect(ask()).toStartWith("refused");
  clock += 1;
  expect(ask()).toBe('"client";r=0;t=1');
  clock += 3_600_000;
  expect(ask()).toBe('"client";r=2;t=1');
});

const bearerOf = async (app: PrivateApp) => (await newTenant(app)).authorization;

function askToken(url: string, clientId: string, clientSecret: string): Promise<Response> {
  const fields = { grant_type: "client_credentials", scope: "*", client_id: clientId, client_secret: clientSecret };
  return fetch(url + TOKEN, { method: "POST", body: new URLSearchParams(fields) });
}
