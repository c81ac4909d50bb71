// RFC 9110 13: ETag, If-Match and If-None-Match of every kind of record.

import { describe, expect, test } from "bun:test";
import { type Api, expectError } from "../world/api.ts";
import { newTenant } from "../world/tenant.ts";

interface Kind {
  name: string;
  /** Creates a record. */
  first: Record<string, unknown>;
  /** Changes the record, each time to a new value. */
  change: (count: number) => Record<string, unknown>;
}

const NEVER = 'permit (principal == Client::"0", action, resource);';
const KINDS: Kind[] = [
  {
    name: "Department",
    first: { Name: "one" },
    change: (count) => ({ Name: "one", Description: `${count}` }),
  },
  {
    name: "WebhookConnection",
    first: { Name: "one", URL: "https://hooks.example.com/in", Entities: ["User"], Events: ["Created"] },
    change: (count) => ({ Name: "one", URL: `https://hooks.example.com/in/${count}` }),
  },
  {
    name: "Policy",
    first: { Name: "one", Policy: NEVER },
    change: (count) => ({ Name: "one", Description: `${count}` }),
  },
  {
    name: "Role",
    first: { Name: "one" },
    change: (count) => ({ Name: "one", Description: `${count}` }),
  },
  {
    name: "IdentityProvider",
    first: { Name: "one", Type: "OpenIDConnect", Issuer: "https://id.example.com", ClientId: "gatehouse" },
    // In a different order than it is stored.
    change: (count) => ({ Name: "one", Mapping: { Username: `claim${count}`, Name: "name" } }),
  },
];

const tagOf = (answer: { headers: Headers }) => answer.headers.get("etag")!;
const refused = (answer: Parameters<typeof expectError>[0], says?: RegExp) =>
  expectError(answer, 412, "Precondition Failed", says);

describe.concurrent.each(KINDS)("$name", ({ name, first, change }) => {
  const collection = `/${name}`;

  async function made(caller: Api) {
    const answer = await caller.patch(collection, first);
    expect(answer.status).toBe(200);
    return { tag: tagOf(answer), path: `${collection}/${answer.body.Id}` };
  }

  test("has one strong ETag in every answer about a state", async () => {
    const caller = await newTenant();
    const { tag, path } = await made(caller);
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    const read = await caller.get(path);
    expect(tagOf(read)).toBe(tag);
    expect(tagOf(await caller.patch(collection, read.body))).toBe(tag);
    const changed = await caller.patch(collection, change(1));
    expect(tagOf(changed)).not.toBe(tag);
    expect(tagOf(await caller.remove(path))).toBe(tagOf(changed));
  });

  test("is 304 to a GET that names it, and 412 to one that requires another", async () => {
    const caller = await newTenant();
    const { tag, path } = await made(caller);
    for (const value of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const answer = await caller.get(path, { "if-none-match": value });
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 304, body: undefined });
      expect(tagOf(answer)).toBe(tag);
    }
    expect((await caller.get(path, { "if-none-match": '"other"' })).status).toBe(200);
    refused(await caller.get(path, { "if-match": '"other"' }));
  });

  test("is neither changed nor deleted by a caller with an outdated ETag", async () => {
    const caller = await newTenant();
    const { tag: stale, path } = await made(caller);
    const fresh = await caller.patch(collection, change(1), { "if-match": stale });
    expect(fresh.status).toBe(200);
    refused(
      await caller.patch(collection, change(2), { "if-match": stale }),
      /has changed since the version in If-Match/,
    );
    refused(await caller.remove(path, { "if-match": stale }));
    refused(await caller.remove(path, { "if-none-match": tagOf(fresh) }));
    expect((await caller.get(path)).body).toEqual(fresh.body);
    expect((await caller.remove(path, { "if-match": `"other", ${tagOf(fresh)}` })).status).toBe(200);
  });

  test("is created by If-None-Match * and changed by If-Match *, and not vice versa", async () => {
    const caller = await newTenant();
    for (const value of ["*", '"any"']) {
      refused(await caller.patch(collection, first, { "if-match": value }), /there is none/);
    }
    expect((await caller.patch(collection, first, { "if-none-match": "*" })).status).toBe(200);
    refused(await caller.patch(collection, first, { "if-none-match": "*" }));
    expect((await caller.patch(collection, change(1), { "if-match": "*" })).status).toBe(200);
  });

  test("is changed by one of ten callers with the same ETag", async () => {
    const caller = await newTenant();
    const { tag } = await made(caller);
    const changes = Array.from({ length: 10 }, (_, count) =>
      caller.patch(collection, change(count), { "if-match": tag }),
    );
    const statuses = (await Promise.all(changes)).map((answer) => answer.status);
    expect(statuses.sort()).toEqual([200, ...Array(9).fill(412)]);
  });

  test("rejects headers that are not lists of ETags", async () => {
    const caller = await newTenant();
    const { path } = await made(caller);
    const values = ["one", "", '"a" "b"', '"a', 'w/"a"', '"a", b', '*, "a"'];
    const headers = ["if-match", "if-none-match"];
    for (const wrong of headers.flatMap((name) => values.map((value) => ({ [name]: value })))) {
      expectError(await caller.patch(collection, first, wrong), 400, "Bad Input", /ETags/);
      expectError(await caller.get(path, wrong), 400, "Bad Input", /ETags/);
      expectError(await caller.remove(path, wrong), 400, "Bad Input", /ETags/);
    }
  });
});

