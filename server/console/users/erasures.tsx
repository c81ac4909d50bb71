import { ERASE_DATA, type ERASURE } from "../../data/index.ts";
import { BadInput, NotFound } from "../../platform/errors.ts";
import { exportResponse } from "../../platform/http/export.ts";
import type { RecordOf } from "../../platform/http/fields.ts";
import type { Page } from "../../platform/http/query.ts";
import {
  AskButton,
  Badge,
  ButtonLink,
  Code,
  type Column,
  Facts,
  find,
  Link,
  List,
  Live,
  Section,
  Text,
  Time,
} from "../../ui/index.ts";
import {
  type Confirmation,
  type ConsolePage,
  type ConsoleServices,
  confirming,
  handlersOf,
  type View,
} from "../page.tsx";
import { lookUpNames, type NameOf } from "../records/names.ts";
import { RecordLink } from "../records/record-link.tsx";
import { pagingOf } from "../records/records.tsx";
import type { Visit } from "../visit.ts";
import { USERS } from "./person.tsx";

type ErasureRecord = RecordOf<typeof ERASURE.field>;

export const ERASE = "AccessManager:Erase";
export const ERASURES = "/settings/erasures";
const REFRESH_SECONDS = 2;
const READ = ["AccessManager:Read"] as const;
const ABOVE = [{ name: "Users", path: USERS }];

export function erasurePages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  const one = `${ERASURES}/:id`;
  return [
    { path: ERASURES, GET: on(READ, listPage) },
    { path: one, shows: "Erasure", GET: on(READ, erasurePage) },
    { path: `${one}/certificate.jwt`, GET: on(READ, certificateFile) },
    confirming({
      path: `${one}/cancel`,
      needs: [...READ, ERASE],
      ask: async (visit) => askToCancel(await read(deps, visit)),
      async act(visit, { userId, back }) {
        await deps.erasures.erase(visit.permitted(ERASE), userId, ERASE_DATA.parse({ Deliveries: "Cancel" }));
        return visit.goTo(back, "The deliveries are being cancelled.");
      },
    }),
  ];
}

const read = ({ erasures }: ConsoleServices, visit: Visit) => erasures.read(visit.permitted(...READ), visit.params.id!);

async function certificateOf({ erasures }: ConsoleServices, visit: Visit): Promise<string> {
  return (await erasures.certify(visit.permitted(...READ), visit.params.id!)).Certificate;
}

const FIND = [{ name: "UserId", label: "Id of a deleted user" }];

/** For the data of a user who was deleted without it. @throws BadInput */
async function requireDeleted({ erasures }: ConsoleServices, visit: Visit, userId: string): Promise<Page<never>> {
  try {
    await erasures.preview(visit.permitted(ERASE), userId);
    return { Items: [], Next: null, Hidden: 0 };
  } catch (error) {
    throw error instanceof NotFound ? new BadInput(`UserId: ${error.message}`) : error;
  }
}

async function listPage(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const userId = visit.url.searchParams.get("UserId")?.trim();
  const found = await find(visit, FIND, async () => {
    if (userId) return requireDeleted(deps, visit, userId);
    return deps.erasures.list(visit.permitted(...READ), {}, pagingOf(visit));
  });
  if (userId && !found.problems) return visit.goTo(`${USERS}/${userId}/erase`);
  const name = await lookUpNames(
    visit,
    found.page.Items.map(({ CreatedBy }) => CreatedBy),
  );
  return {
    title: "Erasures",
    above: ABOVE,
    status: found.status,
    body: (
      <List
        visit={visit}
        caption="Erasures, newest first"
        filters={visit.may(ERASE) ? FIND : []}
        action="Find data"
        found={found}
        columns={columns(visit, name)}
        empty={{
          none: ["No erasures yet", "Erase a user from the user's page. The certificate is then here."],
        }}
      />
    ),
  };
}

