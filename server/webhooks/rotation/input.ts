import { body } from "../../http/contract.ts";
import { field, type InputOf, integer } from "../../http/fields.ts";
import { secretField } from "../connections/contract.ts";

/** A week. */
export const MOST_OVERLAP_SECONDS = 604_800;

const FIELDS = {
  Secret: field<string | null>(secretField(1)),
  OverlapSeconds: integer(0, MOST_OVERLAP_SECONDS, "", {
    description: "For how long the former secret signs as well; null: as WEBHOOK_SECRET_OVERLAP says.",
  }),
};

/** Without a Secret one is to be generated. */
export type StagingInput = InputOf<typeof FIELDS>;

/** What POST WebhookConnection/{Id}/Secret takes; null is as good as absent. */
export const STAGING = body(
  { name: "a new Secret", must: "one object, which may be empty", $id: "WebhookSecretData" },
  FIELDS,
);
