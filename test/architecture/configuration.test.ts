// Compares docs/configuration.md with server/platform/config/config.ts and with the limits in the code.

import { expect, test } from "bun:test";
import { SETTINGS_FORM_LIMIT } from "../../server/console/console.tsx";
import { MAX_KEPT_FIELDS } from "../../server/console/held-form.tsx";
import { MAX_LOGOUT_REDELIVERIES } from "../../server/identity/logouts/service.ts";
import { MAX_UNDER_WAY } from "../../server/identity/logouts/store.ts";
import { MAX_WAITING } from "../../server/identity/oauth/authorize/device.ts";
import { REQUEST_LIMIT } from "../../server/identity/oauth/authorize/parameters.ts";
import { MAX_PUSHES } from "../../server/identity/oauth/authorize/pushed.ts";
import { MAPPING_LIMIT } from "../../server/identity/oauth/claim-mapping.ts";
import { MAX_REDIRECT_URIS, REDIRECT_URIS_LIMIT } from "../../server/identity/oauth/clients/contract.ts";
import { MAX_SECRETS } from "../../server/identity/oauth/clients/service.ts";
import { DOCUMENT_LIMIT } from "../../server/identity/oauth/registration/metadata-document.ts";
import { MAX_RESOURCES } from "../../server/identity/oauth/resources.ts";
import { BY_ADDRESS, BY_USER } from "../../server/identity/signin/guesses.ts";
import { MAX_OPEN_IMPORTS } from "../../server/identity/signin/invitations/imports/contract.ts";
import { MAX_ROWS } from "../../server/identity/signin/invitations/imports/csv.ts";
import * as OWN from "../../server/identity/tenants/own-texts.ts";
import { HOST_LIMIT, URL_LIMIT } from "../../server/platform/address.ts";
import { hostProblems, readConfig } from "../../server/platform/config/config.ts";
import { MAX_ROW, ROW_LINES } from "../../server/platform/csv.ts";
import { connectionsOfApi, connectionsOfWorker } from "../../server/platform/db/capacity.ts";
import { IMPATIENT } from "../../server/platform/db/sql.ts";
import {
  FORM_BODY_LIMIT,
  JSON_BODY_LIMIT,
  MAX_FIELDS,
  MAX_JSON_MEMBERS,
  MAX_JSON_VALUES,
  VALUES_LIMIT,
} from "../../server/platform/http/body.ts";
import { MAX_EXPORTED } from "../../server/platform/http/export.ts";
import { MAX_JSON_DEPTH } from "../../server/platform/http/json.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "../../server/platform/http/query.ts";
import { MAX_MARKS, MAX_TEXT, TEXT_LIMIT } from "../../server/platform/text.ts";
import { MAX_FILTER_STEPS } from "../../server/records/access/decisions/examine.ts";
import { FILTER_LIMIT } from "../../server/records/access/decisions/filters.ts";
import { POLICY_LIMIT } from "../../server/records/access/policies/contract.ts";
import { MAX_RECORDS } from "../../server/records/entities/bulk.ts";
import { DESCRIPTION_LIMIT } from "../../server/records/entities/definition.ts";
import { UNIQUE_TEXT_LIMIT } from "../../server/records/fields.ts";
import { SEARCH_LIMIT } from "../../server/records/filters.ts";
import { MEMBERS_LIMIT, SENT_MEMBERS_LIMIT } from "../../server/records/reference-list.ts";
import { KEPT_HOURS } from "../../server/records/requests/keys.store.ts";
import { ANSWER_LIMIT, KEY_LIMIT, UNCHANGED_LIMIT } from "../../server/records/requests/keys.ts";
import { MAX_KEPT } from "../../server/records/requests/store.ts";
import { MAX_RUNNING } from "../../server/webhooks/check/service.ts";
import { BURST, MAX_RECORDS_SENT } from "../../server/webhooks/check/steps.ts";
import { MAX_FILTERS } from "../../server/webhooks/connections/service.ts";
import { MAX_TRIED_BYTES, MAX_TRIED_RECORDS } from "../../server/webhooks/filters/store.ts";
import { MAX_TRIED } from "../../server/webhooks/filters/trials.ts";
import { CONNECTION, REPLAY, secretRotation } from "../../server/webhooks/index.ts";
import { LEASE_SECONDS, MAX_WAIT_SECONDS } from "../../server/webhooks/pull/routes.ts";
import { MAX_BYTES } from "../../server/webhooks/pull/service.ts";
import { MAX_REDELIVERIES } from "../../server/webhooks/redelivery/store.ts";
import { HEADERS_LIMIT, MAX_HEADERS } from "../../server/webhooks/secrets.ts";
import { MAX_ATTEMPTS } from "../../workflows/contract.ts";
import { NO_VALUE, variableRows } from "../support/environment.ts";
import { readPage, sectionOf } from "../support/pages.ts";