test.concurrent("a connection's ETag differs after its Secret has changed", async () => {
  const caller = await newTenant();
  const before = await caller.patch(
    "/WebhookConnection",
    KINDS.find(({ name }) => name === "WebhookConnection")!.first,
  );
  const after = await caller.patch("/WebhookConnection", { Name: "one", Secret: "hunter2" });
  expect(after.body).toEqual(before.body);
  expect(tagOf(after)).not.toBe(tagOf(before));
  expect(tagOf(await caller.get(`/WebhookConnection/${after.body.Id}`))).toBe(tagOf(after));
});

test.concurrent("an Application's Credentials", async () => {
  const caller = await newTenant();
  const { Id } = await caller.made("Application", { Name: "one" });
  const path = `/Application/${Id}/Credentials`;
  const empty = await caller.get(path);
  const stale = { "if-match": tagOf(empty) };
  expect((await caller.get(path, { "if-none-match": tagOf(empty) })).status).toBe(304);
  const changes = ["openid", "profile", "email"].map((scope) => caller.patch(path, { Scopes: [scope] }, stale));
  const answers = await Promise.all(changes);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412]);
  const won = answers.find((answer) => answer.status === 200)!;
  const read = await caller.get(path);
  expect(read.body).toEqual(won.body);
  expect(tagOf(read)).toBe(tagOf(won));
  refused(await caller.patch(path, { FirstParty: true }, { "if-none-match": "*" }));
  refused(await caller.get(path, stale));
  expectError(await caller.patch(path, {}, { "if-match": "nope" }), 400, "Bad Input", /ETags/);
});

test("the weak ETag of a compressing proxy is rejected, and the error names the one to send", async () => {
  const caller = await newTenant();
  const made = await caller.patch("/Role", { Name: "one" });
  const [tag, path] = [tagOf(made), `/Role/${made.body.Id}`];
  const change = { Id: made.body.Id, Description: "two" };
  const weak = await caller.patch("/Role", change, { "if-match": `W/${tag}` });
  refused(weak, /weak ETag.*a proxy that compresses answers/);
  expect(String(weak.body.Errors)).toContain(tag);
  expect((await caller.get(path, { "if-none-match": `W/${tag}` })).status).toBe(304);
  refused(
    await caller.patch("/Role", change, { "if-match": 'W/"another"' }),
    /has changed since the version in If-Match/,
  );
  expect((await caller.patch("/Role", change, { "if-match": tag })).status).toBe(200);
});
