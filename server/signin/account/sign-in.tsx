// Signing in for the account pages themselves. User names are a tenant's own, and a browser that has no session yet
// belongs to no tenant: so it takes an application's client_id, which the application's link here carries.

import { BadInput } from "../../errors.ts";
import { readForm } from "../../http/body.ts";
import { requestUrl } from "../../http/request-url.ts";
import { MessagePage } from "../pages/message.tsx";
import { pageResponse } from "../pages/response.ts";
import { SignInPage } from "../pages/sign-in.tsx";
import type { Caller } from "../sessions.ts";
import { type Trouble, throttled } from "../trouble.ts";
import type { AccountDependencies } from "./dependencies.ts";
import { toAccount } from "./told.ts";

const REFUSED: Trouble = { problem: "The user name or the password is wrong.", status: 422 };

export async function signInPage(deps: AccountDependencies, request: Request): Promise<Response> {
  const clientId = requestUrl(request).searchParams.get("client_id");
  const application = clientId ? await deps.applications.find(clientId) : undefined;
  if (clientId && application) return formPage(deps, request, clientId, "");
  const lines = [
    "Open one of your applications and sign in there. Then come back to this page in the same browser.",
    "Which organisation you belong to is known from the application, so this page cannot ask for your password itself.",
  ];
  return pageResponse(<MessagePage site={deps.endpoints.site} heading="Sign in first" lines={lines} />, {
    status: 401,
  });
}

/** POST /account/sign-in. */
export async function signIn(deps: AccountDependencies, request: Request, caller: Caller): Promise<Response> {
  const form = await readForm(request);
  const clientId = form.get("request") ?? "";
  const application = await deps.applications.find(clientId);
  if (!application) throw new BadInput("This form does not say which application you belong to.");
  deps.forms.require(request, form.get("csrf"));
  const [username, password] = [form.get("username") ?? "", form.get("password") ?? ""];
  const { tenantId } = application;
  const result = await deps.signIn(request, { tenantId, username, password, caller });
  if (result.outcome === "throttled") return formPage(deps, request, clientId, username, throttled(result.retryAfter));
  if (result.outcome === "refused") return formPage(deps, request, clientId, username, REFUSED);
  const { cookie } = await deps.sessions.begin(request, result.authentication, caller);
  return toAccount(deps, undefined, [cookie, ...result.cookies]);
}

function formPage(
  { endpoints: { site }, forms }: AccountDependencies,
  request: Request,
  clientId: string,
  username: string,
  { problem, status, headers }: Partial<Trouble> = {},
): Promise<Response> {
  const { csrf, cookies } = forms.protect(request);
  const page = (
    <SignInPage
      site={site}
      action="/account/sign-in"
      application="your account"
      request={clientId}
      csrf={csrf}
      username={username}
      problem={problem}
    />
  );
  return pageResponse(page, { status, headers, cookies });
}
