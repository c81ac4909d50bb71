import { isRead, requestUrl } from "../../../platform/http/request.ts";
import { asTyped, TEXT_LIMIT } from "../../../platform/text.ts";
import { attribute, CardPage, pageResponse, texts } from "../../../ui/index.ts";
import type { Session, Visitor } from "../session.ts";
import { redirectTo } from "../sign-out.tsx";
import { type AccountDependencies, type AccountVisit, accountSignIn, nameOf, toAccount } from "./visit.ts";

/** Answers requests of a finished session; otherwise the user signs in and returns to the page. */
export async function visited(
  deps: AccountDependencies,
  request: Request,
  visitor: Visitor,
  answer: (visit: AccountVisit) => Promise<Response>,
): Promise<Response> {
  const session = await deps.sessions.findStarted(request);
  if (session && !session.isUnfinished) {
    const isAsked = !isRead(request) || (await isOfAskedTenant(deps, request, session));
    return isAsked ? answer({ request, visitor, session }) : otherTenantPage(deps, request, session);
  }
  // A form that was sent without a valid session is dropped.
  if (!isRead(request)) return toAccount(deps, request);
  return redirectTo(deps.endpoints.site.href(signInPath(request)), []);
}

/** User names are unique only in a tenant, so an application's link or the name of the organisation selects it. */
function signInPath(request: Request): string {
  const { pathname, searchParams } = requestUrl(request);
  const token = searchParams.get("token");
  // A mailed link continues after the sign-in.
  const next = token === null ? pathname : `${pathname}?${new URLSearchParams({ token })}`;
  const application = searchParams.get("client_id");
  if (application) return accountSignIn(application, next);
  const organisation = searchParams.get("organisation");
  return `/settings/sign-in?${new URLSearchParams({ next, ...(organisation !== null && { organisation }) })}`;
}

/** An unknown application or organisation is treated as one of another tenant, so users cannot probe for them. */
async function isOfAskedTenant(deps: AccountDependencies, request: Request, session: Session): Promise<boolean> {
  const { searchParams } = requestUrl(request);
  const application = searchParams.get("client_id");
  if (application) return deps.applications.isOf(session.tenantId, application);
  const organisation = searchParams.get("organisation");
  if (!organisation) return true;
  const { text } = asTyped(organisation, TEXT_LIMIT);
  return text === session.tenantName || text === session.tenantId;
}

function otherTenantPage({ endpoints: { site } }: AccountDependencies, request: Request, session: Session) {
  const language = texts.speak(request);
  const { t } = language;
  const organisation = session.tenantName;
  const page = (
    <CardPage {...{ site, language, organisation }} title={t.anotherOrganisation}>
      <h1 safe>{t.anotherOrganisation}</h1>
      <p>
        <texts.Say text={t.otherOrganisationLead} values={{ organisation, user: nameOf(session, t) }} />
      </p>
      <p safe>{t.otherOrganisationEffect}</p>
      <div class="accounts">
        <a class="button outline" href={attribute(site.href(signInPath(request)))} safe>
          {t.signInToOther}
        </a>
        <a class="button outline" href={attribute(site.href(requestUrl(request).pathname))} safe>
          {texts.fill(t.stayIn, { organisation })}
        </a>
      </div>
    </CardPage>
  );
  return pageResponse(page);
}
