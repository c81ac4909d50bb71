import type { DataServices } from "../data/index.ts";
import type { IdentityServices } from "../identity/index.ts";
import { PreconditionFailed } from "../platform/errors.ts";
import type { Exporter } from "../platform/http/export.ts";
import type { Readiness } from "../platform/http/health.ts";
import type { Limits } from "../platform/limits/index.ts";
import type { FindWorkflow } from "../platform/temporal/find-workflow.ts";
import type { Access, Caller, RecordRoutes, Scope } from "../records/index.ts";
import {
  ButtonLink,
  Effects,
  Form,
  type FormState,
  formOf,
  Hiddens,
  type Labels,
  type Question,
  refusedForm,
  type Site,
  Submit,
  sealedFields,
} from "../ui/index.ts";
import type { WebhookRoutes } from "../webhooks/index.ts";
import type { ConsoleSite } from "./assets.ts";
import type { Once } from "./once.ts";
import type { Visit } from "./visit.ts";

export type { Visit };

/** Navigation groups, in order. */
export const GROUPS = ["Webhooks", "Identity", "Access", "System"] as const;
export type Group = (typeof GROUPS)[number];

export interface ConsolePage {
  /** A path such as `/settings/webhooks/:id`. */
  path: string;
  area?: string;
  group?: Group;
  /** The label of its form in the command palette, such as "Add user". */
  command?: string;
  GET?: Handler;
  POST?: Handler;
  /** The record that the page is about; pages with the same `record` are tabs. */
  record?: PageRecord;
  tab?: string;
  /** The type of record that this page shows; links to such records lead here. */
  shows?: string;
}

export interface PageRecord {
  type: string;
  /** The record with the path's `:id`. @throws NotFound, Permission */
  read(visit: Visit): Promise<Pick<View, "title" | "above"> & { id: string }>;
}

export interface Handler {
  /** Scopes of the corresponding REST operation; an error names the missing one. */
  needs: readonly Scope[];
  /** Its form may send files. */
  takesFiles?: true;
  /** May throw the errors of server/platform/errors.ts: they become error pages. */
  answer(visit: Visit): Promise<View | Response>;
}

/** Makes handlers of functions that take the services. */
export function handlersOf(deps: ConsoleServices) {
  type Answer = (deps: ConsoleServices, visit: Visit) => Promise<View | Response>;
  return (needs: Handler["needs"], answer: Answer): Handler => ({ needs, answer: (visit) => answer(deps, visit) });
}

export interface View {
  /** The heading, and part of the document's title. */
  title: string;
  above?: { name: string; path: string }[];
  lead?: JSX.Element;
  actions?: JSX.Element;
  body: JSX.Element;
  status?: number;
}

interface Message extends Pick<View, "title" | "above" | "status"> {
  text: JSX.Element;
  buttons: JSX.Element;
}

/** A page that only says something. */
export const messageView = ({ text, buttons, ...view }: Message): View => ({
  ...view,
  body: (
    <div class="panel narrow stack">
      {text as "safe"}
      <div class="buttons">{buttons as "safe"}</div>
    </div>
  ),
});

export function Done({ visit, path, label = "Done" }: { visit: Visit; path: string; label?: string }): JSX.Element {
  return <ButtonLink href={visit.href(path)} label={label} kind="main" />;
}

export interface ConsoleServices extends RecordRoutes, WebhookRoutes, IdentityServices, DataServices {
  publicUrl: string;
  site: Site;
  once: Once;
  access: Access;
  exporter: Exporter;
  limits: Pick<Limits, "read">;
  /** The state of PostgreSQL, Temporal and the worker. */
  readReadiness(): Promise<Readiness>;
  /** Called with the caller of each request; may throw to reject it. */
  onClient(request: Request, caller: Caller): void;
  /** Called with errors that the caller did not cause. */
  onFailure(error: unknown, request: Request): void;
  entities: string[];
  /** The Temporal UI's list of workflows for a query. */
  workflowsUrl(query: string): string;
  findWorkflow: FindWorkflow;
}

export interface ConsoleDependencies extends ConsoleServices {
  consoleSite: ConsoleSite;
}

export interface Confirmation extends Question {
  /** Of its button; default: danger. */
  kind?: "main";
  above: NonNullable<View["above"]>;
  back: string;
  form?: { labels: Labels; fields(state: FormState): JSX.Element };
}

export interface Confirming<Asked extends Confirmation> {
  path: string;
  /** Other pages link to it. Otherwise an `AskButton` on another page asks first. */
  isLinked?: true;
  needs: readonly Scope[];
  /**
   * Buttons on other pages use the same function.
   * @param anew false: use the counts from the form
   * @throws NotFound, Permission
   */
  ask(visit: Visit, anew: boolean): Promise<Asked>;
  /** Does exactly what was asked. @throws PreconditionFailed if the state has changed */
  act(visit: Visit, asked: Asked): Promise<View | Response>;
}

/**
 * A page that confirms an irreversible action and offers to cancel. Its content is sealed into the form; if it no
 * longer holds on submission, nothing is done and the page asks again.
 */
export function confirming<Asked extends Confirmation>(confirming: Confirming<Asked>): ConsolePage {
  const { path, isLinked, needs, ask, act } = confirming;
  const askAgain = async (visit: Visit): Promise<View> => ({
    ...confirmation(visit, await ask(visit, true), visit.form.has("shown")),
    status: 409,
  });
  return {
    path,
    ...(isLinked && { GET: { needs, answer: async (visit) => confirmation(visit, await ask(visit, true)) } }),
    POST: {
      needs,
      async answer(visit) {
        const asked = await ask(visit, false);
        if (!visit.hasAsked(asked)) return askAgain(visit);
        try {
          return await act(visit, asked);
        } catch (error) {
          if (error instanceof PreconditionFailed) return askAgain(visit);
          if (!asked.form) throw error;
          const { labels } = asked.form;
          const state = refusedForm(visit.form, error, Object.keys(labels), labels);
          return { ...confirmation(visit, asked, false, state), status: 422 };
        }
      },
    },
  };
}

function confirmation(visit: Visit, asked: Confirmation, isChanged = false, state = formOf({})): View {
  const { title, above, effects, confirm, back, keep = "Keep it", form, kind = "danger" } = asked;
  const action = visit.url.pathname;
  return {
    title,
    above,
    body: (
      <div class="panel narrow">
        {isChanged ? <Changed /> : ""}
        <Effects effects={effects} />
        <Form visit={visit} action={action} state={state}>
          {(form?.fields(state) ?? "") as "safe"}
          <Hiddens fields={sealedFields(visit, action, asked)} />
          <div class="buttons">
            <Submit label={confirm} kind={kind} />
            <ButtonLink href={visit.href(back)} label={keep} />
          </div>
        </Form>
      </div>
    ),
  };
}

/** Shown when a form is repeated because its content has changed. */
export function Changed(): JSX.Element {
  return (
    <p class="problem" role="alert">
      This has changed since the page was shown. Nothing was done. Check it again.
    </p>
  );
}

/** Why something was not done. */
export function Refusals({ lines }: { lines: string[] }): JSX.Element {
  if (lines.length === 0) return "";
  return (
    <div class="problem" role="alert">
      {lines.map((line) => (
        <p safe>{line}</p>
      ))}
    </div>
  );
}
