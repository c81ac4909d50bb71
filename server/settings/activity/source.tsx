import { attribute } from "../../signin/index.ts";

/** A group: among many such, none is a landmark. */
const group = (label: string) => ({ role: "group", "aria-label": attribute(label) });

/** Text of others, line by line as it came; long ones are scrolled, also by keys. */
export function Source({ label, text }: { label: string; text: string }): JSX.Element {
  return (
    <div class="source" tabindex="0" {...group(label)}>
      <pre safe>{`\n${shown(text)}`}</pre>
    </div>
  );
}

/**
 * Control characters, and what turns the direction of text around, are written as JSON escapes: what somebody reads is
 * what there is, in its order.
 */
function shown(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HIDING, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HIDING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
