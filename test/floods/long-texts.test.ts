// No text from outside takes more than twice the time when it is twice as long, wherever it is read. All places are
// those of the declarations, so a new field, filter, parameter or kind of record is measured too. Other steps, such as
// the readers of headers, are listed here.

import { describe, expect, test } from "bun:test";
import { normalAddress } from "../../server/identity/oauth/apis/normal-address.ts";
import { canBeNamed, isNamed, readCertificate } from "../../server/identity/oauth/certificate.ts";
import { redirectUriProblem } from "../../server/identity/oauth/clients/credential-rules.ts";
import { isDocumentUrl } from "../../server/identity/oauth/clients/store.ts";
import { grantedScopes } from "../../server/identity/oauth/scope-parameter.ts";
import { SETTINGS } from "../../server/identity/settings.ts";
import { createCookies } from "../../server/identity/signin/cookies.ts";
import { createPasswordProblem } from "../../server/identity/signin/password.ts";
import { digestOfCode, newRecoveryKey, plainCode } from "../../server/identity/signin/second-factor/codes.ts";
import { toIdentity } from "../../server/identity/signin/upstream/identity.ts";
import { MAPPED } from "../../server/identity/signin/upstream/providers/provider-words.ts";
import { TENANT_SETTINGS } from "../../server/identity/tenants/index.ts";
import { readUrl } from "../../server/platform/address.ts";
import { readConditions } from "../../server/platform/http/conditions.ts";
import { clientAddress, contextOf, parseTraceParent } from "../../server/platform/http/context.ts";
import { parseJson } from "../../server/platform/http/json.ts";
import { type Parameter, readAsked } from "../../server/platform/http/query.ts";
import { acceptedTypes, requireHost } from "../../server/platform/http/request.ts";
import { presentedToken } from "../../server/records/access/bearer.ts";
import { createRegistry, ENTITIES } from "../../server/records/entities/registry.ts";
import { matchables, parseValue, pathText } from "../../server/records/values.ts";
import { bodyOf, formFields } from "../../server/ui/contract-form.tsx";
import { texts } from "../../server/ui/index.ts";
import { CONNECTION } from "../../server/webhooks/index.ts";
import { composedRoutes } from "../support/composed-app.ts";
import { expectError } from "../world/api.ts";
import type { Json } from "../world/documented.ts";
import { db, newTenant } from "../world/tenant.ts";
import { FILLINGS, growth, MAX_LENGTH } from "./doubling.ts";
import { FLOOR_MS, slowestOf } from "./neighbour.ts";

/** The readers of texts, by the place of the text. */
type Steps = Record<string, (text: string) => unknown>;

const registry = createRegistry(ENTITIES);
const contracts = [...registry, ...Object.values(SETTINGS).map(({ type }) => type), CONNECTION, TENANT_SETTINGS];

describe("the time of a text at most doubles with its length", () => {
  test("in every field of every body", () => expectLinear(bodySteps()));
  test("in every field of every form", () => expectLinear(formSteps()));
  test("in every filter, parameter and path", () => expectLinear(querySteps(), MAX_HEAD));
  test("in every header", () => expectLinear(headerSteps(), MAX_HEAD));
  test("in every claim of a provider", () => expectLinear(claimSteps()));
  test("in codes, passwords, names, addresses and scopes", () => expectLinear(otherSteps()));
});

async function expectLinear(steps: Steps, longest?: number): Promise<void> {
  const slow: string[] = [];
  for (const [place, step] of Object.entries(steps)) {
    for (const filling of Object.keys(FILLINGS)) {
      const measured = await growth(step, filling, longest);
      if (measured) slow.push(`${place}, ${filling}: ${measured}`);
    }
  }
  expect(slow).toEqual([]);
}

/** All fields of a body, with values of each shape that their schemas have. */
function bodySteps(): Steps {
  const bodies: { name: string; schema: Json; check(body: object): unknown }[] = [
    ...registry.map(({ name, schema, check }) => ({ name, schema, check })),
    ...composedRoutes().flatMap(({ id, body }) => (body ? { name: id, schema: body.schema, check: body.parse } : [])),
  ];
  return Object.fromEntries(
    bodies.flatMap(({ name, schema, check }) => {
      const fields = Object.entries<Json>(schema.properties ?? {});
      const shapes = [...COMMON, ...fields.flatMap(([, inner]) => shapesOf(inner))];
      const filled = (value: unknown) => check(Object.fromEntries(fields.map(([field]) => [field, value])));
      return [
        [`fields of ${name}`, (text: string) => shapes.map((shape) => attempt(() => filled(shape(text))))],
        [`unknown fields of ${name}`, (text: string) => check({ ...membersOf(text), [text]: text })],
      ];
    }),
  );
}

type Shape = (text: string) => unknown;

function shapesOf(schema: Json): Shape[] {
  const parts: Json[] = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const inner = parts.flatMap(membersIn);
  return [
    ...membersIn(schema),
    ...inner,
    ...inner.map(
      (shape): Shape =>
        (text) => [shape(text)],
    ),
  ];
}

function membersIn({ properties = {} }: Json): Shape[] {
  const names = Object.keys(properties);
  if (names.length === 0) return [];
  return [
    (text) => Object.fromEntries(names.map((name) => [name, text])),
    (text) => ({ keys: [{ kty: text, n: text }] }),
  ];
}

/** Other texts are one word, as spaces are measured within a text. */
const wordsOf = once((text) => (text.startsWith("w0-") ? text.split(" ") : [text]));
const membersOf = once((text) => Object.fromEntries(wordsOf(text).map((name) => [name, name])));

/** Made before it is measured again. */
function once<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => made.getOrInsertComputed(text, make);
}

