// Cedar works on a statement recursively, on a stack of 1 MiB that ends the WebAssembly instance when it runs out.
// Measured with cedar-wasm 4.13.0: it runs out at 115 to 145 nested brackets, or at 300 to 400 operators in a row.

const STATEMENT_LIMIT = 5;
const NESTING_LIMIT = 30;
const OPERATOR_LIMIT = 100;

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
  return undefined;
}
