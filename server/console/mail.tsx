// Mails: their list, one with its attempts, previews of each kind, and a test.

import { MAIL_STATES } from "../../workflows/contract.ts";
import { mail } from "../identity/index.ts";
import { NotFound } from "../platform/errors.ts";
import { exportResponse } from "../platform/http/export.ts";
import { firstPage, readAsked } from "../platform/http/query.ts";
import {
  ActionButton,
  Badge,
  ButtonLink,
  Code,
  type Column,
  Facts,
  Form,
  type FormState,
  find,
  formOf,
  List,
  Live,
  Refreshing,
  refusedForm,
  Section,
  statusOf,
  Table,
  Text,
  TextField,
  Time,
} from "../ui/index.ts";
import { Words } from "./failure-words.tsx";
import type { ConsolePage, ConsoleServices, View } from "./page.tsx";
import type { Visit } from "./visit.ts";
import { hrefOfWorkflow } from "./workflow.tsx";

const { MAIL, MAIL_KINDS, TEST_MAIL } = mail;
type MailKind = mail.MailKind;
type MailRecord = mail.MailRecord;

export const MAILS = "/settings/mail";
const READ = ["Settings:Read"] as const;
const CHANGE = ["Settings:Read", "Settings:Update"] as const;
const REFRESH_SECONDS = 2;
const ABOVE = [{ name: "Mail", path: MAILS }];

export const KINDS: Record<MailKind, string> = {
  VerifyAddress: "Confirm an address",
  ForgottenPassword: "Forgotten password",
  Invitation: "Invitation",
  SignUp: "Sign-up",
  AccountExists: "Sign-up with an account",
  AccountReady: "Account approved",
  NewDevice: "Sign-in on a new device",
  CredentialChanged: "Password or second factor changed",
  Alert: "Alert",
  Test: "Test",
};
const TONES = { Waiting: "busy", Held: "warn", Sent: "good", Failed: "bad", Bounced: "bad" } as const;

export function mailPages(deps: ConsoleServices): ConsolePage[] {
  return [
    {
      path: MAILS,
      area: "Mail",
      GET: { needs: READ, answer: (visit) => listPage(deps, visit) },
    },
    {
      path: `${MAILS}/test`,
      GET: { needs: CHANGE, answer: async (visit) => testPage(visit) },
      POST: { needs: CHANGE, answer: (visit) => sendTest(deps, visit) },
    },
    { path: `${MAILS}/preview`, GET: { needs: READ, answer: (visit) => previewPage(deps, visit) } },
    { path: `${MAILS}/preview.eml`, GET: { needs: READ, answer: (visit) => previewFile(deps, visit) } },
    { path: `${MAILS}/:id`, shows: MAIL.name, GET: { needs: READ, answer: (visit) => mailPage(deps, visit) } },
    { path: `${MAILS}/:id/resend`, POST: { needs: CHANGE, answer: (visit) => resend(deps, visit) } },
  ];
}

const options = (words: readonly string[], labels: Record<string, string> = {}) =>
  words.map((value) => ({ value, label: labels[value] ?? value }));

const FILTERS = [
  { name: "To", label: "Address" },
  { name: "Kind", label: "Kind", options: options(MAIL_KINDS, KINDS) },
  { name: "State", label: "State", options: options(MAIL_STATES) },
  { name: "UserId", label: "User's Id" },
];

async function listPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const { mails } = deps;
  const found = await find(visit, FILTERS, async () => {
    const asked = readAsked(mails.filters, visit.url.searchParams);
    return mails.list(visit.permitted(...READ), asked.filters, asked.paging);
  });
  const server = await Server({ deps, visit });
  const isLast = visit.url.searchParams.has("Cursor") || Boolean(found.problems);
  return {
    title: "Mail",
    status: statusOf(found),
    actions: (
      <>
        <ButtonLink href={visit.href(`${MAILS}/preview`)}>Preview</ButtonLink>
        {visit.may("Settings:Update") && isOn(deps) && (
          <ButtonLink href={visit.href(`${MAILS}/test`)}>Send a test mail</ButtonLink>
        )}
      </>
    ),
    body: (
      <>
        {server as "safe"}
        <List
          visit={visit}
          caption="Mails, newest first"
          filters={FILTERS}
          live={isLast ? undefined : { id: "mails", seconds: 5 }}
          found={found}
          columns={columns(visit)}
          empty={{
            none: ["No mails yet", "Mails are listed for 30 days, without their content."],
            noMatch: ["No matching mails", "Mails are listed for 30 days, without their content."],
          }}
        />
      </>
    ),
  };
}

