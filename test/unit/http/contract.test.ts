// A new record for tests, declared once: everything that its contract provides.

import { expect, test } from "bun:test";
import { createDocument } from "../../../server/openapi/document.ts";
import { BadInput } from "../../../server/platform/errors.ts";
import { body, contract } from "../../../server/platform/http/contract.ts";
import {
  flag,
  integer,
  moment,
  momentOrNull,
  oneOf,
  orNull,
  readOnly,
  someOf,
  time,
  title,
  uuidOrNone,
} from "../../../server/platform/http/fields.ts";
import { type Route, withPost } from "../../../server/platform/http/route.ts";
import type { Caller, Permitted } from "../../../server/records/access/bearer.ts";
import { route } from "../../../server/records/access/route.ts";

const NOTE = contract("Note", "What somebody wants to remember.", {
  Id: uuidOrNone("a Note's", { example: "0197c6f1-90ab-7cde-8f01-23456789abcd" }),
  Title: title(20, { required: true, example: "Milk", form: { label: "Title" }, audit: "name" }),
  Days: integer(1, 30, "days", { description: "How long it stays.", example: null, audit: "value" }),
  Color: oneOf(["Red", "Blue"], { example: "Red" }),
  Tags: someOf(["home", "work"], { example: ["home"] }),
  DoneOn: readOnly(orNull(time()), { example: null }),
});

function problemsOf(body: unknown) {
  try {
    NOTE.parse(body);
    return [];
  } catch (error) {
    return (error as BadInput).problems;
  }
}

test("a body is validated by its fields, and absent ones stay absent", () => {
  const body = { Id: "", Title: "", Days: null, Tags: ["home", "home"] };
  expect(NOTE.parse(body)).toEqual({ Id: undefined, Title: null, Days: null, Tags: ["home"] });
  expect(NOTE.parse({})).toEqual({});
});

test("all errors are reported at once with their fields, without the sent values", () => {
  const body = { Title: "hunter2".repeat(9), Days: 31, Color: "hunter2", Tags: [], constructor: 1, Id: "1" };
  expect(problemsOf(body)).toEqual([
    { Field: "Title", Message: "Title must be a string of at most 20 characters, or null." },
    { Field: "Days", Message: "Days must be a whole number of days from 1 to 30, or null." },
    { Field: "Color", Message: "Color must be Red or Blue." },
    { Field: "Tags", Message: "Tags must be a list with at least one of home, work." },
    { Field: "", Message: "constructor is not a field of Note." },
    { Field: "Id", Message: "Id must be a Note's Id, or empty." },
  ]);
  for (const nothing of [null, [], "x", 5]) {
    expect(() => NOTE.parse(nothing)).toThrow("The body must be one Note object.");
  }
});

test.each([["12"], [1.5], [true]])("Days %p is not accepted as a number", (Days) => {
  expect(problemsOf({ Days })).toHaveLength(1);
});

test("read-only fields can be sent back as read, and not otherwise", () => {
  const read = { DoneOn: null };
  expect(() => NOTE.refuseReadOnly(NOTE.parse(read), read)).not.toThrow();
  expect(() => NOTE.refuseReadOnly(NOTE.parse({ DoneOn: "2026-01-31" }), read)).toThrow("DoneOn cannot be set.");
  expect(() => NOTE.refuseReadOnly(NOTE.parse(read), undefined)).toThrow("DoneOn cannot be set.");
});

test("a body that is no record, an invalid time and a contradiction are explained", () => {
  const STAY = body(
    {
      name: "Stay",
      $id: "StayData",
      needs: ["From", "Quiet"],
      together: ({ From, To }) =>
        From && To && From >= To ? { Field: "From", Message: "From must be before To." } : undefined,
    },
    { From: moment({}), To: momentOrNull({}), Quiet: flag({}) },
  );
  const problems = (sent: unknown) => {
    try {
      STAY.parse(sent);
      return [];
    } catch (error) {
      return (error as BadInput).problems;
    }
  };
  const days = { From: "2026-01-31", To: "2026-02-01T00:00:00+02:00", Quiet: true };
  expect(STAY.parse({ ...days, To: "" })).toEqual({ From: new Date("2026-01-31"), To: null, Quiet: true });
  expect(problems(days)).toEqual([]);
  expect(problems({ From: days.To, To: days.From })).toEqual([
    { Field: "Quiet", Message: "Quiet is missing." },
    { Field: "From", Message: "From must be before To." },
  ]);
  expect(problems({ From: "2026-02-30", To: "tomorrow", Quiet: "true" }).map(({ Message }) => Message)).toEqual([
    "From must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z.",
    "To must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, or null.",
    "Quiet must be true or false.",
  ]);
});

test("a new one lists its missing fields", () => {
  expect(() => NOTE.whole(NOTE.parse({ Days: 1 }), "Title")).toThrow(new BadInput("Title is missing."));
});

test("it is in the document with its operations, parameters and schemas", () => {
  const answer = { description: "The note.", schema: NOTE.record, example: NOTE.example };
  const save = route({
    method: "PATCH",
    path: "/Note",
    scopes: ["Settings:Update"],
    id: "saveNote",
    tag: { name: "Note", description: "Notes." },
    summary: "Save a note",
    conditions: true,
    body: { ...NOTE, description: "One note.", examples: { one: { Title: "Milk" } } },
    answer,
    // Types require a caller with the service's scopes.
    handle: (caller) => onlyForUpdates(caller),
  });
  const { paths, components } = createDocument("https://id.example.com", withPost(save, "postNote") as Route[]);
  const schemas: Record<string, unknown> = components.schemas;
  const note = paths["/Endpoint/rest/api/v1/Note"]!;
  expect(note.patch!.security).toEqual([{ oauth2: ["Settings:Update"] }, { bearer: [] }]);
  expect(Object.keys(note.post!.responses)).toEqual(
    expect.arrayContaining(["200", "400", "401", "403", "405", "412", "413", "415", "429", "500", "503"]),
  );
  expect(schemas.NoteData).toMatchObject({
    additionalProperties: false,
    properties: {
      Days: { type: ["integer", "null"], minimum: 1, maximum: 30, description: "How long it stays." },
      Color: { type: "string", enum: ["Red", "Blue"] },
      DoneOn: { type: ["string", "null"], format: "date-time", readOnly: true },
    },
  });
  expect(schemas.Note).toMatchObject({ required: ["Id", "Title", "Days", "Color", "Tags", "DoneOn"] });
});

async function onlyForUpdates(_: Permitted<"Settings:Update">): Promise<Response> {
  return new Response();
}

/** Never called: tsc checks that it is rejected. */
export function forgotten(caller: Caller, reader: Permitted<"Settings:Read">) {
  // @ts-expect-error the scope was not requested
  void onlyForUpdates(caller);
  // @ts-expect-error another scope was asked for
  void onlyForUpdates(reader);
}
