// /signin/sign-up: asks for a link to make an account. Its answer is the same for all addresses.

import { readForm } from "../../../platform/http/body.ts";
import { isMailAddress, MAX_MAIL_ADDRESS } from "../../../platform/mail-address.ts";
import { attribute, CardPage, Problem, pageResponse, type Site } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { findSignInRules } from "../../signin/store.ts";
import { type Trouble, throttled } from "../../signin/throttle.ts";
import { type Checked, checkRequest } from "./authorization-request.ts";
import { nameOfClient } from "./consent-question.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import {
  type AuthorizationTarget,
  goTo,
  queryOf,
  readCarried,
  readTarget,
  signUpPath,
  targetText,
} from "./parameters.ts";
import { isNamed, requireLocal } from "./sign-in.ts";
import { tellingTheClient } from "./step.ts";

/** Hidden from people: a program that fills in every field gets no mail. */
const TRAP = "website";

export function signUpPages(deps: AuthorizeDependencies): Pages {
  return {
    [signUpPath]: {
      get: (request) =>
        asking(deps, request, readCarried(request), async (checked) => show(deps, request, checked, "")),
      async post(request, visitor) {
        const form = await readForm(request);
        return asking(deps, request, readTarget(form.get("request")), async (checked) => {
          const typed = (form.get("email") ?? "").trim();
          const stale = deps.forms.troubleWith(request, form.get("csrf"));
          if (stale) return show(deps, request, checked, typed, stale);
          if (!isMailAddress(typed)) {
            const problem = "Enter one mail address, such as ana@example.com.";
            return show(deps, request, checked, typed, { problem, status: 422 });
          }
          const { tenantId, id } = checked.client;
          const given = { tenantId, clientId: String(id), typed, visitor, isNamed: false };
          const wait = await deps.signUps.request(request, given, Boolean(form.get(TRAP)));
          if (wait !== undefined) return show(deps, request, checked, typed, throttled(wait));
          const { site } = deps.endpoints;
          return pageResponse(<SentPage site={site} back={site.href(targetText(checked.target))} />);
        });
      },
    },
  };
}

/** Without sign-up, leads back to the sign-in page, as for a typed organisation, which may not exist. */
async function asking(
  deps: AuthorizeDependencies,
  request: Request,
  asked: AuthorizationTarget,
  answer: (checked: Checked) => Promise<Response>,
): Promise<Response> {
  return tellingTheClient(deps, request, async () => {
    const checked = await checkRequest(deps, asked);
    requireLocal(checked);
    const rules = isNamed(checked) ? undefined : await findSignInRules(deps.sql, checked.client.tenantId);
    if (rules?.hasSignUp && deps.signUps.canSend) return answer(checked);
    return goTo(deps.endpoints.site, asked.path, queryOf(asked.parameters));
  });
}

function show(
  { endpoints: { site }, forms }: AuthorizeDependencies,
  request: Request,
  checked: Checked,
  email: string,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const carried = targetText(checked.target);
  const page = (
    <AskPage
      {...{ site, csrf, email, problem }}
      application={nameOfClient(checked)}
      request={carried}
      back={site.href(carried)}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

interface AskProps {
  site: Site;
  application: string;
  request: string;
  csrf: string;
  email: string;
  problem: string | undefined;
  back: string;
}

function AskPage({ site, application, request, csrf, email, problem, back }: AskProps): JSX.Element {
  const heading = "Make an account";
  return (
    <CardPage site={site} title={problem ? `Error: ${heading}` : heading}>
      <h1 safe>{heading}</h1>
      <p class="lead">
        to continue to <strong safe>{application || "the application"}</strong>. You get a mail with a link.
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(signUpPath)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <label for="email">Mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          value={attribute(email)}
          autocomplete="email"
          maxlength={MAX_MAIL_ADDRESS}
          required
          autofocus
          aria-describedby={problem ? "problem" : undefined}
          aria-invalid={problem ? "true" : undefined}
        />
        <div hidden>
          <label for={TRAP}>Leave this field empty</label>
          <input id={TRAP} name={TRAP} autocomplete="off" tabindex="-1" />
        </div>
        <button type="submit">Send the link</button>
      </form>
      <p class="note">
        You have an account? <a href={attribute(back)}>Sign in</a>
      </p>
    </CardPage>
  );
}

function SentPage({ site, back }: { site: Site; back: string }): JSX.Element {
  return (
    <CardPage site={site} title="Look into your mail">
      <h1>Look into your mail</h1>
      <p>
        If this organisation accepts your address, a mail with a link is on its way to it. The link is valid for 24
        hours, and a newer one replaces it.
      </p>
      <p class="note">
        No mail? Look into the folder for spam, or ask the organisation's administrator.{" "}
        <a href={attribute(back)}>Back to sign-in</a>
      </p>
    </CardPage>
  );
}
