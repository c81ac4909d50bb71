// Cedar's syntax for CodeMirror: colours, comments and brackets. The server reports errors.

import { StreamLanguage, type StringStream, syntaxHighlighting } from "@codemirror/language";
import { classHighlighter } from "@lezer/highlight";

export const KEYWORDS = ["permit", "forbid", "when", "unless", "if", "then", "else", "in", "has", "like", "is"];
export const VARIABLES = ["principal", "action", "resource", "context"];

interface State {
  /** A string continues on the next line. */
  inText: boolean;
}

const language = StreamLanguage.define<State>({
  name: "cedar",
  startState: () => ({ inText: false }),
  token(stream, state) {
    if (state.inText || stream.eat('"')) return text(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/^@\w+/)) return "meta";
    if (stream.match(/^\d+/)) return "number";
    const isField = stream.string.charAt(stream.start - 1) === ".";
    const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word) return isField ? "propertyName" : kindOf(word[0], stream);
    if (stream.match(/^([=!<>]=|&&|\|\||[-+*<>!])/)) return "operator";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//" } },
});

function text(stream: StringStream, state: State): string {
  stream.match(/^(\\.|[^"\\])*/);
  // The backslash may be the last character of the line.
  stream.eat("\\");
  state.inText = !stream.eat('"');
  return "string";
}

function kindOf(word: string, stream: StringStream): string | null {
  if (stream.match(/^::/, false)) return "typeName";
  if (word === "true" || word === "false") return "bool";
  if (KEYWORDS.includes(word)) return "keyword";
  if (VARIABLES.includes(word)) return "variableName";
  return /\bis\s+$/.test(stream.string.slice(0, stream.start)) ? "typeName" : null;
}

/** Adds classes such as `tok-keyword`, which records.css colours. */
export const cedar = [language, syntaxHighlighting(classHighlighter)];
