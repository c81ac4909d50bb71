// Small parts that pages are made of.

import type { Children } from "@kitajs/html";
import { Form, Hiddens } from "./form.tsx";
import { attribute } from "./layout.tsx";
import { Effects, type Fields, type Question } from "./question.tsx";
import type { Visit } from "./visit.ts";
import { sealedFields } from "./visit.ts";

/** A text as it is, whatever stands in it. */
export function Text({ text }: { text: string }): JSX.Element {
  return <span safe>{text}</span>;
}

/** Good: as it should be. Busy: on its way. Warn: somebody should look. Bad: somebody has to. Quiet: of no concern. */
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

/** A state's word as the API says it, in its colour. */
/** @param spoken what a page is about: a screen reader says so when it changes by itself (WCAG 2.2, 4.1.3) */
export function Badge({ state, tone, spoken }: { state: string; tone?: Tone; spoken?: boolean }): JSX.Element {
  return (
    <span class={`badge ${tone ?? TONES.get(state) ?? "quiet"}`} role={spoken ? "status" : undefined} safe>
      {state}
    </span>
  );
}

/** What stands where a list would, if there is nothing to list. */
export function EmptyState({ title, children }: { title: string; children?: Children }): JSX.Element {
  return (
    <div class="empty">
      <h2 safe>{title}</h2>
      {children as "safe"}
    </div>
  );
}

/** A piece of a page with its heading. */
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

/** A button that is a whole form: what it does needs no field. */
export function ActionButton({
  visit,
  action,
  label,
  kind = "plain",
  fields = {},
  about,
}: {
  visit: Visit;
  /** A path of ours that takes POST. */
  action: string;
  label: string;
  kind?: "main" | "plain" | "danger";
  /** Sent along. */
  fields?: Fields;
  /** For who does not see what the button stands beside. */
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
  visit: Visit;
  /** A path of ours whose page is made by `confirming`. */
  action: string;
  question: Question;
}

/** As an ActionButton, for what cannot be undone: it asks first, in words. */
export function AskButton({ visit, action, question, ...button }: AskButtonProps): JSX.Element {
  const { title, ...told } = question;
  const id = ["ask", action, ...Object.values(question.fields ?? {})].join("-").replace(/[^\w-]+/g, "-");
  return (
    <Ask
      {...told}
      {...button}
      id={id}
      question={title}
      action={visit.href(action)}
      csrf={visit.csrf}
      fields={sealedFields(visit, action, question)}
    />
  );
}

/** Puts a text on the clipboard; without script there is no button, and the text can be marked. */
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

/** One of several things, by its name; the first is shown. Without script too: the choice is the browser's own. */
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

/** Text in a fixed width that can be copied. */
export function Code({ text, copy }: { text: string; copy?: boolean }): JSX.Element {
  return (
    <span class="copyable">
      <code safe>{text}</code>
      {copy ? <CopyButton text={text} /> : ""}
    </span>
  );
}

/**
 * The way through a list, a page at a time; filters stay as they are.
 * @param next the cursor that the list has given
 */
export function Pager({ visit, next }: { visit: Visit; next: string | null }): JSX.Element {
  const hasCome = visit.url.searchParams.has("Cursor");
  if (!hasCome && next === null) return "";
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

function withCursor({ url, href }: Visit, cursor: string | undefined): string {
  const query = new URLSearchParams(url.searchParams);
  if (cursor === undefined) query.delete("Cursor");
  else query.set("Cursor", cursor);
  return href(url.pathname) + (query.size > 0 ? `?${query}` : "");
}

/**
 * Refreshes itself while the page is looked at, by asking for the page again and taking the part of the same id. What has
 * not changed stays as it is, with its focus, and what the reader has opened stays open; nothing that is typed into may
 * stand in it.
 */
export function Live({ visit, id, seconds, isFinal, children }: LiveProps): JSX.Element {
  return (
    <div id={id} class="live">
      {visit.refreshes && !isFinal ? (
        // It goes away with the answer that has none, and then nothing more is asked.
        <span
          hidden
          hx-get={attribute(visit.sameHref(true))}
          hx-trigger={`every ${seconds}s, visibilitychange from:document`}
          hx-select={`#${id}`}
          hx-target={`#${id}`}
          hx-swap="outerMorph"
        ></span>
      ) : (
        ""
      )}
      {children as "safe"}
    </div>
  );
}

export interface LiveProps {
  visit: Visit;
  id: string;
  seconds: number;
  /** Nothing more becomes of it. */
  isFinal?: boolean;
  children: Children;
}

/** Says that parts of the page refresh themselves, and stops or starts that; once a page that has `Live` parts. */
export function Refreshing({ visit, seconds }: { visit: Visit; seconds: number }): JSX.Element {
  const { refreshes } = visit;
  return (
    <>
      <p class="refreshing">
        <span safe>{refreshes ? `Refreshes every ${seconds} s.` : "Does not refresh itself."}</span>{" "}
        <a href={attribute(visit.sameHref(!refreshes))} safe>
          {refreshes ? "Stop" : "Refresh"}
        </a>
      </p>
      <noscript>
        <p>
          <a href={attribute(visit.sameHref(true))}>Reload</a>
        </p>
      </noscript>
    </>
  );
}

/**
 * A sentence of ours with texts of others in it: whatever these are, they turn nothing of ours round.
 * @example phrase`${name} is deleted.`
 */
export function phrase(words: TemplateStringsArray, ...texts: (string | number)[]): string {
  return String.raw({ raw: words }, ...texts.map((text) => isolated(String(text))));
}

/** What is written from right to left, and what makes other text so (UAX #9). */
const TURNING = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const FIRST_STRONG_ISOLATE = "\u2068";
const POP_ISOLATE = "\u2069";

function isolated(text: string): string {
  const clean = text.replace(CONTROLS, "");
  return TURNING.test(clean) ? `${FIRST_STRONG_ISOLATE}${clean}${POP_ISOLATE}` : clean;
}

export interface AskProps extends Omit<Question, "title" | "basis"> {
  /** Of no other element of the page. */
  id: string;
  /** What the button says that asks. */
  label: string;
  kind?: "plain" | "danger" | "outline";
  /** For who does not see what the button stands beside. */
  about?: string;
  question: string;
  /** An address of ours that takes POST. */
  action: string;
  csrf: string;
}

/** A button that asks before its form is sent: what will happen, and two ways on. It needs no script. */
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
