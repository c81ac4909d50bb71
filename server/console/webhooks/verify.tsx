// A connection's tab Verify: a test for each kind of call, recent tests, and code that verifies a call.

import { PING } from "../../records/index.ts";
import {
  ActionButton,
  Badge,
  Code,
  type Column,
  EmptyState,
  Live,
  Section,
  Table,
  Text,
  Time,
} from "../../ui/index.ts";
import { type ConnectionRecord, type RecentDelivery, toConnectionId } from "../../webhooks/index.ts";
import { EventLink } from "../activity/record.tsx";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { titleOfConnection } from "../records/names.ts";
import { Source } from "../source.tsx";
import { answerInWords, pathOfEvents } from "./connection.tsx";
import { ABOVE } from "./save.tsx";
import { VERIFICATIONS } from "./verification.ts";

const REFRESH_SECONDS = 2;
const MAX_TESTS = 10;

export async function verifyPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { record, isSigned } = await deps.connections.read(visit.caller, visit.params.id!);
  const content = record.Kind === "Pull" ? <PullSteps record={record} /> : await tests(deps, visit, record);
  return {
    title: titleOfConnection(record),
    above: ABOVE,
    body: (
      <>
        {content as "safe"}
        {visit.wants("code") ? <VerificationCode isSigned={isSigned} /> : ""}
      </>
    ),
  };
}

async function tests(deps: ConsoleServices, visit: Visit, record: ConnectionRecord): Promise<JSX.Element> {
  const [sent, check] = await Promise.all([
    deps.eventLog.testsOf(visit.caller, record.Id, MAX_TESTS),
    deps.receiverChecks.read(visit.caller, record.Id),
  ]);
  const mayTest = visit.may("Webhooks:Update", "WebhookConnection", record);
  return (
    <>
      {mayTest ? <Kinds visit={visit} record={record} /> : ""}
      <Live visit={visit} id="tests" seconds={REFRESH_SECONDS}>
        <Section title="Recent tests">
          {sent.length > 0 ? (
            <Table caption="Recent tests and pings" columns={columns(visit)} rows={sent} />
          ) : (
            <EmptyState title="Nothing yet" text="Tests and pings appear here with the receiver's response." />
          )}
        </Section>
      </Live>
      <Live visit={visit} id="check" seconds={REFRESH_SECONDS}>
        <CheckSection visit={visit} record={record} check={check} mayTest={mayTest} />
      </Live>
    </>
  );
}

const TONES = { Passed: "good", Advised: "busy", Failed: "bad", Skipped: undefined } as const;

type CheckRecord = Awaited<ReturnType<ConsoleServices["receiverChecks"]["read"]>>;

interface CheckProps {
  visit: Visit;
  record: ConnectionRecord;
  check: CheckRecord;
  mayTest: boolean;
}

function CheckSection({ visit, record, check, mayTest }: CheckProps): JSX.Element {
  const { State, Results, EndedOn } = check;
  return (
    <Section title="Receiver check">
      <p>
        It proves that the receiver is ready: test calls with <code>"Test": true</code>, some of them wrong, old,
        repeated or large, and 20 at once.
      </p>
      {mayTest && State !== "Running" && (
        <div class="buttons">
          <ActionButton visit={visit} action={`/settings/webhooks/${record.Id}/check`} label="Check the receiver" />
        </div>
      )}
      {State === "Running" && <p role="status">The check is running. It takes about a minute.</p>}
      {Results.length > 0 && <Table caption="Results of the check" columns={CHECK_COLUMNS} rows={Results} />}
      {EndedOn !== null && (
        <p class="hint">
          Ended <Time at={new Date(EndedOn)} ago />.
        </p>
      )}
    </Section>
  );
}

const CHECK_COLUMNS: Column<CheckRecord["Results"][number]>[] = [
  { name: "Expected", cell: ({ Expected }) => <Text text={Expected} /> },
  { name: "Result", cell: ({ Verdict }) => <Badge state={Verdict} tone={TONES[Verdict]} /> },
  { name: "Answer", cell: ({ Got }) => <Text text={Got} /> },
  { name: "Advice", cell: ({ Advice }) => <Text text={Advice} /> },
];

/** Starts a receiver check. */
export async function startCheck({ receiverChecks }: ConsoleServices, visit: Visit): Promise<Response> {
  const id = visit.params.id!;
  await receiverChecks.start(visit.permitted("Webhooks:Update"), toConnectionId(id));
  return visit.goTo(`/settings/webhooks/${id}/verify`, "The check is running. Its results appear below.");
}

function PullSteps({ record }: { record: ConnectionRecord }): JSX.Element {
  const path = pathOfEvents(record).replace(/Events$/, "");
  return (
    <Section title="Get the events">
      <ol>
        <li>
          Get them: <Code text={`GET ${path}Events?Limit=50&Wait=20`} copy />
        </li>
        <li>
          Verify each <code>Body</code> by its <code>Headers</code>, and process it.
        </li>
        <li>
          Acknowledge the last one: <Code text={`POST ${path}Ack`} copy /> with <code>{'{ "Upto": EventId }'}</code>
        </li>
      </ol>
      <p class="hint">Events that are not acknowledged within 30 s are given again.</p>
    </Section>
  );
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
