// Erases a user: shows what would be removed, and asks for the user name. Of a deleted user only the Id is known.

import { ERASE_DATA } from "../../data/index.ts";
import { BadInput, NotFound } from "../../platform/errors.ts";
import { asTyped, TEXT_LIMIT } from "../../platform/text.ts";
import { Fields, ISSUED_TOKENS, phrase } from "../../ui/index.ts";
import { type Confirmation, type ConsolePage, type ConsoleServices, confirming, type Visit } from "../page.tsx";
import { Counted, ERASE, ERASURES } from "./erasures.tsx";
import { aboveOf, type Person, pathOf, readPerson, titleOf, USERS } from "./person.tsx";

const LABELS = { Deliveries: "Open deliveries", Username: "User name" };
const CHOICES = [
  { value: "Send", label: "Send them first" },
  { value: "Cancel", label: "Cancel them" },
];
const WAITING =
  "The erasure waits for those that are sent, also while they are Held. Its own Deleted and Erased are always sent.";

interface AskedErasure extends Confirmation {
  counts: Record<string, number>;
  /** The word that the visitor must type to confirm. */
  word: string;
}

async function askToErase(deps: ConsoleServices, visit: Visit): Promise<AskedErasure> {
  const person = await readPerson(deps, visit).catch((error) => {
    if (!(error instanceof NotFound)) throw error;
  });
  const id = visit.params.id!;
  const { Counts } = await deps.erasures.preview(visit.permitted(ERASE), id);
  const word = person?.Username || id;
  const label = person?.Username ? LABELS.Username : "Id";
  const { begin, ...about } = person ? ofUser(person) : ofDeletedUser(id);
  return {
    ...about,
    effects: [
      ...begin,
      "Then payloads and receivers' answers with the person's data are removed, and addresses and user agents in the audit log.",
      "Webhook connections that listen to User get the Id and the External Id alone.",
      "It cannot be undone. A certificate says what was removed.",
    ],
    basis: [person, Counts],
    counts: Counts,
    word,
    form: {
      labels: { ...LABELS, Username: label },
      fields: (state) => (
        <>
          <Counted counts={Counts} />
          <Fields
            state={state}
            fields={{
              Deliveries: { label: LABELS.Deliveries, hint: WAITING, options: CHOICES },
              Username: { label, hint: `To confirm, type: ${word}`, required: true },
            }}
          />
        </>
      ),
    },
  };
}

function ofUser(person: Person) {
  return {
    title: "Erase this user?",
    above: aboveOf(person),
    begin: [
      phrase`${titleOf(person)} is signed out everywhere and deleted, with all that is counted here.`,
      ISSUED_TOKENS,
    ],
    confirm: "Erase this user",
    keep: "Keep the user",
    back: pathOf(person),
  };
}

function ofDeletedUser(id: string) {
  return {
    title: `Erase the data of deleted user ${id}?`,
    above: [{ name: "Erasures", path: ERASURES }],
    begin: ["The user was deleted earlier. All data counted here is removed."],
    confirm: "Erase the data",
    keep: "Keep the data",
    back: ERASURES,
  };
}

/** Texts that look the same are typed the same: spaces collapse on a page, and keyboards compose accents. */
function asSeen(given: string): string | undefined {
  return asTyped(given, TEXT_LIMIT).text?.replace(/\s+/g, " ");
}

export function erasePage(deps: ConsoleServices): ConsolePage {
  return confirming<AskedErasure>({
    path: `${USERS}/:id/erase`,
    isLinked: true,
    needs: ["AccessManager:Read", ERASE],
    ask: (visit) => askToErase(deps, visit),
    async act(visit, { counts, word, form }) {
      if (asSeen(visit.form.get("Username") ?? "") !== asSeen(word)) {
        throw new BadInput(`Username: type the ${form!.labels.Username} of the user to erase.`);
      }
      const wish = ERASE_DATA.parse({ Deliveries: visit.form.get("Deliveries") });
      const { Id } = await deps.erasures.erase(visit.permitted(ERASE), visit.params.id!, wish, counts);
      return visit.goTo(
        `${ERASURES}/${Id}`,
        "The user is deleted. The erasure of the other data continues. You can leave this page.",
      );
    },
  });
}
