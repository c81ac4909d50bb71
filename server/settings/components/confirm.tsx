import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { Form } from "./form.tsx";

export interface Confirmation {
  visit: Visit;
  /** As a question. */
  title: string;
  above: NonNullable<View["above"]>;
  /** What will happen, one sentence each. */
  effects: string[];
  /** What the button says. */
  label: string;
  /** Where it goes: the page itself, which takes POST as well. */
  action: string;
  /** Where to go if it is not to be. */
  back: string;
  /** What the link there says. */
  keep?: string;
}

/** The page before something that cannot be undone: what it will do, and two ways on. */
export function confirmation({ visit, title, above, effects, label, action, back, keep }: Confirmation): View {
  return {
    title,
    above,
    body: (
      <div class="panel narrow">
        <ul class="effects">
          {effects.map((effect) => (
            <li safe>{effect}</li>
          ))}
        </ul>
        <Form visit={visit} action={action}>
          <div class="buttons">
            <button type="submit" class="danger" safe>
              {label}
            </button>
            <a class="button plain" href={visit.href(back)} safe>
              {keep ?? "Keep it"}
            </a>
          </div>
        </Form>
      </div>
    ),
  };
}
