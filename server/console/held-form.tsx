// A form submitted after the sign-in ended: nothing is saved, and the input is kept. Anyone can send one, so it has a
// limit, and the page that asks for confirmation shows all of it.

import { PayloadTooLarge } from "../platform/errors.ts";
import { FORM_BODY_LIMIT, readFormText } from "../platform/http/body.ts";
import { requestUrl } from "../platform/http/request.ts";
import {
  attribute,
  ButtonLink,
  CardPage,
  Facts,
  Form,
  Hidden,
  pageResponse,
  type Site,
  Submit,
  texts,
} from "../ui/index.ts";
import { messageView, type View, type Visit } from "./page.tsx";
import { SIGN_IN_PATH } from "./sign-in.tsx";

/** The maximum number of fields that are kept. The longest form of Settings has fewer. */
export const MAX_KEPT_FIELDS = 200;

const AGAIN = `Your input is too long to be kept: more than ${FORM_BODY_LIMIT / 1024} KiB or ${MAX_KEPT_FIELDS} fields.`;

/** Keeps the form until a sign-in in another tab. @throws UnsupportedMediaType, BadInput */
export async function holdForm(site: Site, request: Request): Promise<Response> {
  const { pathname } = requestUrl(request);
  const fields = await keptOf(request);
  const page = (
    <CardPage site={site} language={texts.ENGLISH} title="Signed out">
      <h1>Signed out</h1>
      {fields ? (
        <>
          <p>Your session has ended, so nothing was saved. Your input is kept on this page.</p>
          <p>Sign in, which opens a new tab. Then return to this tab and continue.</p>
        </>
      ) : (
        <>
          <p>Your session has ended, so nothing was saved.</p>
          <p safe>{`${AGAIN} Sign in, which opens a new tab. Then go back in this tab, and copy it from the form.`}</p>
        </>
      )}
      <a class="button" href={site.href(SIGN_IN_PATH)} target="_blank" rel="noopener">
        Sign in
      </a>
      {!!fields && (
        <form method="post" action={site.href(pathname)}>
          <Kept fields={fields} />
          <Submit label="Continue" kind="plain" />
        </form>
      )}
    </CardPage>
  );
  return pageResponse(page, { status: fields ? 401 : 413 });
}

/** @returns undefined if there are too many or they are too long */
async function keptOf(request: Request): Promise<Field[] | undefined> {
  try {
    return fieldsToKeep(await readFormText(request, FORM_BODY_LIMIT));
  } catch (error) {
    if (error instanceof PayloadTooLarge) return undefined;
    throw error;
  }
}

type Field = [name: string, value: string];

/** The seals of the page are left out: they are valid only in the former session. */
function fieldsToKeep(text: string): Field[] | undefined {
  if (text.length > FORM_BODY_LIMIT) return undefined;
  const fields = [...new URLSearchParams(text)].filter(([name]) => name !== "csrf" && name !== "shown");
  return fields.length > MAX_KEPT_FIELDS ? undefined : fields;
}

/** The session has changed since the form was opened, possibly to another user, so sending needs confirmation. */
export function askToSend(visit: Visit, text: string): View {
  const { name, username } = visit.session;
  const { pathname } = visit.url;
  const fields = fieldsToKeep(text);
  if (!fields) return fillInAgain(visit);
  // Empty fields are kept too, because they clear a value.
  const shown = fields.filter(([name, value]) => value === "" || !SECRET.test(name));
  return {
    title: "Send this form?",
    status: 409,
    body: (
      <div class="panel narrow stack">
        <p>The form was opened before you signed in, so nothing was saved yet. Its input is kept.</p>
        <p safe>{`You are ${name || username}, in Settings of ${visit.organisation}.`}</p>
        <p>
          It goes to <code safe>{pathname}</code>
          {shown.length > 0 ? " with this input:" : "."}
        </p>
        <Facts facts={shown.map(([field, value]) => [field, <Value text={value} />])} />
        <Form visit={visit} action={pathname}>
          <Kept fields={fields} />
          <div class="buttons">
            <Submit label="Send it" />
            <ButtonLink href={visit.href("/settings")} label="Discard" />
          </div>
        </Form>
      </div>
    ),
  };
}

function fillInAgain(visit: Visit): View {
  return messageView({
    title: "Fill in the form again",
    status: 413,
    text: (
      <>
        <p>The form was opened before you signed in, so nothing was saved.</p>
        <p safe>{`${AGAIN} Open the page again and fill in the form.`}</p>
      </>
    ),
    buttons: <ButtonLink href={visit.href(visit.url.pathname)} label="Open the page" />,
  });
}

/** The whole text, with its line breaks. Characters that hide or reorder others are shown by their numbers. */
function Value({ text }: { text: string }): JSX.Element {
  const visible = text.replace(
    /[\p{Bidi_Control}\u00ad\u200b\u2060\ufeff]/gu,
    (one) => `[U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
  );
  return (
    <bdi class="typed" safe>
      {visible === "" ? "(empty)" : visible}
    </bdi>
  );
}

/** Fields that are never shown again; the user must enter them again. */
const SECRET = /secret|password|api_?key|^headers$/i;

function Kept({ fields }: { fields: Field[] }): JSX.Element {
  return (
    <>
      {fields.map(([name, value]) =>
        SECRET.test(name) && value !== "" ? (
          <>
            <label for={attribute(`again-${name}`)} safe>{`${name} again: it is not stored`}</label>
            {name === "Headers" ? (
              <textarea id={attribute(`again-${name}`)} name={attribute(name)} rows="3" required></textarea>
            ) : (
              <input
                type="password"
                id={attribute(`again-${name}`)}
                name={attribute(name)}
                autocomplete="off"
                required
              />
            )}
          </>
        ) : (
          <Hidden name={name} value={value} />
        ),
      )}
    </>
  );
}
