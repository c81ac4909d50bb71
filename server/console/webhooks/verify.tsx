// A connection's tab Verify: a test for each kind of call, recent tests, and code that verifies a call.

import { PING } from "../../records/index.ts";
import { ActionButton, Badge, type Column, EmptyState, Live, Section, Table, Text, Time } from "../../ui/index.ts";
import { type ConnectionRecord, type RecentDelivery, toConnectionId } from "../../webhooks/index.ts";
import { EventLink } from "../activity/record.tsx";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import { Source } from "../source.tsx";
import { answerInWords } from "./connection.tsx";
import { ABOVE } from "./save.tsx";
import { VERIFICATIONS } from "./verification.ts";

const REFRESH_SECONDS = 2;
const MAX_TESTS = 10;

export async function verifyPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { record, isSigned } = await deps.connections.read(visit.caller, visit.params.id!);
  const tests = await deps.eventLog.testsOf(visit.caller, record.Id, MAX_TESTS);
  const mayTest = visit.may("Webhooks:Update", "WebhookConnection", record);
  return {
    title: titleOfConnection(record),
    above: ABOVE,
    body: (
      <>
        {mayTest ? <Kinds visit={visit} record={record} /> : ""}
        <Live visit={visit} id="tests" seconds={REFRESH_SECONDS}>
          <Section title="Recent tests">
            {tests.length > 0 ? (
              <Table caption="Recent tests and pings" columns={columns(visit)} rows={tests} />
            ) : (
              <EmptyState title="Nothing yet" text="Tests and pings appear here with the receiver's response." />
            )}
          </Section>
        </Live>
        {visit.wants("code") ? <VerificationCode isSigned={isSigned} /> : ""}
      </>
    ),
  };
}

function Kinds({ visit, record }: { visit: Visit; record: ConnectionRecord }): JSX.Element {
  const path = `/settings/webhooks/${record.Id}`;
  return (
    <Section title="Send a test">
      <p>
        A test is a signed call like that of a change, with sample data and <code>"Test": true</code> at its end. It
        goes only to this connection, once, also while that is paused.
      </p>
      <dl class="facts kinds">
        {record.Entities.map((entity) => (
          <div>
            <dt safe>{entity}</dt>
            <dd class="buttons">
              {record.Events.map((event) => (
                <ActionButton
                  visit={visit}
                  action={`${path}/verify`}
                  label={`Send ${event}`}
                  about={entity}
                  fields={{ EventRecord: entity, EventType: event }}
                />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

export async function sendTest({ testEvents }: ConsoleServices, visit: Visit): Promise<Response> {
  const { form, params } = visit;
  const input = testEvents.contract.parse({ EventRecord: form.get("EventRecord"), EventType: form.get("EventType") });
  await testEvents.send(visit.permitted("Webhooks:Update"), toConnectionId(params.id!), input);
  const notice = `A test of ${input.EventRecord} ${input.EventType} is being sent. The result appears below.`;
  return visit.goTo(`/settings/webhooks/${params.id}/verify`, notice);
}

const columns = (visit: Visit): Column<RecentDelivery>[] => [
  { name: "Test", cell: ({ eventId, tested }) => <EventLink visit={visit} id={eventId} text={tested ?? PING} /> },
  { name: "State", cell: ({ state }) => <Badge state={state} /> },
  { name: "Answer", cell: (delivery) => <Text text={answerInWords(delivery)} /> },
  { name: "Sent", cell: ({ occurredOn }) => <Time at={occurredOn} ago /> },
];

function VerificationCode({ isSigned }: { isSigned: boolean }): JSX.Element {
  return (
    <Section title="Verify the signature">
      {isSigned ? "" : <p class="warning">This connection has no secret: its calls are not signed.</p>}
      <p>
        Verify the received bytes before parsing JSON. Each example accepts any of several signatures, so the secret can
        be replaced without failed calls, and rejects calls older than five minutes.
      </p>
      {VERIFICATIONS.map(({ language, mark, code }, index) => (
        <details class="language" id={`verify-${mark}`} name="language" open={index === 0}>
          <summary safe>{language}</summary>
          <Source
            label={`Verification in ${language}`}
            text={code}
            copy={{ text: code, label: `Copy for ${language}` }}
          />
        </details>
      ))}
    </Section>
  );
}
