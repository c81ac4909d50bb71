import { type Children, contentToString } from "@kitajs/html";
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

interface EmptyStateProps {
  title: string;
  text?: string;
  children?: Children;
}

export function EmptyState({ title, text, children = "" }: EmptyStateProps): JSX.Element {
  return (
    <div class="empty">
      <h2 safe>{title}</h2>
      {text !== undefined && <p safe>{text}</p>}
      {children as "safe"}
    </div>
  );
}

interface SectionProps {
  title: string;
  id?: string;
  facts?: FactsProps["facts"];
  /** Below the facts. */
  children?: Children;
  /** In a row at the end; nothing of them: no row. */
  buttons?: JSX.Element | false;
}

export function Section({ title, id, facts, children = "", buttons }: SectionProps): JSX.Element {
  return (
    <section class="panel" id={id}>
      <h2 safe>{title}</h2>
      {facts ? <Facts facts={facts} /> : ""}
      {children as "safe"}
      {buttons ? <div class="buttons">{buttons as "safe"}</div> : ""}
    </section>
  );
}

export type Fact = [name: string, value: JSX.Element];

interface FactsProps {
  /** Others than facts are left out, so that a fact can depend on a condition. */
  facts: readonly (Fact | false | "" | null | undefined)[];
  /** For values of a word or a number. */
  brief?: boolean;
}

/** Name-value pairs. */
export function Facts({ facts, brief }: FactsProps): JSX.Element {
  const known = facts.filter((fact) => Array.isArray(fact));
  return (
    <dl class={brief ? "facts brief" : "facts"}>
      {known.map(([name, value]) => (
        <div>
          <dt safe>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface LinkProps {
  href: string;
  text: string;
  isCurrent?: boolean;
  kind?: string;
}

export function Link({ href, text, isCurrent, kind }: LinkProps): JSX.Element {
  return (
    <a class={kind} href={attribute(href)} aria-current={isCurrent ? "true" : undefined} safe>
      {text}
    </a>
  );
}

/** Alternatives in one row, such as time ranges. */
export function LinkBar({
  label,
  id,
  links,
}: {
  label: string;
  id?: string;
  links: readonly LinkProps[];
}): JSX.Element {
  return (
    <nav id={id} class="ranges" aria-label={label}>
      {links.map((link) => (
        <Link {...link} />
      ))}
    </nav>
  );
}

export interface ButtonLinkProps {
  href: string;
  label: string;
  kind?: "main" | "plain" | "danger";
}

export function ButtonLink({ href, label, kind = "plain" }: ButtonLinkProps): JSX.Element {
  return <Link href={href} text={label} kind={`button ${kind}`} />;
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

interface CodeProps {
  text: string;
  copy?: boolean;
  /** To be stored elsewhere, such as a value that is shown once: in a box, with a copy button. */
  kept?: boolean;
}

/** Fixed-width text, optionally with a copy button. */
export function Code({ text, copy, kept }: CodeProps): JSX.Element {
  if (kept) return <p class="secret">{(<Code text={text} copy />) as "safe"}</p>;
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
      {hasCome && <ButtonLink href={withCursor(visit, undefined)} label="Back to the first" />}
      {next !== null && (
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

/**
 * Refreshes it while the page is visible, which the page says beside its title. Unchanged elements keep focus and open
 * state; it must have no inputs.
 */
export async function Live({ visit, id, seconds, isFinal, children }: LiveProps): Promise<string> {
  if (!isFinal) visit.refreshSeconds = seconds;
  const content = await contentToString(children);
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
