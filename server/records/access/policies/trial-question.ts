// Trying policies: whether a principal could do this to a record, with the given address and time.

import { Type } from "@sinclair/typebox";
import { plainAddress } from "../../../platform/http/context.ts";
import { body, part } from "../../../platform/http/contract.ts";
import { readDate } from "../../../platform/http/dates.ts";
import { field, flag, NUL_FREE, oneOf, orNull, time, word } from "../../../platform/http/fields.ts";
import { TEXT_LIMIT } from "../decisions/resource-type.ts";
import { ACTIONS, SCOPES } from "../scopes.ts";
import { POLICY } from "./contract.ts";

const ID_LIMIT = 200;
const MAX_ADDRESS_LENGTH = 45;

const recordId = field<string>({
  sent: Type.Union([
    Type.Integer({ format: "int64" }),
    Type.String({ minLength: 1, maxLength: ID_LIMIT, pattern: NUL_FREE }),
  ]),
  must: "must be a record's Id, a number or a text.",
  take: String,
});

const PRINCIPAL = part(
  { name: "Principal", $id: "PolicyPrincipal", needs: ["Type", "Id"], description: "The caller." },
  {
    Type: oneOf(["Client", "User"], { description: "As in policies; a Client is an Application." }),
    Id: recordId,
  },
);

const RESOURCE = part(
  {
    name: "Resource",
    $id: "PolicyResource",
    needs: ["Type"],
    description: "The record. Needs Id, Fields, or both.",
    together: ({ Id, Fields }) =>
      Id === undefined && Fields === undefined
        ? { Field: "", Message: "Resource needs Id for an existing record, or Fields for a new one." }
        : undefined,
  },
  {
    Type: field<string>({
      sent: Type.String(),
      must: "must be a type of record.",
      description: "Such as Application.",
    }),
    Id: recordId,
    Fields: field<Record<string, unknown>>({
      description:
        "The fields that a change would set, which policies see in `resource.after`; without Id the whole record.",
      sent: Type.Record(Type.String(), Type.Unknown()),
      must: "must be an object of the record's fields.",
    }),
  },
);

const CONTEXT = part(
  { name: "Context", $id: "PolicyContext", description: "The call. Omitted fields are taken from this request." },
  {
    Scopes: field<string[]>({
      description: "Scopes of the access token; omitted: all that the principal can have.",
      sent: Type.Array(word(SCOPES)),
      must: `must be a list of ${SCOPES.join(", ")}.`,
    }),
    Address: field<string | null>({
      description: "null: unknown.",
      sent: orNull(Type.String({ maxLength: MAX_ADDRESS_LENGTH })),
      must: "must be an IPv4 or IPv6 address without a zone, or null.",
      fits: (value: string | null) => value === null || (!value.includes("%") && plainAddress(value) !== undefined),
      take: (value: string | null) => (value === null ? null : plainAddress(value)!),
    }),
    Time: field<Date>({
      sent: time(),
      checked: Type.String(),
      must: "must be a time such as 2026-01-31T12:00:00Z.",
      fits: (value: string) => readDate(value) !== undefined,
      take: (value: string) => readDate(value)!,
    }),
    Audience: field<string>({
      description: "For Tokens:Exchange: the aud of the requested token.",
      sent: Type.String({ maxLength: TEXT_LIMIT, pattern: NUL_FREE }),
      must: `must be a text of at most ${TEXT_LIMIT} characters.`,
    }),
    Payload: flag({ description: "Whether the record is read in the payload of an event." }),
  },
);

const { Id, Name, Policy } = POLICY.field;

export const QUESTION = body(
  {
    name: "Evaluate",
    must: "one question",
    $id: "PolicyQuestion",
    needs: ["Principal", "Action", "Resource"],
    description: "Would this principal be allowed this?",
    together: (given) =>
      given.Policy === undefined && (given.Id ?? given.Name) !== undefined
        ? { Field: "Policy", Message: "Policy is missing: Id and Name name the policy that it would replace." }
        : undefined,
  },
  {
    Id: { ...Id, description: "The policy that the text would replace." },
    Name: { ...Name, required: false, description: "The name of the policy with the text." },
    Policy: { ...Policy, description: "An unsaved text. Omitted: the saved policies." },
    Principal: PRINCIPAL,
    Action: oneOf(ACTIONS, {}),
    Resource: RESOURCE,
    Context: CONTEXT,
  },
);

export type EvaluationQuestion = ReturnType<typeof QUESTION.parse>;

export const EVALUATION = Type.Object(
  {
    Decision: Type.Unsafe<"Allow" | "Deny">(Type.Union([Type.Literal("Allow"), Type.Literal("Deny")])),
    DecidedBy: Type.Array(Type.String(), {
      description: "Names of the policies that permit it, or that forbid it; empty: none permits it.",
    }),
    Problems: Type.Array(
      Type.Object({
        Policy: orNull(Type.String({ description: "The name of the policy that could not be evaluated; null: none." })),
        Message: Type.String(),
      }),
      { description: "Other reasons why the call is denied or a policy did not decide." },
    ),
  },
  { $id: "PolicyEvaluation" },
);