/** The last mail to an address, if the mail server has refused the address. */
export async function lastBounce({ mails }: ConsoleServices, visit: Visit, To: string) {
  const [last] = To ? (await mails.list(visit.permitted(...READ), { To }, firstPage(1))).Items : [];
  return last?.State === "Bounced" ? last : undefined;
}

const isOn = ({ mails: { settings } }: ConsoleServices) => settings.isKept || settings.host !== undefined;

/** The state of the mail server, in a sentence. */
async function Server({ deps: { mails }, visit }: { deps: ConsoleServices; visit: Visit }): Promise<JSX.Element> {
  const { host, from, isKept } = mails.settings;
  if (isKept) {
    return (
      <p class="warning">
        {
          "This installation has no mail server, so mails stay here, and their pages show their links. To send them, set "
        }
        <Code text="SMTP_URL" />
        {" and "}
        <Code text="MAIL_FROM" />
        {"."}
      </p>
    );
  }
  if (!host) {
    return (
      <p class="warning">
        {"This installation sends no mail. Its operator must set "}
        <Code text="SMTP_URL" />
        {" and "}
        <Code text="MAIL_FROM" />
        {" first."}
      </p>
    );
  }
  const [held] = (await mails.list(visit.permitted(...READ), { State: "Held" }, firstPage(1))).Items;
  if (held) {
    return (
      <p class="warning" role="alert">
        {"The mail server is down. Mails are held, and sent when it is up again. "}
        <Words text={held.Reason ?? ""} />
      </p>
    );
  }
  return <p class="fine" safe>{`Mails are sent from ${from} by ${host}.`}</p>;
}

const columns = (visit: Visit): Column<MailRecord>[] => [
  {
    name: "Mail",
    cell: ({ Id, Kind }) => (
      <a href={visit.href(`${MAILS}/${Id}`)} safe>
        {KINDS[Kind]}
      </a>
    ),
  },
  { name: "To", cell: ({ To }) => <Text text={To} /> },
  { name: "State", cell: ({ State }) => <Badge state={State} tone={TONES[State]} /> },
  { name: "Reason", cell: ({ Reason }) => <Words text={Reason ?? ""} /> },
  { name: "Written", cell: ({ CreatedOn }) => <Time at={new Date(CreatedOn)} ago /> },
];

function testPage(visit: Visit, refused?: FormState): View {
  const state = refused ?? formOf({});
  return {
    title: "Send a test mail",
    above: ABOVE,
    status: refused ? 422 : 200,
    body: (
      <div class="panel narrow">
        <Form visit={visit} action={`${MAILS}/test`} state={state}>
          <TextField state={state} name="To" label="Address" type="email" />
          <div class="buttons">
            <button type="submit">Send</button>
          </div>
        </Form>
      </div>
    ),
  };
}

async function sendTest(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  try {
    const { To = "" } = TEST_MAIL.parse({ To: visit.form.get("To") ?? "" });
    const { Id } = await deps.mails.sendTest(visit.permitted(...CHANGE), To);
    return visit.goTo(`${MAILS}/${Id}`, "The mail is being sent.");
  } catch (error) {
    return testPage(visit, refusedForm(visit.form, error, ["To"], { To: "Address" }));
  }
}

