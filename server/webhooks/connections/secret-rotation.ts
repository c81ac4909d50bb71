// Rotation with verification: a staged secret becomes active only after a ping signed with it got 2xx.

import { type Static, Type } from "@sinclair/typebox";
import type { DeliveryState } from "../../../workflows/contract.ts";
import type { Sql, Transaction } from "../../platform/db/sql.ts";
import { Conflict } from "../../platform/errors.ts";
import { body } from "../../platform/http/contract.ts";
import { field, type InputOf, integer, orNull, time, uuid, word } from "../../platform/http/fields.ts";
import type { ConnectionId, DeliveryId, EventId, TenantId } from "../../platform/ids.ts";
import {
  type AuditEntry,
  type Caller,
  recordAudit,
  recordConsequence,
  recordPing,
  type Shown,
  withoutRecords,
} from "../../records/index.ts";
import { type ConnectionRecord, secretField } from "../connection.ts";
import { requirePush } from "../connection-kind.ts";
import { lockConnection } from "../connections.store.ts";
import { type Attempt, type AttemptOutcome, recordAttempt } from "../deliveries/store.ts";
import type { ConnectionSeals } from "../secrets.ts";
import { generateSecret } from "../signature.ts";
import { noConnection } from "./record.ts";
import {
  beginProof,
  endRotation,
  findRotation,
  type ProvedSecret,
  type SecretRotation,
  stageSecret,
  takeStagedSecret,
} from "./secret-rotation.store.ts";
import type { Connections } from "./service.ts";

const TYPE = "WebhookConnection";

/** None: calls are not signed. Refused: the ping got no 2xx, and the previous secret stays active. */
const ROTATION_STATES = ["None", "InForce", "Staged", "Proving", "Refused", "Overlap"] as const;

export type RotationRecord = Static<typeof ROTATION>;

export const ROTATION = Type.Object(
  {
    State: word(ROTATION_STATES, {
      description:
        "None: calls are not signed. Staged: a secret waits for confirmation. Proving: the ping is in progress. Refused: it " +
        "got no 2xx; try again, or withdraw the secret. Overlap: the new secret is in force, and the former one signs too.",
    }),
    StagedOn: orNull(time()),
    OverlapSeconds: orNull(Type.Integer({ format: "int32", description: "The overlap of the staged secret." })),
    Proof: orNull(
      Type.Object({
        EventId: uuid(),
        State: Type.String({ description: "The delivery's." }),
        Reason: orNull(Type.String({ description: "Why it failed." })),
      }),
      { description: "The last ping to confirm the staged secret; its EventId is in the activity log." },
    ),
    FormerUntil: orNull(time("Until when the former secret signs as well.")),
  },
  { $id: "WebhookSecret" },
);

export interface Rotations {
  /** How long a former secret also signs; a rotation can override it. */
  overlapSeconds: number;
  /** @throws NotFound, Permission */
  read(caller: Caller, id: ConnectionId): Promise<Shown<RotationRecord>>;
  /**
   * Stages a given or generated secret. It signs webhook-signature at once, but becomes active only after verification.
   * @returns also the generated secret, which cannot be read again
   * @throws NotFound, Permission
   */
  stage(
    caller: Caller,
    id: ConnectionId,
    input: StagingInput,
  ): Promise<Shown<RotationRecord & { Secret: string | null }>>;
  /** Pings with only the staged secret; a 2xx activates it. @throws NotFound, Permission, Conflict if none is staged */
  prove(caller: Caller, id: ConnectionId): Promise<Shown<RotationRecord>>;
  /** Drops a staged secret, and ends a former one at once. @throws NotFound, Permission */
  giveUp(caller: Caller, id: ConnectionId): Promise<Shown<RotationRecord>>;
}

type Step = (tx: Transaction, record: ConnectionRecord) => Promise<Pick<AuditEntry, "kind" | "details"> | undefined>;

