// The documents: README.md and all of docs/, with their headings, links and code blocks.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

export interface Block {
  /** The page's path from the root. */
  path: string;
  line: number;
  /** The fence's language, such as `sh`. */
  language: string;
  /** The comment above the block, such as `run: call`. */
  mark: string | undefined;
  text: string;
}

/** Every page, from the root; README.md first. */
export const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  ...[...new Bun.Glob("docs/**/*.md").scanSync(ROOT)].toSorted(),
];

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

export function blocksOf(path: string): Block[] {
  const blocks: Block[] = [];
  const lines = readPage(path).split("\n");
  for (let index = 0; index < lines.length; index++) {
    const [, indent, language] = /^( *)```(\S*)$/.exec(lines[index]!) ?? [];
    if (indent === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, index + 1);
    const [, mark] = /^ *<!-- (.+) -->$/.exec(lines[index - 1] ?? "") ?? [];
    const text = lines.slice(index + 1, end).map((line) => `${line.slice(indent.length)}\n`);
    blocks.push({ path, line: index + 1, language: language!, mark, text: text.join("") });
    index = end;
  }
  return blocks;
}

/** The blocks of all pages whose comment begins with a word, such as `run`. */
export function blocksMarked(word: string): (Block & { mark: string })[] {
  return PAGES.flatMap(blocksOf).filter((block) => block.mark?.startsWith(`${word}: `)) as (Block & { mark: string })[];
}

/** The one block with this comment. */
export function blockMarked(mark: string): Block {
  const [block, ...more] = PAGES.flatMap(blocksOf).filter((each) => each.mark === mark);
  if (!block || more.length > 0)
    throw new Error(`The documents have ${more.length + (block ? 1 : 0)} blocks "${mark}".`);
  return block;
}

export function headingsOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!);
}

/** The text below a second-level heading. */
export function sectionOf(text: string, heading: string): string {
  return new RegExp(`\n## ${heading}\n([\\s\\S]*?)\n## `).exec(text)![1]!;
}

/** The anchor that GitHub makes for a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** The targets of a page's links and pictures, without other sites. */
export function linksOf(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return links.filter((target) => !/^(https?|mailto):/.test(target));
}

function withoutCode(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```$/gm, "");
}
