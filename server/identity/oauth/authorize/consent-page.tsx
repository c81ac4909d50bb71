// The consent page. All outside text is escaped here.

import { attribute, CardPage, Problem, type Site } from "../../../ui/index.ts";
import type { ConsentQuestion } from "./consent-question.ts";

interface ConsentProps extends ConsentQuestion {
  site: Site;
  problem: string | undefined;
  request: string;
  csrf: string;
  shown: string;
  logoHref: string | undefined;
  switchHref: string;
}

export function ConsentPage(props: ConsentProps): JSX.Element {
  const { site, application, stranger, links, wants, user, destination, userCode } = props;
  const { request, csrf, shown, logoHref, switchHref } = props;
  return (
    <CardPage site={site} title="Allow access">
      <h1>Allow access</h1>
      <Problem text={props.problem} />
      <div class="lead">
        {logoHref ? <img src={attribute(logoHref)} width="56" height="56" alt="" class="logo" /> : ""}
        <p>
          <strong safe>{application || "An application"}</strong> asks to
        </p>
      </div>
      <ul class="wants">
        {wants.map((want) => (
          <li safe>{want}</li>
        ))}
      </ul>
      {userCode ? <DeviceWarning userCode={userCode} /> : ""}
      {stranger ? <StrangerWarning address={stranger.address} /> : ""}
      {links.length > 0 ? <OwnPages links={links} /> : ""}
      <form method="post" action={site.href("/consent")}>
        <input type="hidden" name="request" value={attribute(request)} />
        <input type="hidden" name="csrf" value={csrf} />
        <input type="hidden" name="shown" value={shown} />
        <div class="choice">
          <button type="submit" name="decision" value="deny" class="outline">
            Deny
          </button>
          <button type="submit" name="decision" value="allow">
            Allow
          </button>
        </div>
      </form>
      <p class="note">
        {destination ? (
          <>
            You will return to <strong safe>{destination}</strong>.{" "}
          </>
        ) : (
          ""
        )}
        You are signed in as <strong safe>{user}</strong>. <a href={attribute(switchHref)}>Use another account</a>
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
function StrangerWarning({ address }: { address: string | undefined }): JSX.Element {
  return (
    <p class="warning">
      Your organisation has not approved this application.{" "}
      {address === undefined ? (
        "Allow it only if you have just started it on this device."
      ) : (
        <>
          Allow it only if you know <strong safe>{address}</strong> and trust it.
        </>
      )}
    </p>
  );
}

/** RFC 8628 5.4: access would go to the sender of the code. */
function DeviceWarning({ userCode }: { userCode: string }): JSX.Element {
  return (
    <div class="warning">
      <p>
        A device that shows <strong safe>{userCode}</strong> gets this access, wherever it is.
      </p>
      <p>Allow it only if you have the device in front of you. If someone sent you this code or a link, deny it.</p>
    </div>
  );
}
