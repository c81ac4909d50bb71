// A connection's secret and its rotation: staged, given to the receiver, verified by a ping, then active.

import { NotFound } from "../../platform/errors.ts";
import {
  ActionButton,
  AskButton,
  Badge,
  Code,
  Fields,
  Form,
  type FormState,
  formOf,
  Live,
  refusedForm,
  Section,
  Time,
} from "../../ui/index.ts";
import { type ConnectionRecord, secretRotation, toConnectionId } from "../../webhooks/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type View } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import type { Visit } from "../visit.ts";
import { aboveOf } from "./save.tsx";

type Rotation = secretRotation.RotationRecord;

const FIELDS = {
  Secret: {
    label: "Secret",
    type: "password",
    autocomplete: "new-password",
    hint: "Empty: generated, and shown once.",
    required: false,
  },
  OverlapSeconds: {
    label: "Overlap with the former secret, seconds",
    type: "number",
    hint: `After the new one is confirmed; from 0 to ${secretRotation.MAX_OVERLAP_SECONDS}.`,
    required: false,
  },
} as const;
const REFRESH_SECONDS = 3;
const pathOf = (visit: Visit) => `/settings/webhooks/${visit.params.id}/secret`;

/** @param shown a secret to show once, or a rejected form */
export async function secretPage(
  { connections, rotations }: ConsoleServices,
  visit: Visit,
  shown: { generated?: string; refused?: FormState } = {},
): Promise<View> {
  const { caller, params } = visit;
  const { record } = await connections.read(caller, params.id!);
  const rotation = await rotations.read(caller, record.Id);
  const mayChange = visit.may("Webhooks:Update", "WebhookConnection", record);
  const state = shown.refused ?? formOf({ OverlapSeconds: String(rotations.overlapSeconds) });
  return {
    title: "Secret",
    above: aboveOf(record),
    status: shown.refused ? 422 : 200,
    body: (
      <>
        {shown.generated ? <Generated secret={shown.generated} /> : ""}
        <Live visit={visit} id="rotation" seconds={REFRESH_SECONDS}>
          <Section title="Status">
            <RotationStatus rotation={rotation} />
            {mayChange ? steps(visit, record, rotation) : ""}
          </Section>
        </Live>
        {mayChange && record.Kind === "Push" && <Replace visit={visit} state={state} />}
        {mayChange && record.Kind === "Pull" && (
          <p class="after">
            <a href={visit.href(`/settings/webhooks/${record.Id}/change`)}>Replace the secret</a>
          </p>
        )}
      </>
    ),
  };
}

function Generated({ secret }: { secret: string }): JSX.Element {
  return (
    <div class="notice" role="status">
      <p>
        <strong>The new secret, shown only now.</strong> Give it to the receiver, then confirm it.
      </p>
      <p>
        <Code text={secret} copy />
      </p>
    </div>
  );
}

function RotationStatus({ rotation }: { rotation: Rotation }): JSX.Element {
  const { State, FormerUntil, Proof } = rotation;
  switch (State) {
    case "None":
      return <p>No secret: payloads are not signed.</p>;
    case "InForce":
      return (
        <p>
          <Badge state="In force" tone="good" /> Payloads are signed with it.
        </p>
      );
    case "Staged":
      return (
        <p>
          <Badge state="Staged" tone="busy" /> A new secret is staged. Once the receiver has it, confirm it with a ping
          signed only by it. The current secret stays in force until the ping gets 2xx.
        </p>
      );
    case "Proving":
      return (
        <p>
          <Badge state="Proving" tone="busy" /> The ping is being sent.
        </p>
      );
    case "Refused":
      return (
        <p>
          <Badge state="Refused" tone="bad" />{" "}
          <span safe>{`The new secret is not in force: ${Proof?.Reason ?? ""}.`}</span>
        </p>
      );
    case "Overlap":
      return (
        <p>
          <Badge state="In force" tone="good" /> The new secret is confirmed. The former one signs beside it until{" "}
          <Time at={FormerUntil!} />.
        </p>
      );
  }
}

function steps(visit: Visit, record: ConnectionRecord, rotation: Rotation): JSX.Element {
  const { State } = rotation;
  const path = pathOf(visit);
  const isStaged = State === "Staged" || State === "Refused";
  if (State === "None" || State === "InForce") return "";
  return (
    <div class="buttons">
      {isStaged ? <ActionButton visit={visit} action={`${path}/prove`} label="Confirm with a ping" kind="main" /> : ""}
      <AskButton
        visit={visit}
        action={`${path}/give-up`}
        label={State === "Overlap" ? "End the former secret now" : "Withdraw the new secret"}
        kind={State === "Overlap" ? "danger" : "plain"}
        question={askToGiveUp(record, rotation)}
      />
    </div>
  );
}

function Replace({ visit, state }: { visit: Visit; state: FormState }): JSX.Element {
  return (
    <Section title="A new secret">
      <Form visit={visit} action={pathOf(visit)} state={state} submit="Stage the new secret">
        <Fields state={state} fields={FIELDS} />
      </Form>
    </Section>
  );
}

export async function stage(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { form, caller, params } = visit;
  try {
    const overlap = form.get("OverlapSeconds")?.trim();
    const input = secretRotation.STAGING.parse({
      Secret: form.get("Secret") || null,
      OverlapSeconds: overlap ? Number(overlap) : null,
    });
    const { Secret: generated } = await deps.rotations.stage(caller, toConnectionId(params.id!), input);
    if (!generated) return visit.goTo(pathOf(visit), "The new secret is staged. Once the receiver has it, confirm it.");
    // No redirect, because a secret shown once must be in this response.
    return secretPage(deps, visit, { generated });
  } catch (error) {
    return secretPage(deps, visit, { refused: refusedForm(form, error, FIELDS) });
  }
}

export async function prove({ rotations }: ConsoleServices, visit: Visit): Promise<Response> {
  await rotations.prove(visit.caller, toConnectionId(visit.params.id!));
  return visit.goTo(pathOf(visit), "A ping signed only with the new secret is being sent.");
}

function askToGiveUp(record: ConnectionRecord, { State, StagedOn, FormerUntil }: Rotation): Confirmation {
  if (State === "None" || State === "InForce") throw new NotFound("Only one secret signs: there is none to withdraw.");
  const back = `/settings/webhooks/${record.Id}/secret`;
  const shared = { above: [{ name: titleOfConnection(record), path: back }], back, basis: [StagedOn, FormerUntil] };
  if (State === "Overlap") {
    return {
      title: "End the former secret now?",
      effects: ["Only the new secret will sign.", "A receiver with only the former one will reject calls."],
      confirm: "End now",
      ...shared,
    };
  }
  return {
    title: "Withdraw the new secret?",
    effects: ["The current secret keeps signing.", "A receiver with only the new one will reject calls."],
    confirm: "Withdraw",
    ...shared,
  };
}

export function giveUpPage({ connections, rotations }: ConsoleServices): ConsolePage {
  return confirming({
    path: "/settings/webhooks/:id/secret/give-up",
    needs: ["Webhooks:Read", "Webhooks:Update"],
    async ask(visit) {
      const { record } = await connections.read(visit.caller, visit.params.id!);
      return askToGiveUp(record, await rotations.read(visit.caller, record.Id));
    },
    async act(visit, { back }) {
      await rotations.giveUp(visit.caller, toConnectionId(visit.params.id!));
      return visit.goTo(back, "Only the current secret signs now.");
    },
  });
}
