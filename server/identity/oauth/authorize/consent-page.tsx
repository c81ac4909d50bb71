// The consent page. All outside text is escaped here.

import { attribute, CardPage, Problem, type Site, Text, texts } from "../../../ui/index.ts";
import type { ConsentQuestion } from "./consent-question.ts";

interface ConsentProps extends ConsentQuestion {
  site: Site;
  language: texts.Language;
  problem: string | undefined;
  request: string;
  csrf: string;
  shown: string;
  logoHref: string | undefined;
  switchHref: string;
}

export function ConsentPage(props: ConsentProps): JSX.Element {
  const { site, application, stranger, links, wants, user, destination, userCode } = props;
  const { language, request, csrf, shown, logoHref, switchHref } = props;
  const { t } = language;
  return (
    <CardPage site={site} language={language} title={t.allowAccess}>
      <h1 safe>{t.allowAccess}</h1>
      <Problem text={props.problem} />
      <div class="lead">
        {logoHref ? <img src={attribute(logoHref)} width="56" height="56" alt="" class="logo" /> : ""}
        <p>
          <texts.Say text={t.asksTo} values={{ application: application || t.anApplication }} />
        </p>
      </div>
      <ul class="wants">
        {wants.map((want) => (
          <li safe>{want}</li>
        ))}
      </ul>
      {userCode ? <DeviceWarning t={t} userCode={userCode} /> : ""}
      {stranger ? <StrangerWarning t={t} address={stranger.address} /> : ""}
      {links.length > 0 ? <OwnPages links={links} /> : ""}
      <form method="post" action={site.href("/consent")}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="shown" value={shown} />
        <div class="choice">
          <button type="submit" name="decision" value="deny" class="outline" safe>
            {t.deny}
          </button>
          <button type="submit" name="decision" value="allow" safe>
            {t.allow}
          </button>
        </div>
      </form>
      <p class="note">
        {destination ? <texts.Say text={t.returnTo} values={{ destination }} /> : ""}{" "}
        <texts.Say text={t.signedInAs} values={{ user }} />{" "}
        <a href={attribute(switchHref)} safe>
          {t.useAnotherAccount}
        </a>
      </p>
    </CardPage>
  );
}

/** Links open in a new window, so the form stays. */
function OwnPages({ links }: Pick<ConsentQuestion, "links">): JSX.Element {
  return (
    <p class="fine">
      {links.map(({ text, href }, index) => (
        <>
          {index > 0 ? " · " : ""}
          <a href={attribute(href)} target="_blank" rel="noopener noreferrer" safe>
            {text}
          </a>
        </>
      ))}
    </p>
  );
}

/** The name is unverified (RFC 7591 5, draft-ietf-oauth-client-id-metadata-document 6). */
function StrangerWarning({ t, address }: { t: texts.Texts; address: string | undefined }): JSX.Element {
  return (
    <p class="warning">
      <Text text={t.notApproved} />{" "}
      {address === undefined ? (
        <Text text={t.strangerHere} />
      ) : (
        <texts.Say text={t.strangerThere} values={{ address }} />
      )}
    </p>
  );
}

/** RFC 8628 5.4: access would go to the sender of the code. */
function DeviceWarning({ t, userCode }: { t: texts.Texts; userCode: string }): JSX.Element {
  return (
    <div class="warning">
      <p>
        <texts.Say text={t.deviceAccess} values={{ code: userCode }} />
      </p>
      <p safe>{t.deviceInFront}</p>
    </div>
  );
}
