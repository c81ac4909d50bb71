// What a test of an identity provider answers.

import { PROBE_CHECKS, PROBE_OUTCOMES } from "../signin/index.ts";
import type { Schema } from "./types.ts";

export const TEST = {
  Works: false,
  Checks: [
    { Name: "Metadata", Outcome: "Passed", Message: "The issuer's metadata can be used." },
    { Name: "Keys", Outcome: "Passed", Message: "2 keys verify id_tokens: RS256, ES256." },
    {
      Name: "Client",
      Outcome: "Failed",
      Message: "The ClientId or its secret is wrong: the token endpoint answered 401 invalid_client.",
    },
  ],
};

export const TEST_SCHEMA: Schema = {
  type: "object",
  required: ["Works", "Checks"],
  properties: {
    Works: { type: "boolean", description: "No check has failed." },
    Checks: {
      type: "array",
      description: "In the order they were made; what depends on one that has failed is left out.",
      items: {
        type: "object",
        required: ["Name", "Outcome", "Message"],
        properties: {
          Name: { type: "string", enum: PROBE_CHECKS },
          Outcome: { type: "string", enum: PROBE_OUTCOMES, description: "Unknown: the answer says neither." },
          Message: { type: "string", description: "What was found, in words." },
        },
      },
    },
  },
};
