// Clients write these paths in more than one way (/oauth/authorize, /oAuth/Authorize), so they are taken in any
// letter case. What stands for a record keeps its own.

interface Node {
  /** By their lower case. */
  words: Map<string, Node>;
  /** Any text, as `:id` has it. */
  parameter: Node | undefined;
  /** The path so far as it is written here; undefined stands for a parameter's text. */
  spelling: (string | undefined)[];
  /** A path ends here, or goes on with any text. */
  isPath: boolean;
}

/** It tells upper from lower case, and may have a slash. */
const BASE64 = /^base64(\||%7c)/i;

/** @returns spells a path as one of these is written; one that is none of them stays as it is */
export function createSpelling(paths: readonly string[]): (path: string) => string {
  const root: Node = { words: new Map(), parameter: undefined, spelling: [], isPath: false };
  for (const path of paths) addPath(root, path);

  return (path) => {
    const segments = path.split("/");
    let node: Node | undefined = root;
    let last = root;
    for (const segment of segments) {
      node = node.words.get(segment.toLowerCase()) ?? (BASE64.test(segment) ? undefined : node.parameter);
      if (!node) break;
      if (node.isPath) last = node;
    }
    return segments.map((segment, index) => last.spelling[index] ?? segment).join("/");
  };
}

/** A wildcard's text stays as it is: nothing below it is a word. */
function addPath(root: Node, path: string): void {
  let node = root;
  let spelling: Node["spelling"] = [];
  for (const segment of path.split("/").filter((part) => part !== "*")) {
    const isWord = !segment.startsWith(":");
    spelling = [...spelling, isWord ? segment : undefined];
    const known = isWord ? node.words.get(segment.toLowerCase()) : node.parameter;
    const next = known ?? { words: new Map(), parameter: undefined, spelling, isPath: false };
    if (isWord) node.words.set(segment.toLowerCase(), next);
    else node.parameter = next;
    node = next;
  }
  node.isPath = true;
}
