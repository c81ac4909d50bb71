import type { Children } from "@kitajs/html";
import { attribute } from "./layout.tsx";
import type { QuestionFields } from "./question.tsx";
import type { PageVisit } from "./visit.ts";

export interface FormState {
  /** "" if the field has no value. */
  value(name: string): string;
  /** The checked values of a checkbox group. */
  values(name: string): string[];
  problem(name: string): string | undefined;
  problems: FieldProblem[];
  others: string[];
  /** The entity tag. A rejected form keeps the one that its user saw, until a conflict is reported. */
  version(current: string): string;
}

export interface FieldProblem {
  field: string;
  text: string;
}

export interface FormProps {
  visit: PageVisit;
  action: string;
  /** Supplies the summary of problems. */
  state?: FormState;
  children: Children;
  /** The label of its button, if it has only one. */
  submit?: string;
  inline?: boolean;
  takesFiles?: boolean;
}

/** A CSRF-protected form. A summary at its top links to the fields with problems. */
export function Form({ visit, action, state, children, submit, inline, takesFiles }: FormProps): JSX.Element {
  return (
    <form
      method="post"
      action={visit.href(action)}
      class={inline ? "inline" : "fields"}
      enctype={takesFiles ? "multipart/form-data" : undefined}
    >
      <input type="hidden" name="csrf" value={visit.csrf} />
      {state ? <ProblemSummary state={state} /> : ""}
      {children as "safe"}
      {submit !== undefined && (
        <div class="buttons">
          <Submit label={submit} />
        </div>
      )}
    </form>
  );
}

interface SubmitProps
  extends Pick<JSX.HtmlButtonTag, "name" | "value" | "formaction" | "formnovalidate" | "formtarget"> {
  label: string;
  kind?: "main" | "plain" | "danger" | "quiet";
}

export function Submit({ label, kind = "main", ...attributes }: SubmitProps): JSX.Element {
  return (
    <button type="submit" class={kind} {...attributes} safe>
      {label}
    </button>
  );
}

const FOCUSED = { autofocus: true };

function ProblemSummary({ state: { problems, others } }: { state: FormState }): JSX.Element {
  if (problems.length + others.length === 0) return "";
  return (
    <div class="problem" role="alert" tabindex="-1" {...FOCUSED}>
      <h2>{problems.length + others.length === 1 ? "One thing to correct" : "Some things to correct"}</h2>
      <ul>
        {problems.map(({ field, text }) => (
          <li>
            <a href={`#${fieldId(field)}`} safe>
              {text}
            </a>
          </li>
        ))}
        {others.map((text) => (
          <li safe>{text}</li>
        ))}
      </ul>
    </div>
  );
}

export interface FieldProps {
  state: FormState;
  /** The REST API's name, so errors can be matched to the field. */
  name: string;
  label: string;
  hint?: string;
  required?: boolean;
}

export interface TextFieldProps extends FieldProps {
  type?: "text" | "url" | "email" | "password" | "search" | "datetime-local" | "number";
  autocomplete?: string;
  rows?: number;
  /** Code: fixed width, no spell checking. */
  code?: boolean;
  readonly?: boolean;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const { state, name, label, hint, required, type = "text", autocomplete = "off", rows, code, readonly } = props;
  const problem = state.problem(name);
  const value = state.value(name);
  const shared = {
    id: fieldId(name),
    name,
    required,
    readonly,
    autocomplete,
    class: code ? "code" : undefined,
    spellcheck: code || type === "url" || type === "email" ? ("false" as const) : undefined,
    "aria-describedby": describedBy(name, hint, problem),
    "aria-invalid": problem ? ("true" as const) : undefined,
  };
  return (
    <div class="field">
      <label for={fieldId(name)} safe>
        {labelText(type === "datetime-local" ? `${label} ${UTC}` : label, required)}
      </label>
      <Notes name={name} hint={hint} problem={problem} />
      {rows ? (
        // HTML ignores a line break right after the tag, so one is added.
        <textarea {...shared} rows={String(rows)} safe>
          {`\n${value}`}
        </textarea>
      ) : (
        <input
          {...shared}
          type={type}
          {...(type === "datetime-local" ? inReadersZone(value) : { value: attribute(value) })}
        />
      )}
    </div>
  );
}

