import type { Scope } from "../access/index.ts";
import type { Visit } from "./visit.ts";

/** One address of Settings. `index.ts` says how a page is added. */
export interface Page {
  /** Such as `/settings/webhooks/:id`. */
  path: string;
  GET?: Handler;
  POST?: Handler;
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