/** A text itself, lists and objects of it, and foreign keys. */
const COMMON: Shape[] = [
  (text) => text,
  (text) => [text],
  wordsOf,
  (text) => ({ [text]: text }),
  membersOf,
  (text) => ({ Id: text }),
  (text) => ({ ExternalId: text }),
  (text) => ({ FieldType: "Name", Value: text, Type: text }),
];

function formSteps(): Steps {
  return Object.fromEntries(
    contracts.flatMap((contract) =>
      formFields(contract).map((name) => [
        `the form of ${contract.name}, ${name}`,
        (text: string) => contract.check(bodyOf(contract, [name], new URLSearchParams({ [name]: text }))),
      ]),
    ),
  );
}

function querySteps(): Steps {
  const routes = composedRoutes();
  const parameters = routes.flatMap(({ id, params = {}, query = {} }) =>
    Object.entries<Parameter<unknown>>({ ...params, ...query }).map(([name, { read }]) => [`${id}, ${name}`, read]),
  );
  const filters = routes.flatMap(({ id, filters = {}, anyCase }) =>
    [...Object.keys(filters), "Cursor", "Limit", "other"].map((name) => [
      `${id}, filter ${name}`,
      (text: string) => readAsked(filters, new URLSearchParams({ [name === "other" ? text : name]: text }), anyCase),
    ]),
  );
  const paths = registry.flatMap((entity) =>
    matchables(entity).map((field) => [
      `the path of ${entity.name} by ${field.name}`,
      (text: string) => {
        attempt(() => parseValue(field, text));
        parseValue(field, pathText(text));
      },
    ]),
  );
  return Object.fromEntries([...parameters, ...filters, ...paths]);
}

/** The server accepts 16 KiB of address and headers. */
const MAX_HEAD = 2 ** 16;

/** @throws TypeError for a text that cannot be in a header */
function withHeader(name: string, value: string): Request {
  return new Request("http://localhost/", { headers: { [name]: value } });
}

function headerSteps(): Steps {
  const cookies = createCookies("https://gatehouse.example.com");
  const trusts = [true, 2, []] as const;
  return {
    "X-Request-Id": (text) => contextOf(withHeader("x-request-id", text)),
    "If-Match": (text) => readConditions(withHeader("if-match", text).headers),
    "If-None-Match": (text) => readConditions(withHeader("if-none-match", text).headers),
    Accept: (text) => acceptedTypes(withHeader("accept", text)),
    Host: (text) => requireHost(withHeader("host", text)),
    "X-Forwarded-For": (text) =>
      trusts.map((trust) => clientAddress(withHeader("x-forwarded-for", text), "127.0.0.1", trust)),
    traceparent: (text) => parseTraceParent(text),
    Authorization: (text) => [presentedToken(text), presentedToken(`Bearer ${text}`)],
    Cookie: (text) => cookies.read(withHeader("cookie", text), "session"),
    "the certificate": (text) => readCertificate(text),
  };
}

function claimSteps(): Steps {
  const steps = MAPPED.map((field) => [
    field,
    (text: string) => toIdentity("test", { [field]: "claim" }, { sub: "1", email_verified: true, claim: text }),
  ]);
  const others = ["sub", "hd", "tid", "email_verified"].map((claim) => [
    claim,
    (text: string) => toIdentity("test", { Email: "email" }, { sub: "1", email: text, [claim]: text }),
  ]);
  return Object.fromEntries([...steps, ...others]);
}

function otherSteps(): Steps {
  const key = newRecoveryKey();
  const passwordProblem = createPasswordProblem(db(), "app.example");
  const certificate = { alternatives: [], validFrom: 0, validTo: 0 };
  return {
    "a code": (text) => plainCode(text),
    "a recovery code": (text) => digestOfCode(key, "tenant" as never, 1, text),
    "a new password": (text) => passwordProblem({ tenantId: "tenant" as never, userId: 1 }, text, texts.ENGLISH),
    "the name of a certificate": (text) => canBeNamed("SubjectDn", text),
    "the subject of a certificate": (text) =>
      isNamed({ ...certificate, subject: [{ CN: [text] }] }, "SubjectDn", "CN=payroll"),
    "an address": (text) => readUrl(text),
    "the JSON of a parameter or an answer": (text) => parseJson(text),
    "a resource": (text) => normalAddress(text),
    "a redirect URI": (text) => redirectUriProblem(text, "native"),
    "a client_id": (text) => isDocumentUrl(text),
    scope: (text) => attempt(() => grantedScopes(text, ["openid", "profile"], [])),
  };
}

function attempt(step: () => unknown): void {
  try {
    step();
  } catch {
    // A refusal takes its time, too.
  }
}

test("a body with a long text is refused and names the field, while another tenant's requests are answered", async () => {
  const [api, neighbour] = await Promise.all([newTenant(), newTenant()]);
  const texts = ["spaces within", "marks in turn"].map((filling) => FILLINGS[filling]!(MAX_LENGTH / 8));
  const sent = registry.flatMap(({ name, fields }) =>
    fields
      .filter(({ type, readOnly }) => type === "text" && !readOnly)
      .flatMap((field) => texts.map((text) => ({ path: `/${name}`, field: field.name, text }))),
  );
  const quiet = await slowestOf(neighbour, Promise.all(sent.map(({ path, field }) => api.patch(path, { [field]: 1 }))));
  const refused = sent.map(async ({ path, field, text }) => {
    const answer = await api.patch(path, { [field]: text });
    expectError(answer, 400, "Bad Input", /./);
    expect(answer.body.Errors).toEqual([
      expect.stringContaining(`${field} has ${text.length} characters; the limit is `),
    ]);
  });
  expect(await slowestOf(neighbour, Promise.all(refused))).toBeLessThan(10 * quiet + FLOOR_MS);
});
