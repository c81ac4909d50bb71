// Code that verifies a call, for the page of a connection and docs/webhooks.md "Verify the signature". Each example is
// a file that a test runs.

import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Verification {
  language: string;
  mark: string;
  fence: string;
  code: string;
}

const read = (file: string) => readFileSync(join(import.meta.dir, "verification", file), "utf8");

export const VERIFICATIONS: readonly Verification[] = [
  { language: "Node and Bun", mark: "node", fence: "js", code: read("node.mjs") },
  { language: "Python", mark: "python", fence: "python", code: read("python.py") },
  { language: "Go", mark: "go", fence: "go", code: read("receiver.go") },
  { language: "Java", mark: "java", fence: "java", code: read("Gatehouse.java") },
  { language: "PHP", mark: "php", fence: "php", code: read("gatehouse.php") },
  { language: "Ruby", mark: "ruby", fence: "ruby", code: read("gatehouse.rb") },
  { language: "C#", mark: "csharp", fence: "csharp", code: read("Gatehouse.cs") },
  { language: "Shell", mark: "shell", fence: "sh", code: read("verify.sh") },
];
