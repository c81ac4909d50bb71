// A long authorization request is rejected at once, or completed on every way through the sign-in, whatever its
// characters: the limit counts its URL encoding, which is the same at every step.

import { afterAll, describe, expect, test } from "bun:test";
import { REQUEST_LIMIT } from "../../server/identity/oauth/authorize/parameters.ts";
import { DEVICE_GRANT } from "../../server/identity/oauth/contract.ts";
import { answerOf, CALLBACK, type Client, issuer, newClient, RFC_PATH, SPEC_PATH } from "../world/client.ts";
import { allowDevice, beginDevice } from "../world/device.ts";
import { postAs } from "../world/grants.ts";
import { enrolled, newApplication } from "../world/person.ts";
import { newPerson, newRealTenant, signIn, startRealProvider } from "../world/provider.ts";
import { type View, Visitor } from "../world/visitor.ts";

const real = await startRealProvider();
const atProvider = (await newRealTenant(real)).client;
afterAll(() => real[Symbol.asyncDispose]());

const CHARACTERS = ["a", ":", "%", '"', "'", "&", "+", " x", "\\", "é", "語", "😀", "%3A"];

type Fields = Record<string, string>;
type Parameters = [name: string, value: string][];

/** A request of exactly this length in URL encoding. */
function ofLength(
  client: Client,
  length: number,
  fill: (character: string) => Parameters,
  character = "a",
): Parameters {
  const base: Fields = { response_type: "code", client_id: client.id, redirect_uri: CALLBACK, scope: "openid profile" };
  const all = (more: Parameters, pad: string): Parameters => [
    ...Object.entries(base).filter(([name]) => !more.some((one) => one[0] === name)),
    ...more,
    ["pad", pad],
  ];
  const encoded = (parameters: Parameters) => new URLSearchParams(parameters).toString().length;
  const unit = encoded(all(fill(character.repeat(2)), "")) - encoded(all(fill(character), ""));
  const count = Math.floor((length - encoded(all(fill(character), ""))) / unit);
  const most = fill(character.repeat(1 + count));
  const parameters = all(most, "a".repeat(length - encoded(all(most, ""))));
  expect(encoded(parameters)).toBe(length);
  return parameters;
}

const ofState = (state: string): Parameters => [["state", state]];
const addressOf = (path: string, parameters: Parameters) => `${path}?${new URLSearchParams(parameters)}`;
const stateIn = (parameters: Parameters) => parameters.find(([name]) => name === "state")?.[1];

async function pushed(client: Client, parameters: Parameters): Promise<string> {
  const { status, body } = await postAs(client.tenant.client, "/oauth2/par", Object.fromEntries(parameters));
  expect({ status, body }).toMatchObject({ status: 201 });
  return addressOf(RFC_PATH, [
    ["client_id", client.id],
    ["request_uri", body.request_uri],
  ]);
}

/** From the request to the client's address. */
const WAYS: Record<string, (parameters: (client: Client) => Parameters) => Promise<View>> = {
  async "the spec door"(parameters) {
    const client = await newClient();
    return client.goThrough(...(await at(addressOf(SPEC_PATH, parameters(client)))));
  },
  async "the RFC door"(parameters) {
    const client = await newClient();
    return client.goThrough(...(await at(addressOf(RFC_PATH, parameters(client)))));
  },
  async "a form of another site"(parameters) {
    const client = await newClient();
    const visitor = new Visitor();
    const form = new URLSearchParams(parameters(client)).toString();
    return client.goThrough(visitor, await visitor.post(RFC_PATH, form));
  },
  async "a pushed request"(parameters) {
    const client = await newClient();
    return client.goThrough(...(await at(await pushed(client, parameters(client)))));
  },
  async "the choice of an account"(parameters) {
    const client = await newClient();
    const visitor = new Visitor();
    await client.visit(visitor);
    const page = await visitor.open(addressOf(RFC_PATH, [...parameters(client), ["prompt", "select_account consent"]]));
    const [, onward] = /href="([^"]*chosen_account[^"]*)"/.exec(page.html) ?? [];
    return client.goThrough(visitor, await visitor.open(onward!.replaceAll("&amp;", "&")));
  },
  async "an identity provider"(parameters) {
    const address = addressOf(RFC_PATH, parameters(atProvider));
    return signIn(new Visitor(), real.visitor(), newPerson(real).login, address);
  },
  async "a second factor"(parameters) {
    const client = await newApplication();
    const { recovery } = await enrolled(client);
    const [visitor, page] = await at(addressOf(RFC_PATH, parameters(client)));
    return visitor.submit(await visitor.submit(page, client.tenant.admin), { code: recovery[0] });
  },
};

