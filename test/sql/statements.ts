// Reads the SQL statements of the source by the TypeScript compiler. Tagged templates are assembled as the driver sends
// them; fragments in constants and functions are followed to their own templates.

import { join, relative } from "node:path";
import ts from "typescript5";
import { ROOT } from "../support/pages.ts";

/** The driver sends the types of these values; PostgreSQL infers those of all others. */
export type Kind = "date" | "bytes" | "boolean" | "bigint" | "json" | "other";

export interface Statement {
  /** Such as `server/records/audit/store.ts:42`. */
  place: string;
  text: string;
  parameters: Kind[];
  /** The properties of the row's type. */
  fields: { name: string; type: string }[];
}

export interface Reading {
  statements: Statement[];
  /** Templates that could not be assembled, each with its place and the reason. */
  unread: string[];
}

/** A part is known only at run time. */
class Dynamic extends Error {}

/** SQL with a VALUE and a kind for each of its values. */
interface Piece {
  text: string;
  parameters: Kind[];
}
/** The arguments of a call, by the function's parameters. */
type Bindings = ReadonlyMap<ts.Symbol, { node: ts.Expression; bindings: Bindings }>;

const NO_BINDINGS: Bindings = new Map();
const BEGINS_STATEMENT = /^\s*(select|insert|update|delete|with|create|lock|truncate)\b/i;
/** The place of a value: a character that SQL cannot have. */
export const VALUE = "\u0000";

/** @param folders relative to the root, such as `server` */
export function readStatements(folders: string[]): Reading {
  const paths = folders.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(ROOT)]);
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
  const program = ts.createProgram(
    paths.map((path) => join(ROOT, path)),
    options,
  );
  return new Reader(program.getTypeChecker()).read(paths.map((path) => program.getSourceFile(join(ROOT, path))!));
}

class Reader {
  private readonly templates: ts.TaggedTemplateExpression[] = [];
  private readonly calls: ts.CallExpression[] = [];
  /** Templates inside others. */
  private readonly contained = new Set<ts.Node>();
  /** Calls whose results are being read. One inside itself is a recursion, which has no end. */
  private readonly open = new Set<ts.CallExpression>();

  constructor(private readonly checker: ts.TypeChecker) {}

  read(files: ts.SourceFile[]): Reading {
    for (const file of files) this.collect(file);
    const found = this.templates
      .map((template) => ({ template, ...this.readTemplate(template) }))
      .filter(({ template, pieces }) => BEGINS_STATEMENT.test(pieces[0]?.text ?? headOf(template)));
    const roots = found.filter(({ template }) => !this.contained.has(template));
    const covered = new Set([...this.contained, ...roots.filter(({ reason }) => !reason).map((one) => one.template)]);
    return {
      statements: roots.flatMap(({ template, pieces }) =>
        pieces.map((piece) => ({ place: placeOf(template), ...piece, fields: this.fieldsOf(template) })),
      ),
      unread: this.templates
        .filter((template) => !covered.has(template))
        .map((template) => {
          const reason = found.find((one) => one.template === template)?.reason;
          return `${placeOf(template)}: ${reason ?? "no statement with this fragment could be assembled"}`;
        }),
    };
  }

