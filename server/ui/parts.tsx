import type { Children } from "@kitajs/html";
import type { Page } from "../platform/http/query.ts";
import { Form, Hiddens } from "./form.tsx";
import { attribute } from "./layout.tsx";
import { Effects, type Question, type QuestionFields } from "./question.tsx";
import type { PageVisit } from "./visit.ts";
import { sealedFields } from "./visit.ts";

/** Escapes any text. */
export function Text({ text }: { text: string }): JSX.Element {
  return <span safe>{text}</span>;
}

/** Good: normal. Busy: in progress. Warn: worth a look. Bad: needs action. Quiet: irrelevant. */
type Tone = "good" | "busy" | "warn" | "bad" | "quiet";

const TONES = new Map<string, Tone>(
  Object.entries({
    Active: "good",
    Delivered: "good",
    Success: "good",
    Pending: "busy",
    Retrying: "busy",
    Held: "warn",
    Paused: "quiet",
    Inactive: "quiet",
    Cancelled: "quiet",
    Completed: "good",
    Running: "busy",
    Exhausted: "bad",
    Failure: "bad",
  }),
);

/** @param spoken announces changes to screen readers, for the main state of a page (WCAG 2.2, 4.1.3) */
export function Badge({ state, tone, spoken }: { state: string; tone?: Tone; spoken?: boolean }): JSX.Element {
  return (
    <span class={`badge ${tone ?? TONES.get(state) ?? "quiet"}`} role={spoken ? "status" : undefined} safe>
      {state}
    </span>
  );
}

export function EmptyState({ title, children }: { title: string; children?: Children }): JSX.Element {
  return (
    <div class="empty">
      <h2 safe>{title}</h2>
      {children as "safe"}
    </div>
  );
}

export function Section({ title, children, id }: { title: string; children: Children; id?: string }): JSX.Element {
  return (
    <section class="panel" id={id}>
      <h2 safe>{title}</h2>
      {children as "safe"}
    </section>
  );
}

export interface ButtonLinkProps {
  href: string;
  children: string;
  kind?: "main" | "plain" | "danger";
}

export function ButtonLink({ href, children, kind = "plain" }: ButtonLinkProps): JSX.Element {
  return (
    <a class={`button ${kind}`} href={attribute(href)} safe>
      {children}
    </a>
  );
}

export function ActionButton({
  visit,
  action,
  label,
  kind = "plain",
  fields = {},
  about,
}: {
  visit: PageVisit;
  action: string;
  label: string;
  kind?: "main" | "plain" | "danger";
  fields?: QuestionFields;
  /** For screen readers, which may not relate the button to its surroundings. */
  about?: string;
}): JSX.Element {
  return (
    <Form visit={visit} action={action} inline>
      <Hiddens fields={fields} />
      <button type="submit" class={kind} aria-label={about && attribute(`${label}: ${about}`)} safe>
        {label}
      </button>
    </Form>
  );
}

export interface AskButtonProps extends Pick<AskProps, "label" | "kind" | "about"> {
  visit: PageVisit;
  /** The path of a page made by `confirming`. */
  action: string;
  question: Question;
}

/** An ActionButton for irreversible actions: it asks for confirmation first. */
export function AskButton({ visit, action, question, ...button }: AskButtonProps): JSX.Element {
  const { title, ...attributes } = question;
  const id = ["ask", action, ...Object.values(question.fields ?? {})].join("-").replace(/[^\w-]+/g, "-");
  return (
    <Ask
      {...attributes}
      {...button}
      id={id}
      question={title}
      action={visit.href(action)}
      csrf={visit.csrf}
      fields={sealedFields(visit, action, question)}
    />
  );
}

/** Copies a text to the clipboard. Without scripts the button is hidden and the text can be selected. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }): JSX.Element {
  return (
    <button type="button" class="quiet copy" data-copy={attribute(text)} hidden safe>
      {label}
    </button>
  );
}

interface Choice {
  name: string;
  content: JSX.Element;
}

/** Tabs, the first one open. They work without scripts. */
export function Choices({ label, choices }: { label: string; choices: Choice[] }): JSX.Element {
  const group = `choice-${label.replace(/\W+/g, "-").toLowerCase()}`;
  return (
    <fieldset class="choose" aria-label={attribute(label)}>
      {choices.map(({ name, content }, index) => (
        <>
          <input type="radio" id={`${group}-${index}`} name={group} value={String(index)} checked={index === 0} />
          <label for={`${group}-${index}`} safe>
            {name}
          </label>
          <div>{content as "safe"}</div>
        </>
      ))}
    </fieldset>
  );
}

/** Fixed-width text, optionally with a copy button. */
export function Code({ text, copy }: { text: string; copy?: boolean }): JSX.Element {
  return (
    <span class="copyable">
      <code safe>{text}</code>
      {copy ? <CopyButton text={text} /> : ""}
    </span>
  );
}

