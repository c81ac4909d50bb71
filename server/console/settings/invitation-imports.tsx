// Invitations of many people by a CSV file: checked, started, followed, and stopped.

import { imports } from "../../identity/index.ts";
import { BadInput } from "../../platform/errors.ts";
import { exportResponse, formatFilter } from "../../platform/http/export.ts";
import { readAsked } from "../../platform/http/query.ts";
import {
  Badge,
  ButtonLink,
  type Column,
  Form,
  type FormState,
  formOf,
  ListSection,
  Live,
  refusedForm,
  Section,
  Submit,
  Text,
  TextField,
  Time,
} from "../../ui/index.ts";
import { RunButtons, RunSection } from "../long-work.tsx";
import {
  type Confirmation,
  type ConsolePage,
  type ConsoleServices,
  confirming,
  handlersOf,
  type View,
} from "../page.tsx";
import { logPage } from "../records/log-page.tsx";
import { Exports, optionsOf } from "../records/records.tsx";
import type { Visit } from "../visit.ts";

const { IMPORT, IMPORT_DATA, IMPORT_CHANGE } = imports;
type ImportRecord = imports.ImportRecord;
type Check = Awaited<ReturnType<imports.InvitationImports["check"]>>;

export const IMPORTS = "/settings/invitation-imports";
const REFRESH_SECONDS = 2;
const READ = ["Settings:Read"] as const;
const CHANGE = ["Settings:Read", "Settings:Update"] as const;
const ABOVE = [{ name: "Invitations", path: "/settings/invitations" }];
const BELOW = [...ABOVE, { name: "Imports", path: IMPORTS }];

export function invitationImportPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  return [
    { path: IMPORTS, GET: on(READ, listPage) },
    {
      path: `${IMPORTS}/add`,
      command: "Invite many people",
      GET: { needs: CHANGE, answer: async (visit) => formPage(visit, formOf()) },
      POST: { ...on(CHANGE, send), takesFiles: true },
    },
    { path: `${IMPORTS}/:id`, shows: IMPORT.name, GET: on(READ, importPage), POST: on(CHANGE, pauseOrResume) },
    { path: `${IMPORTS}/:id/report`, GET: on(READ, report) },
    confirming({
      path: `${IMPORTS}/:id/cancel`,
      needs: CHANGE,
      ask: async (visit) => askToCancel(await deps.imports.read(visit.permitted(...READ), visit.params.id!)),
      async act(visit, { back }) {
        await deps.imports.change(visit.permitted(...CHANGE), visit.params.id!, "Cancelled");
        return visit.goTo(back, "The import is cancelled. People who were invited stay invited.");
      },
    }),
  ];
}

async function listPage({ imports }: ConsoleServices, visit: Visit): Promise<View> {
  const about = "A CSV file invites up to 10,000 people at once.";
  return logPage(visit, {
    title: "Imports of invitations",
    above: ABOVE,
    add: visit.may("Settings:Update") ? <InviteMany visit={visit} /> : undefined,
    caption: "Imports of invitations, newest first",
    known: imports.filters,
    filters: [{ name: "State", label: "State", options: optionsOf(imports.filters.State.words) }],
    live: { id: "imports", seconds: 5 },
    read: ({ filters, paging }) => imports.list(visit.permitted(...READ), filters, paging),
    parts: () => ({ columns: columns(visit) }),
    empty: { none: ["No imports yet", about], noMatch: ["No matching imports", about] },
  });
}

const columns = (visit: Visit): Column<ImportRecord>[] => [
  {
    name: "Begun",
    cell: ({ Id, CreatedOn }) => (
      <a href={visit.href(`${IMPORTS}/${Id}`)}>
        <Time at={CreatedOn} ago />
      </a>
    ),
  },
  { name: "State", narrow: "beside", cell: ({ State }) => <Badge state={State} /> },
  { name: "Invited", numeric: true, cell: (one) => <Text text={inNumbers(one.Invited, one.Total)} /> },
  { name: "Skipped", numeric: true, cell: ({ Done, Invited }) => <Text text={counted(Done - Invited)} /> },
];

export function InviteMany({ visit }: { visit: Visit }): JSX.Element {
  return <ButtonLink href={visit.href(`${IMPORTS}/add`)} label="Invite many people" />;
}

/** @param check of the text in the form */
function formPage(visit: Visit, state: FormState, check?: Check): View {
  const isReady = check?.Invalid === 0;
  return {
    title: "Invite many people",
    above: BELOW,
    status: state.problems.length > 0 || check?.Invalid ? 422 : 200,
    lead: (
      <p class="fine">
        The first line names the columns: <code>Email,Name,Roles,DepartmentId</code>. Only Email is needed. Several
        roles are separated by semicolons.
      </p>
    ),
    body: (
      <>
        <div class="panel narrow">
          <Form visit={visit} action={`${IMPORTS}/add`} state={state} takesFiles>
            <div class="field">
              <label for="field-File">CSV file (optional)</label>
              <p class="hint" id="field-File-hint">
                In UTF-8, with at most 10,000 people. It replaces the text below.
              </p>
              <input
                id="field-File"
                type="file"
                name="File"
                accept=".csv,text/csv"
                aria-describedby="field-File-hint"
              />
            </div>
            <TextField
              state={state}
              name="Csv"
              label="Or its text"
              hint="For example from a spreadsheet."
              required={false}
              rows={8}
              code
            />
            <div class="buttons">
              <Submit label="Check" kind={isReady ? "plain" : "main"} />
              {isReady ? <Submit label={`Invite ${people(check.Valid)}`} name="invite" value="true" /> : ""}
              <ButtonLink href={visit.href(IMPORTS)} label="Cancel" />
            </div>
          </Form>
        </div>
        {check ? <Checked check={check} /> : ""}
      </>
    ),
  };
}