const columns = (visit: Visit, name: NameOf): Column<ErasureRecord>[] => [
  { name: "Erased", cell: ({ Id, UserId }) => <Link href={visit.href(`${ERASURES}/${Id}`)} text={`User ${UserId}`} /> },
  { name: "State", cell: ({ State }) => <Badge state={State} /> },
  { name: "Begun", cell: ({ CreatedOn }) => <Time at={CreatedOn} ago /> },
  { name: "By", cell: ({ CreatedBy }) => <RecordLink visit={visit} one={CreatedBy} name={name} /> },
];

async function erasurePage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const erasure = await read(deps, visit);
  const { UserId, State, Removed, CreatedOn, CreatedBy, EndedOn } = erasure;
  const isRunning = State === "Running";
  const name = await lookUpNames(visit, [CreatedBy]);
  return {
    title: `Erasure of User ${UserId}`,
    above: [...ABOVE, { name: "Erasures", path: ERASURES }],
    body: (
      <Live visit={visit} id="erasure" seconds={REFRESH_SECONDS} isFinal={!isRunning}>
        <Section
          title="Progress"
          facts={[
            ["State", <Badge state={State} spoken />],
            ["Begun", <Time at={CreatedOn} />],
            ["By", <RecordLink visit={visit} one={CreatedBy} name={name} />],
            EndedOn ? ["Ended", <Time at={EndedOn} />] : ["Now", <Text text={erasure.Reason!} />],
          ]}
        >
          <CancelButton visit={visit} erasure={erasure} />
        </Section>
        <Section title={isRunning ? "Counted at the start" : "Removed"}>
          <Counted counts={Removed} />
        </Section>
        {isRunning ? "" : <Certificate visit={visit} text={await certificateOf(deps, visit)} />}
      </Live>
    ),
  };
}

/** @example "KnownBrowsers" is shown as "Known browsers" */
export function Counted({ counts }: { counts: ErasureRecord["Removed"] }): JSX.Element {
  const inWords = (kind: string) => kind.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <Facts brief facts={found.map(([kind, count]) => [inWords(kind), <Text text={count.toLocaleString("en")} />])} />
  );
}

function Certificate({ visit, text }: { visit: Visit; text: string }): JSX.Element {
  return (
    <Section
      title="Certificate"
      buttons={<ButtonLink href={visit.href(`${visit.url.pathname}/certificate.jwt`)} label="Download" />}
    >
      <p>These facts and counts as a JWT, signed by a key of the key set.</p>
      <Code kept text={text} />
    </Section>
  );
}

async function certificateFile(deps: ConsoleServices, visit: Visit): Promise<Response> {
  const body = new Blob([await certificateOf(deps, visit)]).stream();
  return exportResponse({ type: "application/jwt", fileName: `erasure-${visit.params.id}.jwt`, body });
}

function CancelButton({ visit, erasure }: { visit: Visit; erasure: ErasureRecord }): JSX.Element {
  const { UserId, State, Deliveries } = erasure;
  if (State !== "Running" || Deliveries !== "Send" || !visit.may(ERASE, "User", { Id: Number(UserId) })) return "";
  return (
    <AskButton
      visit={visit}
      action={`${visit.url.pathname}/cancel`}
      label="Cancel the deliveries"
      kind="danger"
      question={askToCancel(erasure)}
    />
  );
}

function askToCancel({ Id, UserId, State }: ErasureRecord): Confirmation & { userId: string } {
  if (State !== "Running") throw new NotFound("The erasure has ended: there is nothing to cancel.");
  const back = `${ERASURES}/${Id}`;
  return {
    title: "Cancel the deliveries?",
    above: [...ABOVE, { name: `Erasure of User ${UserId}`, path: back }],
    effects: [
      "Deliveries about this user are not sent, except for an attempt that is in flight.",
      "Receivers still get Deleted and Erased of this erasure. It waits for these only, also while they are Held.",
    ],
    confirm: "Cancel them",
    keep: "Wait for them",
    userId: UserId,
    back,
  };
}
