// What is shown before and after somebody is in Settings; they look as the sign-in pages do.

import { attribute, CardPage, type Site } from "../../signin/index.ts";

/** Names are not listed: which organisations there are is nobody else's matter. */
export function OrganisationPage({ site, action, next }: { site: Site; action: string; next: string }): JSX.Element {
  return (
    <CardPage site={site} title="Which organisation?">
      <h1>Which organisation?</h1>
      <p class="lead">to continue to Settings</p>
      <form method="get" action={site.href(action)}>
        <input type="hidden" name="next" value={attribute(next)} />
        <label for="organisation">Name of the organisation</label>
        <input
          id="organisation"
          name="organisation"
          autocomplete="organization"
          autocapitalize="none"
          spellcheck="false"
          maxlength="100"
          required
          autofocus
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
