// The negative cases of RFC 6749 4.1.3 and RFC 7636 4.6 at the token endpoint, as a table. Each row has the wrong
// values sent with the code; none of them may use up the code.

import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Answer, SendOptions } from "../world/api.ts";
import { answerOf, CALLBACK, type Client, newClient, newPkce, otherClient, RFC_TOKEN_PATH } from "../world/client.ts";
import { basic, expectRfcError } from "../world/grants.ts";
import { request } from "../world/tenant.ts";
import { Visitor } from "../world/visitor.ts";

const FORM = "application/x-www-form-urlencoded";

const client = await newClient({ redirect_uris: [CALLBACK, `${CALLBACK}/2`] });
const other = await otherClient(client);
const publicOther = await otherClient(client, { client_type: "public" });
const browser = new Visitor();
await client.visit(browser);

/** A code of the signed-in user, and the valid request for its tokens. */
async function newCode() {
  const { verifier, challenge } = newPkce();
  const { code } = answerOf(await browser.open(client.authorize(challenge)));
  const right = {
    grant_type: "authorization_code",
    code: code!,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    client_id: client.id,
    client_secret: client.tenant.client.clientSecret,
  };
  return { right, form: new URLSearchParams(right) };
}

const send = (form: URLSearchParams | string, options: SendOptions = {}): Promise<Answer> =>
  request("POST", RFC_TOKEN_PATH, { body: form, ...options });
const secretOf = ({ tenant }: Client) => tenant.client.clientSecret;

type Form = URLSearchParams;
type Row = [name: string, change: (form: Form) => void, status: number, error: string];
const set = (name: string, value: string | (() => string)) => (form: Form) =>
  form.set(name, typeof value === "string" ? value : value());
const drop = (name: string) => (form: Form) => form.delete(name);
const twice = (name: string) => (form: Form) => form.append(name, form.get(name)!);
const as = (who: () => Client, secret: () => string | undefined) => (form: Form) => {
  form.set("client_id", who().id);
  const given = secret();
  if (given === undefined) form.delete("client_secret");
  else form.set("client_secret", given);
};

const ROWS: Row[] = [
  [
    "another client",
    as(
      () => other,
      () => secretOf(other),
    ),
    400,
    "invalid_grant",
  ],
  [
    "another, public client",
    as(
      () => publicOther,
      () => undefined,
    ),
    400,
    "invalid_grant",
  ],
  [
    "another client's secret",
    as(
      () => client,
      () => secretOf(other),
    ),
    401,
    "invalid_client",
  ],
  [
    "another client's id with one's own secret",
    as(
      () => other,
      () => secretOf(client),
    ),
    401,
    "invalid_client",
  ],
  ["no secret", drop("client_secret"), 401, "invalid_client"],
  ["no client_id", drop("client_id"), 401, "invalid_client"],
  ["no code", drop("code"), 400, "invalid_request"],
  ["an empty code", set("code", ""), 400, "invalid_request"],
  ["a code with a character more", (form) => form.set("code", `${form.get("code")}A`), 400, "invalid_grant"],
  ["a code in capitals", (form) => form.set("code", form.get("code")!.toUpperCase()), 400, "invalid_grant"],
  ["a code of 60,000 characters", set("code", "x".repeat(60_000)), 400, "invalid_grant"],
  ["no redirect_uri, though it was sent before", drop("redirect_uri"), 400, "invalid_request"],
  ["another registered redirect_uri", set("redirect_uri", `${CALLBACK}/2`), 400, "invalid_grant"],
  ["redirect_uri with a slash more", set("redirect_uri", `${CALLBACK}/`), 400, "invalid_grant"],
  ["no code_verifier", drop("code_verifier"), 400, "invalid_grant"],
  ["an empty code_verifier", set("code_verifier", ""), 400, "invalid_grant"],
  ["the verifier of another request", set("code_verifier", () => newPkce().verifier), 400, "invalid_grant"],
  ["a code_verifier of 60,000 characters", set("code_verifier", "x".repeat(60_000)), 400, "invalid_grant"],
  ["no grant_type", drop("grant_type"), 400, "invalid_request"],
  ["an unknown grant_type", set("grant_type", "Authorization_Code"), 400, "unsupported_grant_type"],
  [
    "the code as a refresh token",
    (form) => {
      form.set("grant_type", "refresh_token");
      form.set("refresh_token", form.get("code")!);
    },
    400,
    "invalid_grant",
  ],
  ...["grant_type", "code", "redirect_uri", "code_verifier", "client_id", "client_secret"].map(
    (name): Row => [`${name} twice`, twice(name), 400, "invalid_request"],
  ),
  ["a form above 64 KiB", set("padding", "x".repeat(64 * 1024)), 413, "invalid_request"],
];

