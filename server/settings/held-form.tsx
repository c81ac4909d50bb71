// What is done with a form whose sign-in is over: nothing is saved, and nothing that was typed is lost.

import { readFormText } from "../http/body.ts";
import { requestUrl } from "../http/request-url.ts";
import { attribute, CardPage, pageResponse, type Site } from "../signin/index.ts";
import { ButtonLink, Form, Hidden } from "./components/index.ts";
import type { View } from "./page.ts";
import { SIGN_IN_PATH } from "./sign-in/sign-in.tsx";
import type { Visit } from "./visit.ts";

/**
 * Nobody is signed in any more: the form waits in the page until somebody is, in another tab.
 * @param limit bytes of the form
 * @throws UnsupportedMediaType, PayloadTooLarge, BadInput
 */
export async function holdForm(site: Site, request: Request, limit: number): Promise<Response> {
  const fields = typedOf(new URLSearchParams(await readFormText(request, limit)));
  const { pathname } = requestUrl(request);
  const page = (
    <CardPage site={site} title="Signed out">
      <h1>Signed out</h1>
      <p>Your sign-in is over, so nothing was saved. What you typed is kept in this page.</p>
      <p>Sign in, which opens another tab. Then come back to this one and go on.</p>
      <a class="button" href={site.href(SIGN_IN_PATH)} target="_blank" rel="noopener">
        Sign in
      </a>
      <form method="post" action={site.href(pathname)}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={attribute(name)} value={attribute(value)} />
        ))}
        <button type="submit" class="plain">
          Go on
        </button>
      </form>
    </CardPage>
  );
  return pageResponse(page, { status: 401 });
}

/** Somebody has signed in since the form was opened, maybe somebody else: they say whether it is to be sent. */
export function askToSend(visit: Visit): View {
  const { name, username } = visit.session;
  const { pathname } = visit.url;
  return {
    title: "Send this form?",
    status: 409,
    body: (
      <div class="panel narrow">
        <p>The form was opened before you signed in, so nothing was saved yet. What was typed into it is kept.</p>
        <p safe>{`You are ${name || username}, in Settings of ${visit.organisation}.`}</p>
        <Form visit={visit} action={pathname}>
          {typedOf(visit.form).map(([field, value]) => (
            <Hidden name={field} value={value} />
          ))}
          <div class="buttons">
            <button type="submit" class="main">
              Send it
            </button>
            <ButtonLink href={visit.href("/settings")}>Drop it</ButtonLink>
          </div>
        </Form>
      </div>
    ),
  };
}

const typedOf = (form: URLSearchParams) => [...form].filter(([name]) => name !== "csrf");
