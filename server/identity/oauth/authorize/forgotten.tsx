// /signin/forgotten: asks for a link to set a new password. Its answer is the same for all accounts and for none.

import { readForm } from "../../../platform/http/body.ts";
import { attribute, CardPage, Problem, pageResponse, type Site } from "../../../ui/index.ts";
import type { Pages } from "../../signin/endpoint.tsx";
import { throttled } from "../../signin/throttle.ts";
import { checkRequest } from "./authorization-request.ts";
import type { AuthorizeDependencies } from "./dependencies.ts";
import type { SignInState } from "./pages.tsx";
import {
  type AuthorizationTarget,
  forgottenPath,
  goTo,
  queryOf,
  readCarried,
  readTarget,
  targetText,
} from "./parameters.ts";
import { nameOfClient } from "./question.ts";
import { isNamed, requireLocal } from "./sign-in.ts";
import { tellingTheClient } from "./step.ts";

export function forgottenPages(deps: AuthorizeDependencies): Pages {
  return {
    "/signin/forgotten": {
      async get(request) {
        const target = readCarried(request);
        return tellingTheClient(deps, request, () => show(deps, request, target, { username: "" }));
      },
      async post(request, visitor) {
        const form = await readForm(request);
        const target = readTarget(form.get("request"));
        return tellingTheClient(deps, request, async () => {
          const checked = await checkRequest(deps, target);
          requireLocal(checked);
          const username = form.get("username") ?? "";
          const stale = deps.forms.troubleWith(request, form.get("csrf"));
          if (stale) return show(deps, request, target, { username, ...stale });
          if (!deps.forgotten.canSend) return goTo(deps.endpoints.site, target.path, queryOf(target.parameters));
          const { tenantId, id } = checked.client;
          const asked = { tenantId, clientId: String(id), typed: username, visitor, isNamed: isNamed(checked) };
          const wait = await deps.forgotten.request(request, asked);
          if (wait !== undefined) return show(deps, request, target, { username, ...throttled(wait) });
          const { site } = deps.endpoints;
          return pageResponse(<SentPage site={site} back={site.href(targetText(target))} />);
        });
      },
    },
  };
}

async function show(
  deps: AuthorizeDependencies,
  request: Request,
  asked: AuthorizationTarget,
  { username, problem, status, headers }: SignInState,
): Promise<Response> {
  const checked = await checkRequest(deps, asked);
  requireLocal(checked);
  const { target } = checked;
  const { site } = deps.endpoints;
  if (!deps.forgotten.canSend) return goTo(site, target.path, queryOf(target.parameters));
  const { csrf, cookies } = deps.forms.protect(request);
  const page = (
    <ForgottenPage
      {...{ site, csrf, username, problem }}
      application={nameOfClient(checked)}
      request={targetText(target)}
      back={site.href(targetText(target))}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}

interface ForgottenProps {
  site: Site;
  application: string;
  request: string;
  csrf: string;
  username: string;
  problem: string | undefined;
  back: string;
}

function ForgottenPage(props: ForgottenProps): JSX.Element {
  const { site, application, request, csrf, username, problem, back } = props;
  return (
    <CardPage site={site} title={problem ? "Error: Forgot your password?" : "Forgot your password?"}>
      <h1>Forgot your password?</h1>
      <p class="lead">
        Get a mail with a link to set a new one, and then continue to{" "}
        <strong safe>{application || "the application"}</strong>.
      </p>
      <Problem text={problem} />
      <form method="post" action={site.href(forgottenPath)}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <label for="username">User name or mail address</label>
        <input
          id="username"
          name="username"
          value={attribute(username)}
          autocomplete="username"
          autocapitalize="none"
          spellcheck="false"
          maxlength="1000"
          required
          autofocus
          aria-describedby={problem ? "problem" : undefined}
          aria-invalid={problem ? "true" : undefined}
        />
        <button type="submit">Send the link</button>
      </form>
      <p class="note">
        <a href={attribute(back)}>Back to sign-in</a>
      </p>
    </CardPage>
  );
}

function SentPage({ site, back }: { site: Site; back: string }): JSX.Element {
  return (
    <CardPage site={site} title="Look into your mail">
      <h1>Look into your mail</h1>
      <p>
        If there is an account with a password and a verified address, a mail with a link is on its way to that address.
        The link is valid for 15 minutes, and a newer one replaces it.
      </p>
      <p class="note">
        No mail? Look into the folder for spam, or ask your administrator. <a href={attribute(back)}>Back to sign-in</a>
      </p>
    </CardPage>
  );
}