interface PagerProps {
  visit: PageVisit;
  page: Pick<Page<unknown>, "Next" | "Hidden">;
}

/** The end of a list: what is not shown, and links to the next and first pages; filters are kept. */
export function Pager({ visit, page: { Next: next, Hidden } }: PagerProps): JSX.Element {
  const hasCome = visit.url.searchParams.has("Cursor");
  return (
    <>
      {Hidden === 0 ? "" : <LeftOut count={Hidden} />}
      {hasCome || next !== null ? <Pages visit={visit} hasCome={hasCome} next={next} /> : ""}
    </>
  );
}

/** @param count null: it is not told */
function LeftOut({ count }: { count: number | null }): JSX.Element {
  if (count === null) return <p class="fine">Records that no policy lets you see are not shown.</p>;
  return (
    <p class="fine" safe>
      {count === 1
        ? "1 record is not shown: no policy lets you see it."
        : `${count.toLocaleString("en")} records are not shown: no policy lets you see them.`}
    </p>
  );
}

interface PagesProps {
  visit: PageVisit;
  hasCome: boolean;
  next: string | null;
}

function Pages({ visit, hasCome, next }: PagesProps): JSX.Element {
  return (
    <nav class="pager" aria-label="Pages of the list">
      {hasCome ? (
        <a class="button plain" href={attribute(withCursor(visit, undefined))}>
          Back to the first
        </a>
      ) : (
        ""
      )}
      {next === null ? (
        ""
      ) : (
        <a class="button plain" rel="next" href={attribute(withCursor(visit, next))}>
          Next page
        </a>
      )}
    </nav>
  );
}

function withCursor({ url, href }: PageVisit, cursor: string | undefined): string {
  const query = new URLSearchParams(url.searchParams);
  if (cursor === undefined) query.delete("Cursor");
  else query.set("Cursor", cursor);
  return href(url.pathname) + (query.size > 0 ? `?${query}` : "");
}

/** Refreshes it while the page is visible. Unchanged elements keep focus and open state; it must have no inputs. */
export async function Live({ visit, id, seconds, isFinal, children }: LiveProps): Promise<string> {
  const content = String(await (<>{children as "safe"}</>));
  const digest = digestOf(content.replaceAll(visit.csrf, ""));
  const html = await (
    <div id={id} class="live">
      {visit.refreshes && !isFinal ? (
        // An update without this element removes it, and polling stops. An unchanged part is answered by 304.
        <span
          hidden
          hx-get={attribute(visit.sameHref(true))}
          hx-trigger={`every ${seconds}s, visibilitychange from:document`}
          hx-headers={JSON.stringify({ "If-None-Match": digest })}
          hx-select={`#${id}`}
          hx-target={`#${id}`}
          hx-swap="outerMorph"
        ></span>
      ) : (
        ""
      )}
      {content as "safe"}
    </div>
  );
  visit.render(id, { html, digest });
  return html;
}

/** A weak entity tag, because the content is compressed later. */
function digestOf(content: string): string {
  return `W/"${new Bun.CryptoHasher("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

export interface LiveProps {
  visit: PageVisit;
  id: string;
  seconds: number;
  isFinal?: boolean;
  children: Children;
}

/** Says that the page refreshes itself, with a link to stop it, beside the title. Place it once on a page with `Live` parts. */
export function Refreshing({ visit, seconds }: { visit: PageVisit; seconds: number }): JSX.Element {
  visit.refreshSeconds = seconds;
  return "";
}

export interface AskProps extends Omit<Question, "title" | "basis"> {
  id: string;
  label: string;
  kind?: "plain" | "danger" | "outline";
  /** For screen readers, which may not relate the button to its surroundings. */
  about?: string;
  question: string;
  action: string;
  csrf: string;
}

/** A button that asks for confirmation, with the consequences and a way to cancel. It works without scripts. */
export function Ask(props: AskProps): JSX.Element {
  const { id, label, kind = "plain", about, question, effects, confirm, keep = "Keep it", action, csrf } = props;
  return (
    <>
      <button
        type="button"
        class={kind}
        popovertarget={attribute(id)}
        aria-label={about && attribute(`${label}: ${about}`)}
        safe
      >
        {label}
      </button>
      <div id={attribute(id)} popover="auto" class="ask" role="dialog" aria-labelledby={attribute(`${id}-question`)}>
        <h2 id={attribute(`${id}-question`)} safe>
          {question}
        </h2>
        <Effects effects={effects} />
        <form method="post" action={attribute(action)}>
          <input type="hidden" name="csrf" value={csrf} />
          <Hiddens fields={props.fields} />
          <div class="buttons">
            <button type="submit" class="danger" safe>
              {confirm}
            </button>
            <button type="button" class="plain outline" popovertarget={attribute(id)} popovertargetaction="hide" safe>
              {keep}
            </button>
          </div>
        </form>
      </div>
    </>
  );
}