const page = readPage("docs/configuration.md");

const count = (value: number) => value.toLocaleString("en-US");

const timeout = CONNECTION.field.TimeoutMs.sent!.anyOf[0];
const rate = CONNECTION.field.RatePerSecond.sent!.anyOf[0];
const inFlight = CONNECTION.field.MaxInFlight.sent!.anyOf[0];

/** The rows of the page's table. */
const LIMITS = {
  "JSON body": `${JSON_BODY_LIMIT / 1024 / 1024} MiB`,
  "values in a JSON body": count(MAX_JSON_VALUES),
  "names in an object of a JSON body, and values in a list within it": count(MAX_JSON_MEMBERS),
  "levels of a JSON body": count(MAX_JSON_DEPTH),
  "form body": `${FORM_BODY_LIMIT / 1024} KiB`,
  "form body in a session of Settings": `${SETTINGS_FORM_LIMIT / 1024 / 1024} MiB`,
  "fields of a form, and parameters of a query": count(MAX_FIELDS),
  "fields of a form of Settings that are kept after its session has ended": count(MAX_KEPT_FIELDS),
  "characters of an authorization or logout request": count(REQUEST_LIMIT),
  "records in one array": count(MAX_RECORDS),
  "records on a page, by default": count(DEFAULT_LIMIT),
  "records on a page, at most": count(MAX_LIMIT),
  "characters of a text field": count(TEXT_LIMIT),
  "characters of a Description": count(DESCRIPTION_LIMIT),
  "characters of any text in a body, and of a query value": count(MAX_TEXT),
  "characters of an address": count(URL_LIMIT),
  "characters of its host": count(HOST_LIMIT),
  "combining marks in a row": count(MAX_MARKS),
  "characters of a unique field or a Username": count(UNIQUE_TEXT_LIMIT),
  "characters of a Search": count(SEARCH_LIMIT),
  "redirect URIs of an Application": count(MAX_REDIRECT_URIS),
  "characters of all its redirect URIs": count(REDIRECT_URIS_LIMIT),
  "texts that a tenant replaces": count(OWN.MAX_TEXTS),
  "characters of such a text": count(OWN.TEXT_LIMIT),
  "client secrets of an Application": count(MAX_SECRETS),
  "characters of a policy": count(POLICY_LIMIT),
  "members of a role": count(MEMBERS_LIMIT),
  "members of a role in one body, to replace, add or remove": count(SENT_MEMBERS_LIMIT),
  "TimeoutMs of a connection, at least": count(timeout.minimum),
  "TimeoutMs of a connection, at most": count(timeout.maximum),
  "RatePerSecond of a connection, at most": count(rate.maximum),
  "MaxInFlight of a connection, at most": count(inFlight.maximum),
  "extra headers of a connection": count(MAX_HEADERS),
  "characters of its extra headers": count(HEADERS_LIMIT),
  "characters of an Idempotency-Key": count(KEY_LIMIT),
  "hours for which it is kept": count(KEPT_HOURS),
  "characters of an answer that is kept for it": count(ANSWER_LIMIT),
  "characters of such an answer without a change": count(UNCHANGED_LIMIT),
  "characters of a Filter": count(FILTER_LIMIT),
  "steps of a Filter": count(MAX_FILTER_STEPS),
  "connections of a tenant with a Filter": count(MAX_FILTERS),
  "events on which a Filter is tried": count(MAX_TRIED),
  "records of these events": count(MAX_TRIED_RECORDS),
  "bytes of their payloads": count(MAX_TRIED_BYTES),
  "seconds for which a request waits for events of a Pull connection, at most": count(MAX_WAIT_SECONDS),
  "seconds of a lease of its events, at most": count(LEASE_SECONDS.max),
  "bytes of the payloads in one answer with its events": count(MAX_BYTES),
  "receiver checks of a tenant at a time": count(MAX_RUNNING),
  "calls at once in a receiver check": count(BURST),
  "records of its largest call": count(MAX_RECORDS_SENT),
  "seconds a former webhook secret signs, at most": count(secretRotation.MAX_OVERLAP_SECONDS),
  "attempts of a delivery": count(MAX_ATTEMPTS),
  "redeliveries of a delivery": count(MAX_REDELIVERIES),
  "bytes of a client ID metadata document": count(DOCUMENT_LIMIT),
  "redeliveries of a logout": count(MAX_LOGOUT_REDELIVERIES),
  "logouts of an application in progress": count(MAX_UNDER_WAY.ofClient),
  "logouts of a tenant in progress": count(MAX_UNDER_WAY.ofTenant),
  "different values of `resource` or `audience` in a request": count(MAX_RESOURCES),
  "characters of a form field with several values": count(VALUES_LIMIT),
  "levels of JSON in a parameter, and in an answer to a request of Gatehouse": count(MAX_JSON_DEPTH),
  "bytes of all names and constants of a ClaimMapping": count(MAPPING_LIMIT),
  "waiting pushed requests of an application": count(MAX_PUSHES.client),
  "waiting pushed requests of an application without a secret, from one address": count(MAX_PUSHES.address),
  "waiting devices of an application": count(MAX_WAITING.client),
  "waiting devices of an application without a secret, from one address": count(MAX_WAITING.address),
  "waiting devices of a tenant": count(MAX_WAITING.tenant),
  "wrong device codes of a user before a wait": count(BY_USER.free),
  "wrong device codes of an address before a wait": count(BY_ADDRESS.free),
  "deliveries per second of a bulk redelivery": count(REPLAY.rate.max),
  "people in an import of invitations": count(MAX_ROWS),
  "imports of invitations of a tenant that have not ended": count(MAX_OPEN_IMPORTS),
  "characters of a row in a CSV file": count(MAX_ROW),
  "lines of such a row, in quoted cells": count(ROW_LINES),
  "rows of an export of the audit log or of a redelivery": count(MAX_EXPORTED),
  "stored requests of a tenant, and as many failures": count(MAX_KEPT),
};

