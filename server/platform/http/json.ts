// JSON from outside: in parameters, tokens, and answers to our requests.

/** Some readers of nested values use the stack, which ends. */
export const MAX_JSON_DEPTH = 32;

const [QUOTE, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"[\\]{}');

/** Parses a text of limited length. @returns undefined if it is no JSON, or nested too deeply */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON of an answer to our request. @returns undefined if it is no JSON, or nested too deeply */
export async function answeredJson(answer: Response): Promise<unknown> {
  return parseJson(await answer.text());
}

/** Whether a text, if it is JSON, is nested deeper than MAX_JSON_DEPTH. */
export function isTooDeep(text: string): boolean {
  let [depth, isInText] = [0, false];
  for (let at = 0; at < text.length && depth <= MAX_JSON_DEPTH; at++) {
    const code = text.charCodeAt(at);
    if (isInText && code === BACKSLASH) at++;
    else if (code === QUOTE) isInText = !isInText;
    else if (isInText) continue;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth++;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return depth > MAX_JSON_DEPTH;
}
