// The error page for a rejected request of an unvouched client. All outside text is escaped here.

import { attribute, CardPage, type Site } from "../../../ui/index.ts";

interface RefusedProps {
  site: Site;
  isInvalid: boolean;
  problem: string;
  /** The host or scheme of the response's destination. */
  destination: string;
  href?: string;
  action?: string;
  fields?: [string, string][];
}

export function RefusedPage({
  site,
  isInvalid,
  problem,
  destination,
  href,
  action,
  fields = [],
}: RefusedProps): JSX.Element {
  return (
    <CardPage site={site} title="Request refused">
      <h1>Request refused</h1>
      <p>
        {isInvalid
          ? "The application sent an invalid request."
          : "The application sent a valid request, but it cannot be answered now."}
      </p>
      <p safe>{problem}</p>
      <p class="warning">
        Your organisation has not approved this application. Continue to <strong safe>{destination}</strong> only if you
        know it.
      </p>
      {action === undefined ? (
        <p>
          <a href={attribute(href!)} rel="noreferrer" safe>
            {`Continue to ${destination}`}
          </a>
        </p>
      ) : (
        <form method="post" action={attribute(action)}>
          {fields.map(([name, value]) => (
            <input type="hidden" name={attribute(name)} value={attribute(value)} />
          ))}
          <button type="submit" class="outline" safe>
            {`Continue to ${destination}`}
          </button>
        </form>
      )}
    </CardPage>
  );
}
