// A decision as people read it before it is carried out. All that it says is sealed into its form, so that nothing else
// is done than what was shown.

export interface Question {
  title: string;
  /** What will happen, one sentence each. */
  effects: readonly Effect[];
  /** What the button says that does it. */
  confirm: string;
  /** What the other one says. */
  keep?: string;
  /** Sent along: what the decision is about, beside what the path names. */
  fields?: Fields;
  /** What the decision rests on and no sentence says, such as a record's version. */
  basis?: unknown;
}

/** A sentence; with `decides`, that alone is sealed: a number in the text may change all the time. */
export type Effect = string | { text: string; decides: string };

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** Everything that a question decides, in a fixed order. */
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