  private collect(node: ts.Node): void {
    if (ts.isTaggedTemplateExpression(node) && this.has(node.tag, "unsafe")) this.templates.push(node);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) this.calls.push(node);
    ts.forEachChild(node, (child) => this.collect(child));
  }

  /** A template with fragments as arguments is read once per call. */
  private readTemplate(template: ts.TaggedTemplateExpression): { pieces: Piece[]; reason?: string } {
    const alone = this.tryRead(() => this.piecesOf(template, NO_BINDINGS));
    if (!alone.reason) return alone;
    const owner = ts.findAncestor(template, isFunction);
    const calls = this.calls.filter((call) => owner && this.calleeOf(call) === owner);
    const perCall = calls.map((call) =>
      this.tryRead(() => this.piecesOf(template, this.bindingsOf(call, owner!, NO_BINDINGS))),
    );
    if (perCall.length === 0) return alone;
    return { pieces: perCall.flatMap(({ pieces }) => pieces), reason: perCall.find(({ reason }) => reason)?.reason };
  }

  private tryRead(read: () => Piece[]): { pieces: Piece[]; reason?: string } {
    try {
      return { pieces: read() };
    } catch (error) {
      if (error instanceof Dynamic) return { pieces: [], reason: error.message };
      throw error;
    }
  }

  /** One text for each alternative of its longest list, so each alternative is in one of them. */
  private piecesOf({ template }: ts.TaggedTemplateExpression, bindings: Bindings): Piece[] {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return [{ text: template.text, parameters: [] }];
    let pieces: Piece[] = [{ text: template.head.text, parameters: [] }];
    for (const { expression, literal } of template.templateSpans) {
      const parts = this.partsOf(expression, bindings);
      const count = Math.max(pieces.length, parts.length);
      pieces = Array.from({ length: count }, (_, index) => {
        const [before, part] = [pieces[index] ?? pieces.at(-1)!, parts[index] ?? parts.at(-1)!];
        return {
          text: before.text + part.text + literal.text,
          parameters: [...before.parameters, ...part.parameters],
        };
      });
    }
    return pieces;
  }

  private partsOf(given: ts.Expression, bindings: Bindings): Piece[] {
    const node = bare(given);
    if (ts.isTaggedTemplateExpression(node) && this.has(node.tag, "unsafe")) {
      this.contained.add(node);
      return this.piecesOf(node, bindings);
    }
    const bound = ts.isIdentifier(node) ? bindings.get(this.symbolOf(node)!) : undefined;
    if (bound) return this.partsOf(bound.node, bound.bindings);
    if (ts.isCallExpression(node) && this.has(node.expression, "unsafe")) return [this.identifier(node, bindings)];
    if (!this.isFragment(node)) return [{ text: VALUE, parameters: [this.kindOf(node)] }];
    if (ts.isConditionalExpression(node)) {
      return [...this.partsOf(node.whenTrue, bindings), ...this.partsOf(node.whenFalse, bindings)];
    }
    if (ts.isIdentifier(node)) {
      const declaration = this.symbolOf(node)?.valueDeclaration;
      if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer) {
        return this.partsOf(declaration.initializer, bindings);
      }
    }
    if (ts.isCallExpression(node)) {
      const [written] = ts.isPropertyAccessExpression(node.expression) ? node.arguments : [];
      const text = written && this.textOf(written);
      if (text) return [{ text, parameters: [] }];
      const callee = this.calleeOf(node);
      if (callee?.body && !this.open.has(node)) {
        const inside = this.bindingsOf(node, callee, bindings);
        this.open.add(node);
        try {
          return resultsOf(callee.body).flatMap((result) => this.partsOf(result, inside));
        } finally {
          this.open.delete(node);
        }
      }
    }
    throw new Dynamic(node.getText().replace(/\s+/g, " ").slice(0, 60));
  }

  /** The argument of `sql.unsafe`. */
  private textOf(node: ts.Expression): string | undefined {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (!ts.isTemplateExpression(node)) return undefined;
    const isNumber = ({ expression }: ts.TemplateSpan) =>
      this.checker.getTypeAtLocation(expression).flags & ts.TypeFlags.NumberLike;
    if (!node.templateSpans.every(isNumber)) return undefined;
    return node.head.text + node.templateSpans.map(({ literal }) => `0${literal.text}`).join("");
  }

  /** `sql("name")`. */
  private identifier(node: ts.CallExpression, bindings: Bindings): Piece {
    const [given] = node.arguments;
    const bound = given && ts.isIdentifier(given) ? bindings.get(this.symbolOf(given)!) : undefined;
    const type = this.checker.getTypeAtLocation(bound?.node ?? given ?? node);
    if (type.isStringLiteral()) return { text: `"${type.value}"`, parameters: [] };
    throw new Dynamic(node.getText().slice(0, 60));
  }

  private bindingsOf(call: ts.CallExpression, callee: ts.SignatureDeclaration, outer: Bindings): Bindings {
    const own = callee.parameters.flatMap(({ name, initializer }, index) => {
      const node = call.arguments[index] ?? initializer;
      const symbol = this.checker.getSymbolAtLocation(name);
      return node && symbol ? [[symbol, { node, bindings: outer }] as const] : [];
    });
    return new Map([...outer, ...own]);
  }

  private calleeOf(call: ts.CallExpression): ts.FunctionLikeDeclaration | undefined {
    const declaration = this.symbolOf(call.expression)?.valueDeclaration;
    if (!declaration) return undefined;
    if (isFunction(declaration)) return declaration;
    const { initializer } = declaration as ts.VariableDeclaration;
    return initializer && isFunction(initializer) ? initializer : undefined;
  }

  private symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = this.checker.getSymbolAtLocation(node);
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  private has(node: ts.Node, property: string): boolean {
    return this.checker.getTypeAtLocation(node).getProperty(property) !== undefined;
  }

  /** Its type is or includes a query. */
  private isFragment(node: ts.Node): boolean {
    const type = this.checker.getTypeAtLocation(node);
    return (type.isUnion() ? type.types : [type]).some((one) => one.getProperty("describe") !== undefined);
  }

  private kindOf(node: ts.Expression): Kind {
    if (ts.isCallExpression(node) && /\.json$/.test(node.expression.getText())) return "json";
    const type = this.checker.getNonNullableType(this.checker.getTypeAtLocation(node));
    if (type.flags & ts.TypeFlags.BooleanLike) return "boolean";
    if (type.flags & ts.TypeFlags.BigIntLike) return "bigint";
    const name = type.getSymbol()?.getName();
    return name === "Date" ? "date" : name === "Uint8Array" || name === "Buffer" ? "bytes" : "other";
  }

  private fieldsOf({ typeArguments }: ts.TaggedTemplateExpression): Statement["fields"] {
    if (!typeArguments?.[0]) return [];
    const row = this.checker.getIndexTypeOfType(
      this.checker.getTypeFromTypeNode(typeArguments[0]),
      ts.IndexKind.Number,
    );
    return (row?.getProperties() ?? [])
      .filter(({ flags }) => !(flags & ts.SymbolFlags.Optional))
      .map((property) => {
        const type = this.checker.getNonNullableType(this.checker.getTypeOfSymbol(property));
        return { name: property.getName(), type: wordOf(this.checker, type) };
      });
  }
}

