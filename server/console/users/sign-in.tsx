// A User's password link and second factor.

import { type FactorRecord, noFactor } from "../../identity/index.ts";
import { ActionButton, ButtonLink, Code, phrase, Section, Time } from "../../ui/index.ts";
import {
  type ConsolePage,
  type ConsoleServices,
  confirming,
  Done,
  messageView,
  type View,
  type Visit,
} from "../page.tsx";
import type { OfPerson } from "./belongings.tsx";
import { aboveOf, pathOf, readPerson, titleOf, USERS } from "./person.tsx";

interface SignInSectionProps extends OfPerson {
  factor: FactorRecord | undefined;
}

export function SignInSection({ visit, person, factor, mayChange }: SignInSectionProps): JSX.Element {
  const path = pathOf(person);
  return (
    <Section
      title="Signing in"
      id="sign-in"
      facts={[["Second factor", <SecondFactor factor={factor} />]]}
      buttons={
        mayChange && (
          <>
            {!!person.Username && (
              <ActionButton visit={visit} action={`${path}/password-link`} label="Create password link" />
            )}
            {!!factor && <ButtonLink href={visit.href(`${path}/second-factor/remove`)} label="Remove second factor" />}
          </>
        )
      }
    >
      {person.Username ? "" : <p class="fine">A user without a user name cannot sign in.</p>}
    </Section>
  );
}

function SecondFactor({ factor }: { factor: FactorRecord | undefined }): JSX.Element {
  if (!factor) return <span class="none">none</span>;
  return (
    <>
      Authenticator app, since <Time at={factor.EnrolledOn} />
      <small safe>{` · ${factor.RecoveryCodes} recovery codes are left`}</small>
    </>
  );
}

/** The link is in the response to the form itself, because it is not stored. */
export async function makePasswordLink(deps: ConsoleServices, visit: Visit): Promise<View> {
  const person = await readPerson(deps, visit);
  const { Url, ExpiresOn } = await deps.users.makePasswordReset(visit.permitted("Settings:Update"), String(person.Id));
  return messageView({
    title: "Password link",
    above: aboveOf(person),
    text: (
      <>
        <p>
          Give this link to <strong safe>{titleOf(person)}</strong> only. It is not shown again.
        </p>
        <Code text={Url} kept />
        <p>
          It can be used once, until <Time at={ExpiresOn} />. A new link replaces it. Setting a password with it signs
          the user out everywhere else.
        </p>
      </>
    ),
    buttons: <Done visit={visit} path={pathOf(person)} />,
  });
}

export function removeFactorPage(deps: ConsoleServices): ConsolePage {
  return confirming({
    path: `${USERS}/:id/second-factor/remove`,
    isLinked: true,
    needs: ["AccessManager:Read", "Settings:Read", "Settings:Update"],
    async ask(visit) {
      const person = await readPerson(deps, visit);
      const factor = await deps.users.findSecondFactor(visit.permitted("Settings:Read"), String(person.Id));
      if (!factor) throw noFactor();
      return {
        title: "Remove the second factor?",
        above: aboveOf(person),
        effects: [
          phrase`${titleOf(person)} signs in with only a password, unless all users need a second factor.`,
          "The authenticator app and all recovery codes stop working.",
          "First verify by other means that this person requests it.",
        ],
        confirm: "Remove second factor",
        basis: factor.EnrolledOn,
        back: pathOf(person),
      };
    },
    async act(visit) {
      await deps.users.removeSecondFactor(visit.permitted("Settings:Update"), visit.params.id!);
      return visit.goTo(`${USERS}/${visit.params.id}`, "The second factor is removed.");
    },
  });
}
