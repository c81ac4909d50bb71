import type { Fields, Question } from "./question.tsx";

/** A request to a page, as the page's parts know it: where it is, and what its forms and links take along. */
export interface Visit {
  /** Path and query, without what is said of refreshing. */
  readonly url: URL;
  /** False if the reader has stopped it (WCAG 2.2, 2.2.2). */
  readonly refreshes: boolean;
  readonly csrf: string;
  /** The hidden field `shown` of a form that asks: a MAC of where it goes and of all that the question decides. */
  seal(action: string, question: Question): string;
  /** A path of ours as a browser has to ask for it. */
  href(path: string): string;
  /** The same page, refreshing itself or not. */
  sameHref(refreshes: boolean): string;
}

/** What a form sends with its question. @param action a path of ours whose page is made by `confirming` */
export function sealedFields(visit: Visit, action: string, question: Question): Fields {
  return { ...question.fields, shown: visit.seal(action, question) };
}