async function mailPage({ mails }: ConsoleServices, visit: Visit): Promise<View> {
  const one = await mails.read(visit.permitted(...READ), visit.params.id!);
  const { Id, Kind, To, UserId, State, Reason, MessageId, CreatedOn, EndedOn, ExpiresOn, Attempts } = one;
  const isFinal = State !== "Waiting" || mails.settings.isKept;
  const content = await mails.contentOf(visit.permitted(...READ), one);
  const mayResend =
    ["Failed", "Bounced", "Held"].includes(State) && visit.may("Settings:Update", MAIL.name, { ...one });
  return {
    title: KINDS[Kind],
    above: ABOVE,
    body: (
      <>
        {isFinal ? "" : <Refreshing visit={visit} seconds={REFRESH_SECONDS} />}
        <Live visit={visit} id="mail" seconds={REFRESH_SECONDS} isFinal={isFinal}>
          <Section title="Delivery">
            <Facts
              facts={[
                ["To", <Text text={To} />],
                ["User", UserId ? <UserLink visit={visit} id={UserId} /> : <span class="none">none</span>],
                ["State", <Badge state={State} tone={TONES[State]} />],
                ...(Reason ? ([["Reason", <Words text={Reason} />]] as [string, JSX.Element][]) : []),
                ["Written", <Time at={new Date(CreatedOn)} />],
                ["Ended", EndedOn ? <Time at={new Date(EndedOn)} /> : <span class="none">not yet</span>],
                ["Link expires", ExpiresOn ? <Time at={new Date(ExpiresOn)} /> : <span class="none">no link</span>],
                ["Message-ID", MessageId ? <Code text={MessageId} copy /> : <span class="none">none yet</span>],
                ["Temporal", <a href={hrefOfWorkflow(visit, one)}>workflow</a>],
              ]}
            />
            {mayResend ? <ActionButton visit={visit} action={`${MAILS}/${Id}/resend`} label="Send again" /> : ""}
          </Section>
          {Attempts.length > 0 && (
            <Section title="Attempts">
              <Table caption="Attempts" columns={ATTEMPTS} rows={Attempts} />
            </Section>
          )}
        </Live>
        {!!content && (
          <Section title={content.subject}>
            <pre class="mail" safe>
              {content.text}
            </pre>
          </Section>
        )}
      </>
    ),
  };
}

function UserLink({ visit, id }: { visit: Visit; id: string }): JSX.Element {
  return (
    <a href={visit.href(`/settings/users/${id}`)} safe>
      {`User ${id}`}
    </a>
  );
}

type Attempt = MailRecord["Attempts"][number];
const ATTEMPTS: Column<Attempt>[] = [
  { name: "No.", cell: (attempt) => <span safe>{String(attempt.Number)}</span> },
  { name: "Started", cell: ({ StartedOn }) => <Time at={new Date(StartedOn)} /> },
  {
    name: "ms",
    numeric: true,
    cell: ({ DurationMs }) => <span safe>{DurationMs === null ? "" : DurationMs.toLocaleString("en")}</span>,
  },
  {
    name: "Result",
    cell: ({ Failure, DurationMs }) => <Words text={Failure ?? (DurationMs === null ? "in progress" : "sent")} />,
  },
  { name: "Last line of the mail server", cell: ({ Response }) => <Text text={Response ?? ""} /> },
];

async function resend({ mails }: ConsoleServices, visit: Visit): Promise<Response> {
  const { Id } = await mails.resend(visit.permitted(...CHANGE), visit.params.id!);
  return visit.goTo(`${MAILS}/${Id}`, "The mail is being sent again.");
}

async function previewPage({ mails }: ConsoleServices, visit: Visit): Promise<View> {
  const caller = visit.permitted(...READ);
  const all = await Promise.all(MAIL_KINDS.map(async (kind) => ({ kind, ...(await mails.preview(caller, kind)) })));
  return {
    title: "Preview of mails",
    above: ABOVE,
    lead: (
      <p class="fine">
        {"With example values. The "}
        <a href={visit.href("/settings/organisation")}>organisation</a>
        {" has the name in mails and the address for replies."}
      </p>
    ),
    body: (
      <>
        {all.map(({ kind, subject, text }) => (
          <Section title={KINDS[kind]}>
            <p>
              <strong safe>{subject}</strong>
              {" · "}
              <a href={visit.href(`${MAILS}/preview.eml?Kind=${kind}`)} download="">
                for a mail program
              </a>
            </p>
            <pre class="mail" safe>
              {text}
            </pre>
          </Section>
        ))}
      </>
    ),
  };
}

/** A file that mail programs open, so the preview is what they show. */
async function previewFile({ mails }: ConsoleServices, visit: Visit): Promise<Response> {
  const asked = visit.url.searchParams.get("Kind");
  const kind = asked === null ? MAIL_KINDS[0] : MAIL_KINDS.find((one) => one === asked);
  if (!kind) throw new NotFound("There is no such kind of mail.");
  const { source } = await mails.preview(visit.permitted(...READ), kind);
  return exportResponse({
    type: "message/rfc822",
    fileName: `${kind}.eml`,
    body: new Blob([new Uint8Array(source)]).stream(),
  });
}
