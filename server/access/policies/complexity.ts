// Cedar works on a statement recursively, on a stack of 1 MiB that ends the WebAssembly instance when it runs out.
// Measured with cedar-wasm 4.13.0: it runs out at 115 to 145 nested brackets, or at 300 to 400 operators in a row. And
// while Cedar checks a statement, or decides by it, nothing else is answered.

const STATEMENT_LIMIT = 5;
const NESTING_LIMIT = 30;
const OPERATOR_LIMIT = 100;

/**
 * Of all policies of a tenant. On a text of 10,000 characters, each `like` takes some 50 µs, and each character of its
 * pattern from the first `*` on up to another 15 µs, for it may be compared at every place of the text.
 */
const LIKE_LIMIT = 100;
const WILDCARD_LIMIT = 500;

const TOKENS =
  /"(?<text>(?:\\.|[^"\\])*)"?|(?<comment>\/\/[^\n]*)|(?<open>[([{])|(?<close>[)\]}])|(?<end>;)|(?<operator>&&|\|\||[=!<>]=|[.+\-*!<>]|\b(?:if|in|has|is|like|when|unless)\b)/gs;

/** Why a text is more than Cedar is asked to take on, if it is. */
export function tooComplex(text: string): string | undefined {
  let statements = 0;
  let nesting = 0;
  let operators = 0;
  for (const { groups } of text.matchAll(TOKENS)) {
    if (groups?.open) nesting++;
    if (groups?.close) nesting--;
    if (groups?.operator) operators++;
    if (groups?.end) {
      statements++;
      nesting = 0;
      operators = 0;
    }
    if (nesting > NESTING_LIMIT) return `A statement may nest brackets ${NESTING_LIMIT} deep, and no deeper.`;
    if (operators > OPERATOR_LIMIT) {
      return `A statement may have at most ${OPERATOR_LIMIT} operators. Write several statements instead.`;
    }
  }
  if (statements > STATEMENT_LIMIT) {
    return `A policy may have at most ${STATEMENT_LIMIT} statements. Write several policies instead.`;
  }
  return tooManyPatterns([text]);
}

/** Why the patterns of a tenant's policies are together more than a decision may be kept busy with, if they are. */
export function tooManyPatterns(policies: string[]): string | undefined {
  const patterns = policies.flatMap(likePatterns);
  const characters = patterns.reduce((sum, pattern) => sum + (/\*.*$/s.exec(pattern)?.[0].length ?? 0), 0);
  if (patterns.length <= LIKE_LIMIT && characters <= WILDCARD_LIMIT) return undefined;
  return (
    `All policies together may use like ${LIKE_LIMIT} times, with ${WILDCARD_LIMIT} characters from each pattern's ` +
    `first * on; here it is ${patterns.length} times, with ${characters}.`
  );
}

function likePatterns(policy: string): string[] {
  const patterns: string[] = [];
  let operator: string | undefined;
  for (const { groups } of policy.matchAll(TOKENS)) {
    if (groups?.comment !== undefined) continue;
    if (operator === "like" && groups?.text !== undefined) patterns.push(groups.text);
    operator = groups?.operator;
  }
  return patterns;
}
