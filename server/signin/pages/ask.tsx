import { attribute } from "./attribute.ts";

export interface AskProps {
  /** Of no other element of the page. */
  id: string;
  /** What the button says that asks. */
  label: string;
  kind?: "plain" | "danger" | "outline";
  /** For who does not see what the button stands beside. */
  about?: string;
  question: string;
  /** What will happen, one sentence each. */
  effects: readonly string[];
  /** What the button says that does it. */
  confirm: string;
  /** What the other one says. */
  keep?: string;
  /** An address of ours that takes POST. */
  action: string;
  csrf: string;
  /** Sent along. */
  fields?: Record<string, string>;
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
        <ul class="effects">
          {effects.map((effect) => (
            <li safe>{effect}</li>
          ))}
        </ul>
        <form method="post" action={attribute(action)}>
          <input type="hidden" name="csrf" value={csrf} />
          {Object.entries(props.fields ?? {}).map(([name, value]) => (
            <input type="hidden" name={name} value={attribute(value)} />
          ))}
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
