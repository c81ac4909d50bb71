// What is shown before and after somebody is in Settings; they look as the sign-in pages do.

import { attribute, CardPage, type Site } from "../../signin/index.ts";

/** Names are not listed: which organisations there are is nobody else's matter. */
export function OrganisationPage({
  site,
  action,
  next,
  typed,
}: {
  site: Site;
  action: string;
  next: string;
  /** What was typed before, and names none. */
  typed: string | undefined;
}): JSX.Element {
  const problem = typed ? "There is no organisation of this name. Capitals count." : undefined;
  const title = "Which organisation?";
  return (
    <CardPage site={site} title={problem ? `Error: ${title}` : title}>
      <h1 safe>{title}</h1>
      <p class="lead">to continue to Settings</p>
      {problem ? (
        <p id="problem" class="problem" role="alert" safe>
          {problem}
        </p>
      ) : (
        ""
      )}
      <form method="get" action={site.href(action)}>
        <input type="hidden" name="next" value={attribute(next)} />
        <label for="organisation">Name of the organisation</label>
        <input
          id="organisation"
          name="organisation"
          value={attribute(typed ?? "")}
          autocomplete="organization"
          autocapitalize="none"
          spellcheck="false"
          maxlength="100"
          required
          autofocus
          aria-describedby={problem ? "problem" : undefined}
          aria-invalid={problem ? "true" : undefined}
        />
        <button type="submit">Continue</button>
      </form>
    </CardPage>
  );
}

export function SignedOutPage({ site }: { site: Site }): JSX.Element {
  return (
    <CardPage site={site} title="Signed out">
      <h1>Signed out</h1>
      <p class="lead">You are signed out in this browser.</p>
      <a class="button" href={site.href("/settings")}>
        Sign in again
      </a>
    </CardPage>
  );
}

export function StartAgainPage({ site, reason }: { site: Site; reason: string }): JSX.Element {
  return (
    <CardPage site={site} title="Not signed in">
      <h1>Not signed in</h1>
      <p safe>{reason}</p>
      <a class="button" href={site.href("/settings")}>
        Start again
      </a>
    </CardPage>
  );
}
