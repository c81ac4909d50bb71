// A decision as shown before it is executed. All its content is sealed into the form, so only what was shown is
// executed.

export interface Question {
  title: string;
  effects: readonly Effect[];
  confirm: string;
  keep?: string;
  /** Form fields that identify the subject beyond the path. */
  fields?: QuestionFields;
  /** State that the decision depends on and no sentence shows, such as a record's version. */
  basis?: unknown;
}

/** A sentence. If `decides` is given, only that is sealed, because numbers in the text may change. */
export type Effect = string | { text: string; decides: string };

export type QuestionFields = Readonly<Record<string, string | readonly string[]>>;

export function decisionOf({ title, effects, fields = {}, basis = null }: Question): unknown[] {
  const sentences = effects.map((effect) => (typeof effect === "string" ? effect : effect.decides));
  return [title, sentences, Object.entries(fields), basis];
}

export function Effects({ effects }: Pick<Question, "effects">): JSX.Element {
  return (
    <ul class="effects">
      {effects.map((effect) => (
        <li safe>{typeof effect === "string" ? effect : effect.text}</li>
      ))}
    </ul>
  );
}
