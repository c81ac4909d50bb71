// "Try it": runs the authorization code flow with an application, step by step. The visitor signs in and sees what the
// application would get. Tokens are decoded and revoked at once.

import {
  type ApiRecord,
  CREDENTIALS,
  type CredentialsRecord,
  newOpaqueValue,
  type TrialOutcome,
} from "../../identity/index.ts";
import { BadInput, Conflict } from "../../platform/errors.ts";
import { UNCONDITIONAL } from "../../platform/http/conditions.ts";
import { isOwnScope, SCOPE_TEXTS } from "../../records/index.ts";
import {
  ActionButton,
  ButtonLink,
  Code,
  Fields,
  Form,
  type FormState,
  formOf,
  Hidden,
  type Option,
  phrase,
  refusedForm,
  Section,
  SelectField,
  TextField,
} from "../../ui/index.ts";
import type { ConsoleServices, View, Visit } from "../page.tsx";
import { apisOf, scopeOptions } from "../settings/apis.tsx";
import { bindingsOf, readState, writeState } from "../state.ts";
import { type Application, pathOf, readApplication, tabOf } from "./application.ts";
import { AnswerStep, Outcome, RequestStep, Step } from "./try-it-steps.tsx";

/** Seconds until the visitor must return, as long as a code is valid. */
const TRIAL_LIFETIME = 600;

interface Tried {
  application: Application;
  client: CredentialsRecord;
  redirectUri: string;
}

async function readTried(deps: ConsoleServices, visit: Visit): Promise<Tried> {
  const application = await readApplication(deps, visit);
  const { record } = await deps.credentials.read(visit.permitted("Settings:Read"), Number(application.Id));
  return { application, client: record, redirectUri: `${deps.publicUrl}${tryPath(application)}/callback` };
}

const SCOPES = "openid gives an id_token and userinfo. An API's scopes require choosing the API above.";
const tryPath = (application: Application) => `${pathOf(application)}/try-it`;
const isRegistered = ({ client, redirectUri }: Tried) => client.RedirectUris.includes(redirectUri);

export async function tryPage(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const tried = await readTried(deps, visit);
  const { application, client } = tried;
  const apis = (await apisOf(deps, visit)).filter(({ Scopes }) =>
    Scopes.some(({ Name }) => client.Scopes.includes(Name)),
  );
  const state = refused ?? formOf({ Scopes: client.Scopes.filter((scope) => !scope.includes(":")) });
  return view(
    tried,
    refused ? 422 : 200,
    !client.GrantTypes.includes("authorization_code") ? (
      <Section title="Users do not sign in to it">
        <p>It has no grant authorization_code, so there is nothing to try.</p>
      </Section>
    ) : !isRegistered(tried) ? (
      <Section title="Before the first time">
        <p>
          The response returns to this page, so the application needs its address as a redirect URI. Remove it when you
          are done.
        </p>
        <RedirectUri visit={visit} tried={tried} label="Add the redirect URI" />
      </Section>
    ) : (
      <>
        <Section title="Request">
          <Form visit={visit} action={tryPath(application)} state={state} submit="Create the request">
            {apis.length > 0 && (
              <SelectField
                state={state}
                name="Resource"
                label="For"
                hint="The API that accepts the access token."
                options={[
                  { value: "", label: "Gatehouse itself" },
                  ...apis.map(({ Name, Audience }) => ({ value: Audience, label: phrase`${Name} (${Audience})` })),
                ]}
              />
            )}
            <Fields
              state={state}
              fields={{ Scopes: { label: "Scopes", hint: SCOPES, options: optionsOf(client, apis), isSeveral: true } }}
            />
          </Form>
        </Section>
        <Section title="When you are done">
          <RedirectUri visit={visit} tried={tried} label="Remove the redirect URI" />
        </Section>
      </>
    ),
  );
}

function optionsOf({ Scopes }: CredentialsRecord, apis: readonly ApiRecord[]): Option[] {
  const ofApis = scopeOptions(apis).filter(({ value }) => Scopes.includes(value));
  const own = Scopes.filter(isOwnScope).map((scope) => ({ value: scope, label: scope, text: SCOPE_TEXTS[scope] }));
  return [...own, ...ofApis];
}

function RedirectUri({ visit, tried, label }: { visit: Visit; tried: Tried; label: string }): JSX.Element {
  return (
    <>
      <p>
        <Code text={tried.redirectUri} copy />
      </p>
      <div class="buttons">
        <ActionButton visit={visit} action={`${tryPath(tried.application)}/redirect-uri`} label={label} />
      </div>
    </>
  );
}

export async function setRedirectUri(deps: ConsoleServices, visit: Visit): Promise<Response> {
  const tried = await readTried(deps, visit);
  const { application, client, redirectUri } = tried;
  const others = client.RedirectUris.filter((uri) => uri !== redirectUri);
  const body = { RedirectUris: isRegistered(tried) ? others : [...others, redirectUri] };
  const by = visit.permitted("Settings:Update");
  const input = CREDENTIALS.parse(body);
  await deps.credentials.change(by, Number(application.Id), input, UNCONDITIONAL, body);
  return visit.goTo(tryPath(application), `The redirect URI is ${isRegistered(tried) ? "removed" : "added"}.`);
}

