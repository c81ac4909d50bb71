import type { SessionRecord } from "../../identity/index.ts";
import type { Page } from "../../platform/http/query.ts";
import { ButtonLink, ISSUED_TOKENS, List, phrase, Text, Time } from "../../ui/index.ts";
import { type ConsolePage, type ConsoleServices, confirming, type View, type Visit } from "../page.tsx";
import { pagingOf } from "../records/records.tsx";
import { belonging, type OfPerson } from "./belongings.tsx";
import { aboveOf, pathOf, readPerson, titleOf, USERS } from "./person.tsx";

const sessions = belonging<SessionRecord>({
  title: "Where signed in",
  id: "sessions",
  noun: "session",
  verb: "End",
  none: "Nowhere.",
  titleOf: ({ Device }) => Device,
  columns: () => [
    { name: "Browser", cell: ({ Device }) => <Text text={Device} /> },
    { name: "Address", cell: ({ Address }) => <Text text={Address} /> },
    { name: "Factors", cell: ({ Acr }) => <Text text={Acr === "2" ? "two" : "one"} /> },
    { name: "Signed in", cell: ({ StartedOn }) => <Time at={StartedOn} ago /> },
    { name: "Last seen", cell: ({ LastSeen }) => <Time at={LastSeen} ago /> },
  ],
  ask: ({ Device }) => ({
    title: phrase`End the sign-in in ${Device}?`,
    effects: ["That browser is signed out.", "Its refresh tokens and their access tokens end with it.", ISSUED_TOKENS],
    confirm: "End this sign-in",
  }),
  find: ({ users }, by, userId, id) => users.readSession(by, userId, id),
  async remove({ users }, by, userId, id) {
    const { Device } = await users.endSession(by, userId, id);
    return `The sign-in in ${Device} is ended, and its refresh tokens with it.`;
  },
});

export function sessionsSection(of: OfPerson, { Items, Next }: Page<SessionRecord>): JSX.Element {
  const path = of.visit.href(`${pathOf(of.person)}/sessions`);
  return sessions.section(
    of,
    Items,
    <>
      {Next !== null && <ButtonLink href={path} label="All browsers" />}
      {of.mayChange && <ButtonLink href={`${path}/end`} label="End all sign-ins" />}
    </>,
  );
}

export async function sessionsPage(deps: ConsoleServices, visit: Visit): Promise<View> {
  const person = await readPerson(deps, visit);
  const page = await deps.users.listSessions(visit.permitted("Settings:Read"), String(person.Id), pagingOf(visit));
  const mayChange = visit.may("Settings:Update", "User", { ...person });
  const { title, columns } = sessions;
  return {
    title,
    above: aboveOf(person),
    body: <List visit={visit} caption={title} found={{ page }} columns={columns({ visit, person, mayChange })} />,
  };
}

export function sessionPages(deps: ConsoleServices): ConsolePage[] {
  return [
    sessions.removal(deps),
    confirming({
      path: `${USERS}/:id/sessions/end`,
      isLinked: true,
      needs: ["AccessManager:Read", "Settings:Read", "Settings:Update"],
      async ask(visit) {
        const person = await readPerson(deps, visit);
        return {
          title: "End all sign-ins?",
          above: aboveOf(person),
          effects: [
            phrase`${titleOf(person)} is signed out in every browser.`,
            "All applications lose their refresh and access tokens for this person.",
            ISSUED_TOKENS,
            "The password stays valid. If someone else knows it, create a password link as well.",
          ],
          confirm: "End all sign-ins",
          back: pathOf(person),
          keep: "Keep them",
        };
      },
      async act(visit) {
        const ended = await deps.users.endSessions(visit.permitted("Settings:Update"), visit.params.id!);
        const notice = ended === 1 ? "One sign-in is ended" : `${ended} sign-ins are ended`;
        return visit.goTo(`${USERS}/${visit.params.id}`, `${notice}, and all refresh tokens with it.`);
      },
    }),
  ];
}
