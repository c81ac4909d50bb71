// Blocks of code and of what others sent: coloured by their syntax, with a button that copies.

import { attribute, CopyButton, Text, Time } from "../ui/index.ts";

export interface SourceProps {
  label: string;
  text: string;
  /** Times in the text get the local time as tooltip. */
  hasTimes?: boolean;
  /** The text that the button copies, and its label. */
  copy?: { text: string; label: string };
}

/** Role group, because many landmarks would hinder navigation. */
const group = (label: string) => ({ role: "group", "aria-label": attribute(label) });

/** External text, line by line; it scrolls, also with the keyboard. */
export function Source({ label, text, hasTimes = false, copy }: SourceProps): JSX.Element {
  const readable = shown(text);
  return (
    <div class="block">
      {copy ? <CopyButton {...copy} /> : ""}
      <div class="source" tabindex="0" {...group(label)}>
        <pre>
          {"\n"}
          {readable.length > MAX_COLOURED ? <Text text={readable} /> : <Coloured text={readable} hasTimes={hasTimes} />}
        </pre>
      </div>
    </div>
  );
}

/** Shows control and bidirectional characters as JSON escapes, so the text cannot mislead its reader. */
function shown(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HIDING, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const HIDING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Each coloured word is an element; longer texts are plain. */
const MAX_COLOURED = 30_000;

const KEYWORDS =
  "async|await|class|const|def|do|echo|else|end|export|fn|for|foreach|from|func|function|if|import|in|let|new|package|" +
  "private|public|raise|require|return|self|static|throw|throws|try|catch|use|using|var|void|while|with|yield|" +
  "true|false|null|nil|None|True|False";
/** Common to JSON, HTTP and the languages of our examples. The groups are the classes of the words. */
const WORDS = new RegExp(
  [
    String.raw`(?<comment>(?<=^|\s)(?://|#)[^\n]*)`,
    String.raw`(?<name>"(?:\\.|[^"\\\n])*"(?=\s*:)|(?<=^|\n)[\w-]+(?=: ))`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\x60[^\x60]*\x60)`,
    String.raw`(?<number>(?<=^|[\s([{,=<>+*]|":)-?\d+(?:\.\d+)?(?![\w.:-]))`,
    String.raw`(?<keyword>(?<![\w.$-])(?:${KEYWORDS})(?![\w-]))`,
  ].join("|"),
  "g",
);

function Coloured({ text, hasTimes }: { text: string; hasTimes: boolean }): JSX.Element {
  const parts: JSX.Element[] = [];
  let end = 0;
  for (const found of text.matchAll(WORDS)) {
    const [word] = found;
    const kind = Object.entries(found.groups!).find(([, given]) => given !== undefined)![0];
    if (found.index > end) parts.push(<Text text={text.slice(end, found.index)} />);
    parts.push(
      <span class={`tok-${kind}`}>
        {hasTimes && QUOTED_TIME.test(word) ? <QuotedTime word={word} /> : <Text text={word} />}
      </span>,
    );
    end = found.index + word.length;
  }
  if (end < text.length) parts.push(<Text text={text.slice(end)} />);
  return <>{parts as "safe"[]}</>;
}

const QUOTED_TIME = /^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z"$/;

function QuotedTime({ word }: { word: string }): JSX.Element {
  return (
    <>
      {'"'}
      <Time at={word.slice(1, -1)} asWritten />
      {'"'}
    </>
  );
}