async function at(address: string): Promise<[Visitor, View]> {
  const visitor = new Visitor();
  return [visitor, await visitor.open(address)];
}

describe.each(Object.entries(WAYS))("by %s", (_, complete) => {
  test.concurrent.each(CHARACTERS)("the longest request of %p is completed", async (character) => {
    let state: string | undefined;
    const back = await complete((client) => {
      const parameters = ofLength(client, REQUEST_LIMIT, ofState, character);
      state = stateIn(parameters);
      return parameters;
    });
    const answer = answerOf(back);
    expect(answer.code).toBeString();
    expect(answer.state === state).toBe(true);
  });
});

/** Other parameters that can be long. */
const LONG: Record<string, (character: string) => Parameters> = {
  scope: (character) => [["scope", `openid ${character}`]],
  claims: (character) => [["claims", JSON.stringify({ userinfo: { name: null, [character]: null } })]],
  login_hint: (character) => [["login_hint", character]],
  ui_locales: (character) => [["ui_locales", character]],
  acr_values: (character) => [["acr_values", character]],
  unknown: (character) => [["x", character]],
  resource: (character) => Array.from({ length: character.length }, () => ["resource", issuer()]),
};

describe.each(Object.entries(LONG))("a request with a long %s", (_, fill) => {
  test.concurrent.each([":", "é", " x"])("of %p is completed by an identity provider", async (character) => {
    const address = addressOf(RFC_PATH, ofLength(atProvider, REQUEST_LIMIT, fill, character));
    const back = await signIn(new Visitor(), real.visitor(), newPerson(real).login, address);
    expect(answerOf(back).code).toBeString();
  });
});

describe.each([SPEC_PATH, RFC_PATH])("at %s", (path) => {
  test.concurrent.each(CHARACTERS)("a request of one character more is rejected at once, of %p", async (character) => {
    const client = await newClient();
    for (const length of [REQUEST_LIMIT + 1, REQUEST_LIMIT + 700]) {
      const view = await new Visitor().open(addressOf(path, ofLength(client, length, ofState, character)));
      expect({ status: view.status, location: view.location }).toEqual({ status: 400, location: undefined });
      expect(view.html).toContain(`more than ${REQUEST_LIMIT} characters`);
      expect(view.forms).toEqual([]);
    }
  });
});

describe.each([":", "/", "?", "@", "!", "'", "(", ",", ";"])("a state of %p without URL encoding", (character) => {
  const address = (client: Client, length: number) =>
    `${client.authorize({ state: undefined })}&state=${character.repeat(length)}`;

  test("of 4,000 characters is rejected at once", async () => {
    const [, page] = await at(address(await newClient(), 4_000));
    expect({ status: page.status, forms: page.forms }).toEqual({ status: 400, forms: [] });
  });

  test("of 2,600 characters is completed", async () => {
    const client = await newClient();
    const back = await client.goThrough(...(await at(address(client, 2_600))));
    expect(answerOf(back).state).toBe(character.repeat(2_600));
  });
});

test("a device's long scope is completed", async () => {
  const client = await newClient({ grant_types: [DEVICE_GRANT], scopes: ["openid", "profile"] });
  const device = await beginDevice(client, { scope: `openid ${":é ".repeat(700)}` });
  expect((await allowDevice(device, client)).heading).toBe("The device is signed in");
});
