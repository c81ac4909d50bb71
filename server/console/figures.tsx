import { attribute } from "../ui/index.ts";

export interface Figure {
  name: string;
  value: string;
  isBad?: boolean;
  href?: string;
}

export function FigureList({ figures }: { figures: readonly Figure[] }): JSX.Element {
  return (
    <dl class="figures">
      {figures.map(({ name, value, isBad, href }) => (
        <div class={isBad ? "bad" : undefined}>
          <dt safe>{name}</dt>
          <dd>
            {href === undefined ? (
              <span safe>{value}</span>
            ) : (
              <a href={attribute(href)} safe>
                {value}
              </a>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