function Checked({ check: { Valid, Invalid, Problems } }: { check: Check }): JSX.Element {
  const found =
    Invalid === 0
      ? `${people(Valid)} can be invited. Nothing is sent yet.`
      : `${people(Valid)} can be invited. Correct the other lines first: nothing is sent while one is wrong.`;
  const isCut = Invalid > Problems.length;
  const status = (
    <p role="status" safe>
      {isCut ? `${found} These are the first ${Problems.length} of ${counted(Invalid)}.` : found}
    </p>
  );
  if (Invalid === 0) return <Section title="Check">{status}</Section>;
  return (
    <ListSection title="Check" caption="Lines that cannot be used" columns={PROBLEM_COLUMNS} rows={Problems} none="">
      {status}
    </ListSection>
  );
}

const PROBLEM_COLUMNS: Column<Check["Problems"][number]>[] = [
  { name: "Line", numeric: true, cell: ({ Row }) => <Text text={counted(Row)} /> },
  { name: "Problem", cell: ({ Message }) => <Text text={Message} /> },
];

/** Checks the file, or starts. The text stays in the form. */
async function send(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { form } = visit;
  const caller = visit.permitted(...CHANGE);
  try {
    const file = form.get("File");
    form.delete("File");
    if (file) form.set("Csv", textIn(file));
    const { Csv = "" } = IMPORT_DATA.parse({ Csv: form.get("Csv") ?? "" });
    if (form.get("invite") !== "true") return formPage(visit, formOf({ Csv }), await deps.imports.check(caller, Csv));
    const { Id } = await deps.imports.create(caller, Csv);
    return visit.goTo(`${IMPORTS}/${Id}`, "The people are being invited. You can leave this page.");
  } catch (error) {
    return formPage(visit, refusedForm(form, error, ["Csv"], { Csv: "The file" }));
  }
}

/** @param file as a `data:` address @throws BadInput if it is not UTF-8 */
function textIn(file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(file.slice(file.indexOf(",") + 1), "base64"));
  } catch {
    const Message = "Csv: it is not UTF-8. Save it as CSV UTF-8.";
    throw BadInput.in([{ Field: "Csv", Message }]);
  }
}

async function importPage({ imports }: ConsoleServices, visit: Visit): Promise<View> {
  const one = await imports.read(visit.permitted(...READ), visit.params.id!);
  const { Id, State, Total, Done, Invited, Skipped, EndedOn } = one;
  const isOpen = EndedOn === null;
  const skipped = Done - Invited;
  return {
    title: "Import of invitations",
    above: BELOW,
    body: (
      <Live visit={visit} id="progress" seconds={REFRESH_SECONDS} isFinal={!isOpen}>
        <RunSection
          visit={visit}
          title={inNumbers(Done, Total)}
          label="People who are invited or skipped"
          run={one}
          facts={[
            ["State", <Badge state={State} spoken />],
            ["Invited", <Text text={counted(Invited)} />],
            ["Skipped", <Text text={counted(skipped)} />],
          ]}
        >
          {isOpen && visit.may("Settings:Update", IMPORT.name, one) && (
            <RunButtons
              visit={visit}
              action={`${IMPORTS}/${Id}`}
              isRunning={State === "Running"}
              question={askToCancel(one)}
            />
          )}
        </RunSection>
        <ListSection
          title="Skipped"
          caption="People who were not invited"
          columns={SKIPPED_COLUMNS}
          rows={Skipped}
          none="No line was skipped."
          buttons={skipped > 0 && <Exports visit={visit} path={`${IMPORTS}/${Id}/report`} />}
        >
          {skipped > Skipped.length && (
            <p safe>{`These are the first ${Skipped.length}. The export has all of them.`}</p>
          )}
        </ListSection>
      </Live>
    ),
  };
}

const SKIPPED_COLUMNS: Column<ImportRecord["Skipped"][number]>[] = [
  { name: "Line of the file", numeric: true, cell: ({ Row }) => <Text text={counted(Row)} /> },
  { name: "Reason", cell: ({ Reason }) => <Text text={Reason} /> },
];

function askToCancel({ Id }: ImportRecord): Confirmation {
  return {
    title: "Cancel the rest?",
    above: [...BELOW, { name: "Import of invitations", path: `${IMPORTS}/${Id}` }],
    effects: ["People who were invited stay invited; the others get no mail.", "It cannot be resumed."],
    confirm: "Cancel it",
    keep: "Keep running",
    back: `${IMPORTS}/${Id}`,
  };
}

async function pauseOrResume({ imports }: ConsoleServices, visit: Visit): Promise<Response> {
  const { State } = IMPORT_CHANGE.parse({ State: visit.form.get("State") ?? "" });
  if (State !== "Paused" && State !== "Running") throw new BadInput("State must be Running or Paused.");
  await imports.change(visit.permitted(...CHANGE), visit.params.id!, State);
  return visit.goTo(`${IMPORTS}/${visit.params.id}`, `The import ${State === "Paused" ? "is paused" : "continues"}.`);
}

async function report({ imports }: ConsoleServices, visit: Visit): Promise<Response> {
  const { filters } = readAsked({ Format: formatFilter }, visit.url.searchParams);
  return exportResponse(await imports.report(visit.permitted(...READ), visit.params.id!, filters.Format));
}

const counted = (count: number) => count.toLocaleString("en");
const inNumbers = (done: number, total: number) => `${counted(done)} of ${counted(total)}`;
const people = (count: number) => (count === 1 ? "1 person" : `${counted(count)} people`);