const operations = /\n### Connections\n([\s\S]*?)\n### /.exec(readPage("docs/operations.md"))![1]!;

test("the documented numbers of connections are those of the code", () => {
  const { pools } = readConfig({});
  const rows = [...operations.matchAll(/^\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$/gm)];
  expect(rows.length).toBeGreaterThan(3);
  for (const [, apis, workers, connections, max] of rows.map((row) => row.map(Number))) {
    expect(connections!).toBe(apis! * connectionsOfApi(pools.api) + workers! * connectionsOfWorker(pools.worker));
    expect(max!).toBe(connections! + 15);
  }
});

test("the documented timeouts are those of the code", () => {
  const { statement, lock, idle } = IMPATIENT.timeouts;
  const row = [statement, lock, idle].map((milliseconds) => `${milliseconds / 1_000} s`).join(" | ");
  expect(operations).toContain(`| requests and deliveries | ${row} |`);
});

const documented = variableRows().flatMap(({ variables }) => variables);

test("every variable in the code is documented, and every documented one is read", () => {
  expect(documented.map(({ name }) => name).toSorted()).toEqual(namesRead().toSorted());
});

const defaults = documented.filter(({ byDefault }) => !NO_VALUE.includes(byDefault));
test.each(defaults)("$name is by default $byDefault", ({ name, byDefault }) => {
  const { portAsked, ...config } = readConfig({ [name]: byDefault.replace("PORT", "3000") });
  const { portAsked: _, ...expected } = readConfig({});
  expect(config).toEqual(expected);
});

test("every documented limit equals the code's", () => {
  const rows = [...sectionOf(page, "Limits").matchAll(/^\| ([a-zA-Z][^|]*) \| ([^|]*) \|$/gm)].slice(1);
  expect(Object.fromEntries(rows.map(([, name, value]) => [name, value]))).toEqual(LIMITS);
});

function namesRead(): string[] {
  const names = new Set<string>();
  const env = new Proxy({} as Record<string, string | undefined>, {
    get: (_, name) => void names.add(String(name)),
  });
  readConfig(env);
  hostProblems(env);
  // A secret's file is documented once for all secrets.
  return [...names].filter((name) => !(name.endsWith("_FILE") && names.has(name.replace(/_FILE$/, ""))));
}
