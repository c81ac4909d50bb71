// The imports of a source file. The transpiler drops type imports, so those are parsed from the text.

import { dirname, join } from "node:path";
import ts from "typescript5";

export interface Import {
  /** As written: a package, or a path relative to the file. */
  specifier: string;
  /** Relative to the project's root if the specifier is a path, else the specifier. */
  target: string;
  typeOnly: boolean;
}

export interface Source {
  /** Relative to the project's root. */
  path: string;
  text: string;
}

const transpilers = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };
const FROM = /\b(import|export)\s+(type\s+)?([^"';]*?)\s*\bfrom\s*["']([^"']+)["']/g;

export function importsOf(source: Source): Import[] {
  const code = withoutComments(source.text);
  const transpiler = transpilers[source.path.endsWith(".tsx") ? "tsx" : "ts"];
  const atRunTime = new Set(transpiler.scanImports(code).map((found) => found.path));
  const written = new Set([...code.matchAll(FROM)].map((match) => match[4]!));
  return [...new Set([...atRunTime, ...written])].map((specifier) => ({
    specifier,
    target: specifier.startsWith(".") ? join(dirname(source.path), specifier) : specifier,
    typeOnly: !atRunTime.has(specifier) || onlyTypes(code, specifier),
  }));
}

/** Removes comments, whose examples are not code. */
export function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

/** The comments of a file, each as one line; adjacent `//` lines are one comment. */
export function commentsOf(text: string): string[] {
  const found = text.matchAll(/^[ \t]*\{?\/\*([\s\S]*?)\*\/|((?:^[ \t]*\/\/.*\n?)+)|[;,{}()] \/\/ (.*)$/gm);
  return [...found].map(([, block, lines, trailing]) =>
    (block ?? lines ?? trailing!)
      .replace(/^[ \t]*(\*|\/\/) ?/gm, "")
      .replace(/\s+/g, " ")
      .trim(),
  );
}

/** The comments of a SQL file, each as one line; adjacent `--` lines are one comment. */
export function sqlCommentsOf(text: string): string[] {
  const found = text.matchAll(/((?:^[ \t]*--.*\n?)+)|\S +-- (.*)$/gm);
  return [...found].map(([, lines, trailing]) =>
    (lines ?? trailing!)
      .replace(/^[ \t]*-- ?/gm, "")
      .replace(/\s+/g, " ")
      .trim(),
  );
}

/** The headings, paragraphs, list items and table cells of a Markdown page, each as one line, with `…` for code. */
export function proseOf(page: string): string[] {
  return page
    .replace(/<!--[\s\S]*?-->|^( *)```[\s\S]*?^\1```$/gm, "\n\n")
    .replace(/^ *(#+|-|\d+\.|>) |(?<!\\)\|/gm, "\n\n")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/`[^`]*`/g, "…")
    .split(/\n\s*\n/)
    .map((part) => part.replace(/\s+/g, " ").trim())
    .filter((part) => /[a-z]/.test(part));
}

/** The parts of a text between stops, colons and semicolons. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[:;?!]|(?<!e\.g|i\.e)\.) /);
}

/** Texts of at least two words: string literals, templates with `…` for values, and JSX text. SQL is not included. */
export function textsOf({ path, text }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || (ts.isTaggedTemplateExpression(node) && SQL_TAG.test(rootOf(node.tag)))) return;
    const words = ts.isJsxText(node) ? node.text : literalOf(node);
    if (words && /[a-z]{2,}[^a-z]* [a-z(]/i.test(words)) found.push(words.replace(/\s+/g, " ").trim());
    ts.forEachChild(node, visit);
  };
  visit(parse(path, text));
  return found;
}

/** The names given to `test` and `describe`. */
export function testNamesOf({ path, text }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ["test", "describe"].includes(rootOf(node.expression))) {
      const name = node.arguments[0] && literalOf(node.arguments[0]);
      if (name !== undefined) found.push(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(path, text));
  return found;
}

const SQL_TAG = /sql|tx/i;

/** `test` of `test.concurrent.each([…])`. */
function rootOf(callee: ts.Expression): string {
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return rootOf(callee.expression);
  return ts.isIdentifier(callee) ? callee.text : "";
}

const parse = (path: string, text: string) =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, path.endsWith("x") ? ts.ScriptKind.TSX : undefined);

function literalOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

/** `import { type A, type B } from` is an import at run time for the transpiler, although it imports only types. */
function onlyTypes(text: string, specifier: string): boolean {
  const clauses = [...text.matchAll(FROM)].filter((match) => match[4] === specifier);
  return clauses.length > 0 && clauses.every(([, , type, clause]) => type !== undefined || allNamesAreTypes(clause!));
}

function allNamesAreTypes(clause: string): boolean {
  const names = /^\{([^}]*)\}$/.exec(clause.trim())?.[1];
  if (names === undefined) return false;
  const list = names.split(",").map((name) => name.trim());
  return list.filter(Boolean).every((name) => name.startsWith("type "));
}

/** Every TypeScript file of the given folders. */
export async function readSources(root: string, folders: string[]): Promise<Source[]> {
  const glob = new Bun.Glob(`{${folders.join(",")}}/**/*.{ts,tsx}`);
  const paths = (await Array.fromAsync(glob.scan(root))).sort();
  return Promise.all(paths.map(async (path) => ({ path, text: await Bun.file(join(root, path)).text() })));
}