describe.concurrent("a code is rejected, and stays valid, with", () => {
  test.each(ROWS)("%s", async (_, change, status, error) => {
    const { right, form } = await newCode();
    change(form);
    expectRfcError(await send(form), status, error);
    expect((await send(new URLSearchParams(right))).status).toBe(200);
  });

  test.each<[string, (form: Form) => Promise<Answer>, number, string]>([
    [
      "secrets in header and form",
      (form) => send(form, { headers: basic(client.id, secretOf(client)) }),
      400,
      "invalid_request",
    ],
    [
      "another client in the header",
      (form) => {
        form.delete("client_secret");
        return send(form, { headers: basic(other.id, secretOf(other)) });
      },
      400,
      "invalid_request",
    ],
    [
      "JSON",
      (form) => send(JSON.stringify(Object.fromEntries(form)), { headers: { "content-type": "application/json" } }),
      400,
      "invalid_request",
    ],
    [
      "everything in the query",
      (form) => request("POST", `${RFC_TOKEN_PATH}?${form}`, { body: "", headers: { "content-type": FORM } }),
      401,
      "invalid_client",
    ],
    ["GET", (form) => request("GET", `${RFC_TOKEN_PATH}?${form}`), 405, "invalid_request"],
  ])("%s", async (_, ask, status, error) => {
    const { right, form } = await newCode();
    expectRfcError(await ask(form), status, error);
    expect((await send(new URLSearchParams(right))).status).toBe(200);
  });
});

describe.concurrent("of parallel requests with one code", () => {
  test("exactly one succeeds, and its tokens stay valid, because both have the code_verifier", async () => {
    const { form } = await newCode();
    const answers = await Promise.all([send(form), send(form)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expectRfcError(answers.find(({ status }) => status === 400)!, 400, "invalid_grant");
    const won = answers.find(({ status }) => status === 200)!;
    expect((await client.refresh(won.body.refresh_token)).status).toBe(200);
  });

  test("with another code_verifier revokes the tokens of the first", async () => {
    const { form } = await newCode();
    const guessed = new URLSearchParams(form);
    guessed.set("code_verifier", "a".repeat(43));
    const answers = [await send(form), await send(guessed)];
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expectRfcError(answers.find(({ status }) => status === 400)!, 400, "invalid_grant");
    const won = answers.find(({ status }) => status === 200)!;
    expectRfcError(await client.refresh(won.body.refresh_token), 400, "invalid_grant");
  });

  test("another client's request does not affect the owner's", async () => {
    const { form } = await newCode();
    const stolen = new URLSearchParams(form);
    as(
      () => other,
      () => secretOf(other),
    )(stolen);
    const [right, wrong] = await Promise.all([send(form), send(stolen)]);
    expect(right.status).toBe(200);
    expectRfcError(wrong, 400, "invalid_grant");
    expect((await client.refresh(right.body.refresh_token)).status).toBe(200);
  });
});

// RFC 7636 4.1: 43 to 128 unreserved characters. The challenge matches the verifier, so only its form is wrong.
describe.concurrent("a code_verifier", () => {
  test.each([
    ["43 characters", "a".repeat(43), 200],
    ["128 characters", "a".repeat(128), 200],
    ["every character that may be", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", 200],
    ["42 characters", "a".repeat(42), 400],
    ["129 characters", "a".repeat(129), 400],
    ["a space", `${"a".repeat(43)} `, 400],
    ["a plus", `${"a".repeat(43)}+`, 400],
    ["an umlaut", `${"a".repeat(43)}ä`, 400],
    ["a line's end", `${"a".repeat(43)}\n`, 400],
  ])("of %s", async (_, code_verifier, status) => {
    const code_challenge = createHash("sha256").update(code_verifier).digest("base64url");
    const path = client.authorize({ code_challenge, code_challenge_method: "S256" });
    const { code } = answerOf(await browser.open(path));
    const answer = await client.token(code!, { code_verifier });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.error).toBe("invalid_grant");
  });
});