/** The driver's types of columns; "" is any other. */
function wordOf(checker: ts.TypeChecker, type: ts.Type): string {
  const every = (flags: ts.TypeFlags) => (type.isUnion() ? type.types : [type]).every((one) => one.flags & flags);
  if (every(ts.TypeFlags.StringLike)) return "string";
  if (every(ts.TypeFlags.NumberLike)) return "number";
  if (every(ts.TypeFlags.BooleanLike)) return "boolean";
  return checker.typeToString(type) === "Date" ? "Date" : "";
}

function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
  return ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node);
}

/** Without parentheses, casts and `!`. */
function bare(node: ts.Expression): ts.Expression {
  const isWrapped = ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node);
  return isWrapped ? bare(node.expression) : node;
}

/** Everything that a function may return. */
function resultsOf(body: ts.ConciseBody): ts.Expression[] {
  if (!ts.isBlock(body)) return [body];
  const results: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression) results.push(node.expression);
    if (!isFunction(node)) ts.forEachChild(node, visit);
  };
  visit(body);
  return results;
}

const headOf = ({ template }: ts.TaggedTemplateExpression) =>
  ts.isNoSubstitutionTemplateLiteral(template) ? template.text : template.head.text;

function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  return `${relative(ROOT, file.fileName)}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