export function createRotations(
  sql: Sql,
  { secret }: ConnectionSeals,
  connections: Connections,
  overlapMs: number,
): Rotations {
  const overlapSeconds = Math.ceil(overlapMs / 1_000);

  /** The common steps: lock the connection, check the permission, audit, and return the new state. */
  async function change(caller: Caller, id: ConnectionId, step: Step): Promise<Shown<RotationRecord>> {
    const { tenantId, permissions, gate } = caller;
    const { resource, rotation } = await sql.beginFor(tenantId, async (tx) => {
      const connection = await lockConnection(tx, tenantId, { id });
      if (!connection) throw noConnection();
      const record = connections.recordOf(connection);
      permissions.require("Webhooks:Update", TYPE, record);
      const entry = await step(tx, record);
      if (entry) await recordAudit(tx, tenantId, caller, { ...entry, subject: { type: TYPE, id } });
      return { resource: record, rotation: toRotationRecord((await findRotation(tx, tenantId, id))!) };
    });
    return (await gate.written(TYPE, rotation, {}, { resource })).record;
  }

  return {
    overlapSeconds,
    async read(caller, id) {
      const { record } = await connections.read(caller, id);
      const rotation = await findRotation(sql, caller.tenantId, id);
      if (!rotation) throw noConnection();
      return (await caller.gate.show(TYPE, toRotationRecord(rotation), { resource: record })).record;
    },
    async stage(caller, id, input) {
      const generated = typeof input.Secret === "string" ? null : generateSecret();
      const sealed = secret.seal(generated ?? input.Secret!);
      const rotation = await change(caller, id, async (tx, { Kind }) => {
        requirePush(Kind);
        await stageSecret(tx, caller.tenantId, id, sealed, input.OverlapSeconds ?? overlapSeconds);
        return { kind: "WebhookConnection.SecretStaged" };
      });
      return withoutRecords({ ...rotation, Secret: generated });
    },
    prove(caller, id) {
      const { tenantId, traceParent } = caller;
      return change(caller, id, async (tx, { Id, Name, Entities, Events }) => {
        const eventId = await recordPing(tx, tenantId, { Id, Name, Entities, Events }, traceParent);
        const staged = await beginProof(tx, tenantId, id, eventId);
        if (!staged) throw new Conflict("No secret is staged. Stage one first.");
        return { kind: "WebhookConnection.Pinged", details: { EventId: eventId, Proves: "Secret" } };
      });
    },
    giveUp(caller, id) {
      return change(caller, id, async (tx) => {
        const { stagedOn, formerUntil } = (await findRotation(tx, caller.tenantId, id))!;
        await endRotation(tx, caller.tenantId, id);
        return stagedOn || formerUntil ? { kind: "WebhookConnection.RotationEnded" } : undefined;
      });
    },
  };
}

function toRotationRecord(rotation: SecretRotation): RotationRecord {
  const { stagedOn, overlapSeconds, proof, formerUntil } = rotation;
  return {
    State: stateOf(rotation),
    StagedOn: stagedOn?.toISOString() ?? null,
    OverlapSeconds: overlapSeconds,
    Proof: proof && { EventId: proof.eventId, State: proof.state, Reason: reasonOf(proof) },
    FormerUntil: formerUntil?.toISOString() ?? null,
  };
}

function stateOf({ signed, stagedOn, proof, formerUntil }: SecretRotation): RotationRecord["State"] {
  if (stagedOn && !proof) return "Staged";
  if (stagedOn && proof) return proof.state === "Pending" || proof.state === "Retrying" ? "Proving" : "Refused";
  if (formerUntil) return "Overlap";
  return signed ? "InForce" : "None";
}

function reasonOf({ state, word }: NonNullable<SecretRotation["proof"]>): string | null {
  if (state === "Cancelled") return "the ping was cancelled; try again";
  if (state !== "Exhausted") return null;
  if (word === null || word === "lost") return "the attempt was lost with its worker; try again";
  return /^\d+$/.test(word) ? `the receiver answered ${word}` : `the receiver did not answer: ${word}`;
}

/** The maximum time for which the former secret also signs: a week. */
export const MAX_OVERLAP_SECONDS = 604_800;

const FIELDS = {
  Secret: field<string | null>(secretField(1)),
  OverlapSeconds: integer(0, MAX_OVERLAP_SECONDS, "", {
    description: "How long the former secret signs as well; null: WEBHOOK_SECRET_OVERLAP.",
  }),
};

/** Without Secret, one is generated. */
export type StagingInput = InputOf<typeof FIELDS>;

/** The body of POST WebhookConnection/{Id}/Secret; null means absent. */
export const STAGING = body(
  { name: "a new Secret", must: "an object, which can be empty", $id: "WebhookSecretData" },
  FIELDS,
);

/** Like recordAttempt, for a ping: also activates and audits the secret that signed it. Locks the connection first. */
export async function recordProof(
  sql: Sql,
  tenantId: TenantId,
  eventId: EventId,
  deliveryId: DeliveryId,
  attempt: Attempt,
  outcome: AttemptOutcome,
): Promise<DeliveryState | undefined> {
  return sql.begin(async (tx) => {
    const proved = await takeStagedSecret(tx, tenantId, eventId, deliveryId);
    if (proved) await recordChange(tx, tenantId, proved);
    return recordAttempt(tx, tenantId, eventId, deliveryId, attempt, outcome);
  });
}

/** Attributed to the caller who requested the verification. */
function recordChange(tx: Transaction, tenantId: TenantId, { connectionId, eventId }: ProvedSecret): Promise<void> {
  const subject = { type: TYPE, id: connectionId };
  const details = { EventId: eventId, Proves: "Secret" };
  const cause = { kind: "WebhookConnection.Pinged", subject, details } as const;
  return recordConsequence(tx, tenantId, cause, "WebhookConnection.SecretChanged");
}