export async function beginTrial(deps: ConsoleServices, visit: Visit): Promise<View> {
  const tried = await readTried(deps, visit);
  const scopes = visit.form.getAll("Scopes");
  const resource = visit.form.get("Resource") ?? "";
  if (!scopes.every((scope) => tried.client.Scopes.includes(scope))) {
    const failure = BadInput.in([
      { Field: "Scopes", Message: "Scopes contains one that the application does not have." },
    ]);
    return tryPage(deps, visit, refusedForm(visit.form, failure, ["Scopes"]));
  }
  const seed = newOpaqueValue();
  visit.formCookies.push(deps.cookies.set("try-it", seed, TRIAL_LIFETIME));
  const [userId, scope] = [userOf(visit), scopes.join(" ")];
  const state = writeState(seed, JSON.stringify({ userId, applicationId: tried.application.Id, scope, resource }));
  const { path, parameters } = requestOf(deps, tried, { seed, scope, resource, state });
  return view(
    tried,
    200,
    <>
      <RequestStep parameters={parameters} />
      <div class="buttons">
        <ButtonLink href={visit.href(`${path}?${parameters}`)} label="Send the browser there" kind="main" />
      </div>
    </>,
  );
}

/** A trial belongs to one user in one browser; a response of another user is not shown. */
interface Begun {
  seed: string;
  scope: string;
  resource: string;
  state: string;
}

/** @throws Conflict if it began elsewhere */
function begunHere({ cookies }: ConsoleServices, visit: Visit, { application }: Tried, state: string): Begun {
  const seed = cookies.read(visit.request, "try-it");
  const text = seed && readState(seed, state);
  const { userId, applicationId, scope, resource } = JSON.parse(text || "{}");
  if (!seed || userId !== userOf(visit) || applicationId !== application.Id) {
    throw new Conflict(
      "This response does not belong to a request of this browser from the last ten minutes. Start again.",
    );
  }
  return { seed, scope, resource, state };
}

const userOf = (visit: Visit) => visit.session.userId;

export async function comeBack(deps: ConsoleServices, visit: Visit, refused?: FormState): Promise<View> {
  const tried = await readTried(deps, visit);
  const given = visit.request.method === "POST" ? visit.form : visit.url.searchParams;
  const begun = begunHere(deps, visit, tried, given.get("state") ?? "");
  const { parameters } = requestOf(deps, tried, begun);
  const [code, error] = [given.get("code"), given.get("error")];
  return view(
    tried,
    refused ? 422 : 200,
    <>
      <RequestStep parameters={parameters} />
      <AnswerStep issuer={deps.publicUrl} given={given} />
      {code === null || error !== null ? (
        <Again visit={visit} tried={tried} />
      ) : (
        <Step title="3. The code for tokens">
          <p>The application sends the code and the code_verifier to the token endpoint.</p>
          <Form
            visit={visit}
            action={`${tryPath(tried.application)}/callback`}
            state={refused ?? formOf()}
            submit="Get the tokens"
          >
            {["code", "state", "iss"].map((name) => (
              <Hidden name={name} value={given.get(name) ?? ""} />
            ))}
            {tried.client.ClientType === "confidential" && (
              <TextField
                state={refused ?? formOf()}
                name="client_secret"
                label="client_secret"
                hint="Used for this request only, and not stored."
                type="password"
                required
              />
            )}
          </Form>
        </Step>
      )}
    </>,
  );
}

export async function exchangeCode(deps: ConsoleServices, visit: Visit): Promise<View> {
  const tried = await readTried(deps, visit);
  const { form, request } = visit;
  const begun = begunHere(deps, visit, tried, form.get("state") ?? "");
  const by = { request, userId: userOf(visit) };
  const secret = form.get("client_secret") ?? "";
  const outcome = await deps.trials.exchange(by, trialOf(tried, begun), form.get("code") ?? "", secret);
  if (outcome.token.body.error === "invalid_client") {
    // The secret was rejected before the code was used, so the code is still valid. The secret is not shown again.
    const problem = { Field: "client_secret", Message: String(outcome.token.body.error_description) };
    return comeBack(deps, visit, refusedForm(new URLSearchParams(), BadInput.in([problem]), ["client_secret"]));
  }
  visit.formCookies.push(deps.cookies.clear("try-it"));
  const { parameters } = requestOf(deps, tried, begun);
  return view(
    tried,
    200,
    <>
      <RequestStep parameters={parameters} />
      <AnswerStep issuer={deps.publicUrl} given={form} />
      <Outcome
        clientId={tried.application.Id}
        redirectUri={tried.redirectUri}
        outcome={outcome}
        hasSecret={secret !== ""}
        missing={missingOf(begun, outcome)}
      />
      <Again visit={visit} tried={tried} />
    </>,
  );
}

/** Requested scopes that are missing from the response. A token for an API never has OpenID Connect scopes. */
function missingOf({ scope, resource }: Begun, { token, isAnothers }: TrialOutcome): string[] {
  if (token.status !== 200 || isAnothers) return [];
  const given = String(token.body.scope).split(" ");
  const requested = scope.split(" ").filter((one) => one !== "" && !(resource && isOwnScope(one)));
  return requested.filter((one) => !given.includes(one));
}

function trialOf({ application, redirectUri }: Tried, { seed, scope, resource }: Begun) {
  return { clientId: application.Id, redirectUri, bindings: bindingsOf(seed), scope, resource };
}

function requestOf({ trials }: ConsoleServices, tried: Tried, begun: Begun) {
  return trials.authorizationRequest(trialOf(tried, begun), begun.state);
}

function view({ application }: Tried, status: number, body: JSX.Element): View {
  return {
    ...tabOf(application),
    lead: <span>You sign in and see each step. No token leaves this service, and all are revoked at the end.</span>,
    status,
    body,
  };
}

function Again({ visit, tried }: { visit: Visit; tried: Tried }): JSX.Element {
  return (
    <Section
      title="When you are done"
      buttons={
        <>
          <ButtonLink href={visit.href(tryPath(tried.application))} label="Try again" kind="main" />
          <ActionButton
            visit={visit}
            action={`${tryPath(tried.application)}/redirect-uri`}
            label="Remove the redirect URI"
          />
        </>
      }
    />
  );
}
