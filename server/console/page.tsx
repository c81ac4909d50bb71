// What a page of Settings is, and what it is made with.

import type { Access, Caller, Scope } from "../access/index.ts";
import type { Alerts } from "../alerts/index.ts";
import type { AuditLog } from "../audit/index.ts";
import type { Entities } from "../entities/index.ts";
import { PreconditionFailed } from "../errors.ts";
import type { Logouts } from "../logouts/index.ts";
import type {
  ClientCredentials,
  InitialTokens,
  IssuedTokens,
  PublishedKeys,
  RegistrationAccessTokens,
  SettingsClient,
  Trials,
  UserGrants,
} from "../oauth/index.ts";
import type { Requests } from "../requests/index.ts";
import type { Settings, SettingsServices } from "../settings.ts";
import type { Cookies, Forms, Sessions, Upstream, UserAdministration } from "../signin/index.ts";
import type { OwnTenant, Tenants } from "../tenants/index.ts";
import { Effects, Form, Hiddens, type Question, type Site, sealedFields } from "../ui/index.ts";
import type { ConnectionContract, WebhookServices } from "../webhooks/index.ts";
import type { SettingsSite } from "./assets.ts";
import type { Once } from "./once.ts";
import type { Visit } from "./visit.ts";

/** Of the navigation, in their order. */
export const GROUPS = ["Webhooks", "Identity", "Access", "System"] as const;
export type Group = (typeof GROUPS)[number];

/** One address of Settings. `index.ts` says how a page is added. */
export interface Page {
  /** Such as `/settings/webhooks/:id`. */
  path: string;
  /** What the navigation calls it; who may not GET it is not led there. */
  area?: string;
  /** What it stands below there. */
  group?: Group;
  GET?: Handler;
  POST?: Handler;
  /** The one that the page is of: by it all pages of the same one know each other. */
  record?: PageRecord;
  /** What it is called among these. */
  tab?: string;
  /** It is the own page of records of this type: what names one leads here. */
  shows?: string;
}

export interface PageRecord {
  /** As policies call it. */
  type: string;
  /** The one that the path's `:id` names. @throws NotFound, Permission */
  read(visit: Visit): Promise<Pick<View, "title" | "above"> & { id: string }>;
}

/** What answers one method. */
export interface Handler {
  /** Scopes that the REST operation of the same kind needs; who lacks one is told which. */
  needs: readonly Scope[];
  /** May throw the errors of server/errors.ts: they become pages that say so. */
  answer(visit: Visit): Promise<View | Response>;
}

/** What stands in a page's middle. */
export interface View {
  /** Its heading, and with the product's name its title. */
  title: string;
  /** What leads to it, beside the navigation: the pages above it. */
  above?: { name: string; path: string }[];
  /** One sentence or badge below the heading. */
  lead?: JSX.Element;
  /** Links and forms beside the heading. */
  actions?: JSX.Element;
  body: JSX.Element;
  /** 200 unless given; a form that was refused is 422. */
  status?: number;
}

export interface SettingsDependencies extends SettingsServices, WebhookServices {
  publicUrl: string;
  /** Of the sign-in pages. */
  site: Site;
  cookies: Cookies;
  forms: Forms;
  /** For what is shown once. */
  once: Once;
  sessions: Sessions;
  upstream: Pick<Upstream, "signOut">;
  settingsClient: SettingsClient;
  trials: Trials;
  access: Access;
  /** Users, departments, applications. */
  records: Entities;
  users: UserAdministration;
  initialTokens: InitialTokens;
  registrationTokens: RegistrationAccessTokens;
  ownTenant: OwnTenant;
  tenants: Tenants;
  grants: UserGrants;
  credentials: ClientCredentials;
  logouts: Logouts;
  signingKeys: PublishedKeys;
  settings: Settings;
  auditLog: AuditLog;
  alerts: Alerts;
  requests: Requests;
  issued: Pick<IssuedTokens, "since">;
  /** Told of who asks; may throw to refuse a request. */
  onClient(request: Request, caller: Caller): void;
  /** Told of what was not the caller's fault. */
  onFailure(error: unknown, request: Request): void;
  /** Names of the entities that can trigger a webhook. */
  entities: string[];
  connection: ConnectionContract;
  /** Where the Temporal UI lists those that a query finds. */
  workflowsUrl(query: string): string;
}

/** What showing a page takes. */
export interface ConsoleDependencies extends SettingsDependencies {
  settingsSite: SettingsSite;
}

/** A question with a page of its own. */
export interface Confirmation extends Question {
  above: NonNullable<View["above"]>;
  /** Where to go if it is not to be. */
  back: string;
}

export interface Confirming<Asked extends Confirmation> {
  path: string;
  /** Links lead to it. Otherwise it is asked on other pages first, by an `AskButton`. */
  isLinked?: true;
  needs: readonly Scope[];
  /**
   * What there is to decide as things stand. The buttons that ask the same elsewhere are made of the same function.
   * @param anew false: what was counted is what the form says was counted
   * @throws NotFound, Permission
   */
  ask(visit: Visit, anew: boolean): Promise<Asked>;
  /** Does what was asked, and nothing that is otherwise. @throws PreconditionFailed if it is no longer so */
  act(visit: Visit, asked: Asked): Promise<View | Response>;
}

/**
 * The page before something that cannot be undone: what it will do, and two ways on. What it says is sealed into its form;
 * if that no longer holds when it is sent, nothing is done and it asks again.
 */
export function confirming<Asked extends Confirmation>(confirming: Confirming<Asked>): Page {
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
          throw error;
        }
      },
    },
  };
}

function confirmation(visit: Visit, asked: Confirmation, isChanged = false): View {
  const { title, above, effects, confirm, back, keep = "Keep it" } = asked;
  const action = visit.url.pathname;
  return {
    title,
    above,
    body: (
      <div class="panel narrow">
        {isChanged ? <Changed /> : ""}
        <Effects effects={effects} />
        <Form visit={visit} action={action}>
          <Hiddens fields={sealedFields(visit, action, asked)} />
          <div class="buttons">
            <button type="submit" class="danger" safe>
              {confirm}
            </button>
            <a class="button plain" href={visit.href(back)} safe>
              {keep}
            </a>
          </div>
        </Form>
      </div>
    ),
  };
}

/** Above a form that is shown again, because what its page said holds no more. */
export function Changed(): JSX.Element {
  return (
    <p class="problem" role="alert">
      This has changed since the page was shown. Nothing was done. Look at it again.
    </p>
  );
}
