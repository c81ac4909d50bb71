import { type InitialTokenRecord, MAX_INITIAL_TOKENS, NEW_TOKEN_BODY } from "../identity/index.ts";
import { NotFound } from "../platform/errors.ts";
import {
  askColumn,
  Code,
  type Column,
  Fields,
  Form,
  type FormState,
  formOf,
  List,
  phrase,
  refusedForm,
  Section,
  Text,
  Time,
} from "../ui/index.ts";
import {
  type Confirmation,
  type ConsolePage,
  type ConsoleServices,
  confirming,
  handlersOf,
  type View,
} from "./page.tsx";
import { Value } from "./records/records.tsx";
import type { Visit } from "./visit.ts";

export const REGISTRATION_TOKENS = "/settings/registration-tokens";
const DELETE = `${REGISTRATION_TOKENS}/delete`;
export const ORGANISATION = "/settings/organisation";
const TITLE = "Initial access tokens";
const FIELDS = {
  Name: { label: "Name", hint: "Distinguishes it from others, such as by its recipient.", required: false },
  Uses: { label: "Applications", hint: "How many applications can register with it.", type: "number", required: true },
  Lifetime: { label: "Days", hint: "Its lifetime.", type: "number", required: true },
} as const;
const DAY = 86_400;

export function registrationTokenPages(deps: ConsoleServices): ConsolePage[] {
  const on = handlersOf(deps);
  return [
    {
      path: REGISTRATION_TOKENS,
      GET: on(["Settings:Read"], tokensPage),
      POST: on(["Settings:Read", "Settings:Update"], make),
    },
    confirming({
      path: DELETE,
      needs: ["Settings:Read", "Settings:Update"],
      async ask(visit) {
        const { Items } = await deps.initialTokens.list(visit.permitted("Settings:Read"));
        const token = Items.find(({ Id }) => Id === visit.form.get("Id"));
        if (!token) throw new NotFound("The token does not exist or can no longer be used.");
        return askToDelete(token);
      },
      async act(visit) {
        await deps.initialTokens.remove(visit.permitted("Settings:Update"), visit.form.get("Id") ?? "");
        return visit.goTo(REGISTRATION_TOKENS, "The token is deleted.");
      },
    }),
  ];
}

async function tokensPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const { Items } = await deps.initialTokens.list(visit.permitted("Settings:Read"));
  const made = refused ? undefined : deps.once.take(visit)?.Token;
  const state = refused ?? formOf({ Uses: "1", Lifetime: "7" });
  const mayMake = visit.may("Settings:Update", "RegistrationToken", { Id: "", Name: "" });
  return {
    title: TITLE,
    above: [{ name: "Organisation", path: ORGANISATION }],
    status: refused ? 422 : 200,
    lead: (
      <p class="fine">
        With these tokens applications can register themselves (RFC 7591), if the{" "}
        <a href={visit.href(ORGANISATION)}>organisation</a> allows it.
      </p>
    ),
    body: (
      <>
        {!!made && (
          <Section title="The new token">
            <p role="status">Store it now: it is not shown again.</p>
            <Code kept text={made} />
          </Section>
        )}
        <List
          visit={visit}
          caption={TITLE}
          found={{ page: { Items, Next: null, Hidden: 0 } }}
          columns={columns(visit)}
          empty={{ none: ["No tokens"] }}
        />
        {mayMake && Items.length < MAX_INITIAL_TOKENS && (
          <Section title="Create one">
            <Form visit={visit} action={REGISTRATION_TOKENS} state={state} submit="Create the token">
              <Fields state={state} fields={FIELDS} />
            </Form>
          </Section>
        )}
      </>
    ),
  };
}

function columns(visit: Visit): Column<InitialTokenRecord>[] {
  return [
    { name: "Name", cell: ({ Name }) => <Value text={Name} /> },
    { name: "Uses left", cell: ({ UsesLeft }) => <Text text={UsesLeft.toLocaleString("en")} />, numeric: true },
    { name: "Valid until", cell: ({ ExpiresOn }) => <Time at={ExpiresOn} /> },
    { name: "Made", cell: ({ CreatedOn }) => <Time at={CreatedOn} /> },
    ...askColumn<InitialTokenRecord>(visit, visit.may("Settings:Update"), "Delete it", (token) => ({
      action: DELETE,
      label: "Delete",
      question: askToDelete(token),
    })),
  ];
}

async function make(deps: ConsoleServices, visit: Visit): Promise<View | Response> {
  const { form } = visit;
  try {
    const [uses, days] = [Number(form.get("Uses")), Number(form.get("Lifetime"))];
    const Name = (form.get("Name") ?? "").trim();
    const input = NEW_TOKEN_BODY.parse({ Name, Uses: uses, Lifetime: Math.round(days * DAY) });
    const { Token } = await deps.initialTokens.make(visit.permitted("Settings:Update"), input);
    return deps.once.goTo(visit, REGISTRATION_TOKENS, { Token: Token! });
  } catch (error) {
    return tokensPage(deps, visit, refusedForm(form, error, FIELDS, LABELS));
  }
}

const LABELS = { Uses: "Applications", Lifetime: "The lifetime in seconds" };

function askToDelete({ Id, Name }: InitialTokenRecord): Confirmation {
  return {
    title: Name ? phrase`The token ${Name}: delete it?` : "Delete this token?",
    above: [{ name: TITLE, path: REGISTRATION_TOKENS }],
    effects: ["No application can register with it any more.", "Registered applications stay."],
    confirm: "Delete token",
    fields: { Id },
    back: REGISTRATION_TOKENS,
  };
}