/** Fields by their names, for a form without a contract. */
export type FieldsByName = Readonly<Record<string, FieldByName>>;

interface FieldByName extends Omit<TextFieldProps, "state" | "name"> {
  /** Makes it a selection. */
  options?: readonly Option[];
  /** Any number of the options. */
  isSeveral?: boolean;
}

export function Fields({ state, fields }: { state: FormState; fields: FieldsByName }): JSX.Element {
  return (
    <>
      {Object.entries(fields).map(([name, { options, isSeveral, ...field }]) => {
        if (!options) return <TextField state={state} name={name} {...field} />;
        const shared = { ...field, name, state, options };
        return isSeveral ? <CheckboxGroup {...shared} /> : <SelectField {...shared} />;
      })}
    </>
  );
}

export interface Option {
  value: string;
  label: string;
  /** A description; a checkbox group shows it below the label. */
  text?: string;
}

export function SelectField(props: FieldProps & { options: readonly Option[] }): JSX.Element {
  const { state, name, label, hint, required, options } = props;
  const problem = state.problem(name);
  const value = state.value(name);
  return (
    <div class="field">
      <label for={fieldId(name)} safe>
        {labelText(label, required)}
      </label>
      <Notes name={name} hint={hint} problem={problem} />
      <select
        id={fieldId(name)}
        name={name}
        required={required}
        aria-describedby={describedBy(name, hint, problem)}
        aria-invalid={problem ? "true" : undefined}
      >
        {options.map((option) => (
          <option value={attribute(option.value)} selected={option.value === value} safe>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Each checked value is sent under the same name. Values that share a prefix are grouped after the others. */
export function CheckboxGroup(props: FieldProps & { options: readonly Option[] }): JSX.Element {
  const { state, name, label, hint, required, options } = props;
  const problem = state.problem(name);
  const marked = state.values(name);
  const areMany = options.length > MANY;
  return (
    <fieldset
      id={fieldId(name)}
      class={areMany ? "field boxes pills" : "field boxes"}
      tabindex="-1"
      aria-describedby={describedBy(name, hint, problem)}
      aria-invalid={problem ? "true" : undefined}
    >
      <legend safe>{labelText(label, required)}</legend>
      <Notes name={name} hint={hint} problem={problem} />
      {areMany ? (
        <input type="search" placeholder="Find" data-find hidden aria-label={attribute(`Find: ${label}`)} />
      ) : (
        ""
      )}
      {byPrefix(options).map(({ prefix, members }) => {
        const boxes = members.map((option) => (
          <BoxOfGroup
            name={name}
            option={option}
            index={options.indexOf(option)}
            checked={marked.includes(option.value)}
          />
        ));
        if (prefix === "") return <>{boxes}</>;
        return (
          <fieldset>
            <legend safe>{prefix}</legend>
            {boxes as "safe"[]}
          </fieldset>
        );
      })}
    </fieldset>
  );
}

/** Of more options, a script shows those that contain a text. */
const MANY = 10;

/** @example `orders:lines` of `orders:lines:read`, `orders` of `orders.read` */
const PREFIX = /^(.+)[:./][^:./]+$/s;

/** Groups by shared prefix, in order. The group "" has options with a unique prefix or a separate label. */
function byPrefix(options: readonly Option[]): { prefix: string; members: Option[] }[] {
  const prefixOf = ({ value, label }: Option) => (label.startsWith(value) && PREFIX.exec(value)?.[1]) || "";
  const found = Map.groupBy(options, prefixOf);
  const isShared = ([prefix, members]: [string, Option[]]) => prefix !== "" && members.length > 1;
  const shared = [...found].filter(isShared).map(([prefix, members]) => ({ prefix, members }));
  const others = options.filter((option) => !shared.some(({ prefix }) => prefix === prefixOf(option)));
  return [...(others.length > 0 ? [{ prefix: "", members: others }] : []), ...shared];
}

interface BoxOfGroupProps {
  name: string;
  option: Option;
  index: number;
  checked: boolean;
}

function BoxOfGroup({ name, option: { value, label, text }, index, checked }: BoxOfGroupProps): JSX.Element {
  const textId = text ? `${fieldId(name)}-${index}-text` : undefined;
  return (
    <>
      <label title={text && attribute(text)}>
        <input type="checkbox" name={name} value={attribute(value)} checked={checked} aria-describedby={textId} />
        <span safe>{label}</span>
      </label>
      {text ? (
        <p class="hint" id={textId} safe>
          {text}
        </p>
      ) : (
        ""
      )}
    </>
  );
}

export function Checkbox({ state, name, label, hint }: FieldProps): JSX.Element {
  const problem = state.problem(name);
  return (
    <div class="field boxes">
      <label>
        <input
          id={fieldId(name)}
          type="checkbox"
          name={name}
          value="true"
          checked={state.value(name) === "true"}
          aria-describedby={describedBy(name, hint, problem)}
          aria-invalid={problem ? "true" : undefined}
        />
        <span safe>{label}</span>
      </label>
      <Notes name={name} hint={hint} problem={problem} />
    </div>
  );
}

/** Data sent with the form, such as the record's version. */
export function Hidden({ name, value }: { name: string; value: string }): JSX.Element {
  return <input type="hidden" name={attribute(name)} value={attribute(value)} />;
}

export function Hiddens({ fields = {} }: { fields?: QuestionFields }): JSX.Element {
  return (
    <>
      {Object.entries(fields).flatMap(([name, values]) =>
        [values].flat().map((value) => <Hidden name={name} value={value} />),
      )}
    </>
  );
}

function Notes({ name, hint, problem }: { name: string; hint?: string; problem: string | undefined }): JSX.Element {
  return (
    <>
      {hint ? (
        <p class="hint" id={`${fieldId(name)}-hint`} safe>
          {hint}
        </p>
      ) : (
        ""
      )}
      {problem ? (
        <p class="wrong" id={`${fieldId(name)}-problem`} safe>
          {problem}
        </p>
      ) : (
        ""
      )}
    </>
  );
}

function labelText(label: string, required: boolean | undefined): string {
  return required === false ? `${label} (optional)` : label;
}

function describedBy(name: string, hint: string | undefined, problem: string | undefined): string | undefined {
  const ids = [hint ? `${fieldId(name)}-hint` : "", problem ? `${fieldId(name)}-problem` : ""].filter(Boolean);
  return ids.length > 0 ? ids.join(" ") : undefined;
}

const fieldId = (name: string) => `field-${name}`;

// Date-time fields. Without scripts they are labelled and read as UTC; moments.js converts them to the local time zone.

/** The part of a label that moments.js replaces by the local time zone. */
export const UTC = "(UTC)";

export function inReadersZone(given: string) {
  return { step: "any", "data-utc": UTC, value: attribute(utcField(given)) };
}

/** A date-time as the input's value; "" if it is invalid. */
function utcField(given: string): string {
  const date = new Date(ZONELESS.test(given) ? `${given}Z` : given);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19);
}

/** Adds the UTC zone to a date-time without one; other text is unchanged. */
export function momentInUtc(text: string): string {
  if (!ZONELESS.test(text)) return text;
  return `${text.length === "2026-01-31T12:00".length ? `${text}:00` : text}Z`;
}

const ZONELESS = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/;

/** The list parameters, with date-times in UTC. */
export function inUtc(parameters: URLSearchParams, names: readonly string[]): URLSearchParams {
  return new URLSearchParams(
    [...parameters].map(([name, value]) => [name, names.includes(name) ? momentInUtc(value) : value]),
  );
}
