import { LOGOUT_ID, type LogoutRecord } from "../../identity/index.ts";
import { firstPage, readId } from "../../platform/http/query.ts";
import { ActionButton, Badge, type Column, EmptyState, Link, ListSection, Live, Time } from "../../ui/index.ts";
import { Words } from "../failure-words.tsx";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { hrefOfWorkflow } from "../workflow.tsx";
import { APPLICATIONS, type Application, pathOf, readApplication, tabOf } from "./application.ts";
import { mayChangeCredentials } from "./credentials.tsx";

/** The maximum number on the page; the API lists all. */
const MAX_SHOWN = 20;
const REFRESH_SECONDS = 2;

export async function logoutsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const application = await readApplication(deps, visit);
  const permitted = visit.permitted("Settings:Read");
  const { record } = await deps.credentials.read(permitted, Number(application.Id));
  const logouts = (await deps.logouts.list(permitted, Number(application.Id), firstPage(MAX_SHOWN))).Items;
  const maySend = Boolean(record.BackchannelLogoutUri) && mayChangeCredentials(visit, application, record);
  const isFinal = !logouts.some(isOpen);
  return {
    ...tabOf(application),
    body: (
      <>
        <Live visit={visit} id="logouts" seconds={REFRESH_SECONDS} isFinal={isFinal}>
          {record.BackchannelLogoutUri || logouts.length > 0 ? (
            <ListSection
              title="Logouts"
              caption="The last logouts, newest first"
              columns={columns(visit, application, maySend)}
              rows={logouts}
              none="None of its users has signed out yet."
            />
          ) : (
            <EmptyState title="It is not notified of sign-outs">
              <p>With a back-channel logout URL, it is called when one of its users signs out.</p>
            </EmptyState>
          )}
        </Live>
      </>
    ),
  };
}

const isOpen = ({ State }: LogoutRecord) => State === "Pending" || State === "Retrying";

function columns(visit: Visit, application: Application, maySend: boolean): Column<LogoutRecord>[] {
  const path = `${pathOf(application)}/logouts`;
  const again = (logout: LogoutRecord) =>
    isOpen(logout) ? "" : <ActionButton visit={visit} action={`${path}/${logout.Id}/redeliver`} label="Send again" />;
  return [
    { name: "When", cell: ({ CreatedOn }) => <Time at={CreatedOn} /> },
    {
      name: "Who",
      cell: ({ UserId }) => <Link href={visit.href(`/settings/users/${UserId}`)} text={`User ${UserId}`} />,
    },
    { name: "State", cell: ({ State }) => <Badge state={State} /> },
    { name: "Attempts", cell: (logout) => <Attempts logout={logout} /> },
    { name: "Temporal", cell: (logout) => <a href={hrefOfWorkflow(visit, logout)}>workflow</a> },
    ...(maySend ? [{ name: "Send it again", cell: again }] : []),
  ];
}

function Attempts({ logout: { Attempts } }: { logout: LogoutRecord }): JSX.Element {
  if (Attempts.length === 0) return <span class="none">none yet</span>;
  const words = Attempts.map(({ StatusCode, Failure }) => String(Failure ?? StatusCode ?? "in progress"));
  return <Words text={words.join(", ")} />;
}

export async function redeliverLogout({ logouts }: ConsoleServices, visit: Visit): Promise<Response> {
  const id = readId("Application", visit.params.id!);
  await logouts.redeliver(visit.permitted("Settings:Update"), id, LOGOUT_ID.read(visit.params.logout!));
  return visit.goTo(`${APPLICATIONS}/${id}/logouts`, "The logout is being sent again.");
}
