import type { Question, QuestionFields } from "./question.tsx";

export interface PageVisit {
  /** The path and query without the refresh setting. */
  readonly url: URL;
  /** False if the reader has paused it (WCAG 2.2, 2.2.2). */
  readonly refreshes: boolean;
  /** The seconds after which parts of the page refresh; the layout shows them. */
  refreshSeconds: number | undefined;
  readonly csrf: string;
  /** The hidden field `shown`: a MAC of the action and everything that the question decides. */
  seal(action: string, question: Question): string;
  href(path: string): string;
  sameHref(refreshes: boolean): string;
  /** Called for each refreshing part. */
  render(part: string, rendered: { html: string; digest: string }): void;
}

/** The form fields of a question. @param action the path of a page made by `confirming` */
export function sealedFields(visit: PageVisit, action: string, question: Question): QuestionFields {
  return { ...question.fields, shown: visit.seal(action, question) };
}
