// The numbered rules of SPEC.md Endpoints 4 and 5, for every entity.

import { describe, expect, test } from "bun:test";
import { type Answer, type Api, expectError } from "../world/api.ts";
import { eventsOf } from "../world/rows.ts";
import { newTenant } from "../world/tenant.ts";

const ENTITIES = [
  { entity: "Application", identifiers: ["Name", "ExternalId", "ApplicationKey"], other: "Description" },
  { entity: "Department", identifiers: ["Name", "ExternalId"], other: "Description" },
  { entity: "Group", identifiers: ["Name", "ExternalId"], other: "Description" },
  { entity: "User", identifiers: ["External_Id", "Username"], other: "Email" },
];

interface Rule {
  rule: string;
  /** Existing records. */
  given: Record<string, unknown>[];
  call: (caller: Api, given: Answer["body"][]) => Promise<Answer>;
  expect: (answer: Answer, given: Answer["body"][]) => void;
  events: string[];
}

const get = (entity: string): Rule[] => [
  {
    rule: "Name is empty: the entity Id field is used",
    given: [{ Name: "one" }],
    call: (caller, [one]) => caller.get(`/${entity}/${one.Id}?Name=`),
    expect: ({ body }, [one]) => expect(body).toEqual(one),
    events: ["Created"],
  },
  {
    rule: "Name is a field, in any case: Id is matched against it",
    given: [{ Name: "one" }, { Name: "two" }],
    call: (caller) => caller.get(`/${entity}/two?Name=nAME`),
    expect: ({ body }, [, two]) => expect(body).toEqual(two),
    events: ["Created", "Created"],
  },
  {
    rule: "rule 1: the value is not matched: 404 Not Found",
    given: [],
    call: (caller) => caller.get(`/${entity}/2147483647`),
    expect: (answer) => expectError(answer, 404, "Not Found"),
    events: [],
  },
  {
    rule: "rules 2 and 3: the value is matched by multiple rows: 400 Multible Rows",
    given: [sameIn(entity), sameIn(entity)],
    call: (caller) => {
      const [[name, value]] = Object.entries(sameIn(entity)) as [[string, unknown]];
      return caller.get(`/${entity}/${value}?Name=${name}`);
    },
    expect: (answer) => expectError(answer, 400, "Multible Rows"),
    events: ["Created", "Created"],
  },
];

/** A field that two records share. */
const sameIn = (entity: string) => (entity === "Group" ? { Description: "same" } : { Is_Active: true });

const upsert = (entity: string, identifiers: string[], other: string): Rule[] => {
  const all = Object.fromEntries(identifiers.map((name) => [name, `the ${name}`]));
  const empty = Object.fromEntries(identifiers.map((name) => [name, ""]));
  const [one, two] = identifiers as [string, string];
  return [
    {
      rule: "rule 1: Id is not empty and matched: updated",
      given: [all],
      call: (caller, [before]) => caller.patch(`/${entity}`, { Id: before.Id, [one]: "other" }),
      expect: ({ body }, [before]) => expect(body).toMatchObject({ Id: before.Id, ...all, [one]: "other" }),
      events: ["Created", "Updated"],
    },
    {
      rule: "rule 1: Id is not empty and not matched: 404 Not Found",
      given: [],
      call: (caller) =>
        caller.patch(`/${entity}`, { Id: entity === "Application" ? "2147483646" : 2_147_483_646, ...all }),
      expect: (answer) => expectError(answer, 404, "Not Found"),
      events: [],
    },
    ...identifiers.flatMap((name): Rule[] => [
      {
        rule: `rule 2: Id is empty and ${name} is given and not matched: inserted`,
        given: [{ [name]: "taken" }],
        call: (caller) => caller.patch(`/${entity}`, { [name]: "new" }),
        expect: ({ body }, [before]) => expect(body.Id).not.toBe(before.Id),
        events: ["Created", "Created"],
      },
      {
        rule: `rule 2: Id is empty and ${name} is given and matched: updated`,
        given: [{ [name]: "taken" }],
        call: (caller) => caller.patch(`/${entity}`, { Id: null, [name]: "taken", [other]: "new" }),
        expect: ({ body }, [before]) => expect(body).toMatchObject({ Id: before.Id, [other]: "new" }),
        events: ["Created", "Updated"],
      },
    ]),
    {
      rule: "rule 2: identifiers point at different records: 400 Bad Input",
      given: [{ [one]: "a" }, { [two]: "b" }],
      call: (caller) => caller.patch(`/${entity}`, { [one]: "a", [two]: "b" }),
      expect: (answer) => expectError(answer, 400, "Bad Input", new RegExp(`at several ${entity}`)),
      events: ["Created", "Created"],
    },
    {
      rule: "rule 3: Id and the identifiers are all empty: inserted",
      given: [{ ...empty, [other]: "same" }],
      call: (caller) => caller.patch(`/${entity}`, { Id: "", ...empty, [other]: "same" }),
      expect: ({ body }, [before]) => expect(body.Id).not.toBe(before.Id),
      events: ["Created", "Created"],
    },
  ];
};

function run(entity: string, { given, call, expect: says, events }: Rule) {
  return async () => {
    const caller = await newTenant();
    const made = [];
    for (const fields of given) made.push(await caller.made(entity, fields));
    const answer = await call(caller, made);
    says(answer, made);
    expect((await eventsOf(caller.tenantId)).map(({ type }) => type)).toEqual(events);
  };
}

describe.each(ENTITIES)("$entity", ({ entity, identifiers, other }) => {
  describe.concurrent("SPEC.md Endpoints 4", () => {
    for (const rule of get(entity)) test(rule.rule, run(entity, rule));
  });
  describe.concurrent("SPEC.md Endpoints 5", () => {
    for (const rule of upsert(entity, identifiers, other)) test(rule.rule, run(entity, rule));
  });
});
