// Instances of Cedar, and what a policy's text comes to in them.

import { createRequire } from "node:module";
import type * as Cedar from "@cedar-policy/cedar-wasm/nodejs";

export interface CedarInstance {
  /** A trap (its stack ran out) leaves the WebAssembly instance unusable, so the next caller gets a new one. */
  run<T>(work: (cedar: typeof Cedar) => T): T;
}

/** @param onNew called with each new instance but the first, which knows nothing of what the one before was told */
export function createCedar(onNew: () => void = () => {}): CedarInstance {
  let cedar = load();
  return {
    run(work) {
      try {
        return work(cedar);
      } catch (error) {
        cedar = load();
        onNew();
        throw error;
      }
    },
  };
}

export interface Statement {
  text: string;
  /** Undefined: it is no statement. */
  json?: Cedar.PolicyJson;
}

export function statementsOf(cedar: typeof Cedar, policy: string): Statement[] {
  const parts = cedar.policySetTextToParts(policy);
  if (parts.type === "failure") return [{ text: policy }];
  return parts.policies.map((text) => {
    const answer = cedar.policyToJson(text);
    return answer.type === "failure" ? { text } : { text, json: answer.json };
  });
}

const require = createRequire(import.meta.url);

/** A new instance each time; `import` would give the same one for ever. */
function load(): typeof Cedar {
  const path = require.resolve("@cedar-policy/cedar-wasm/nodejs");
  delete require.cache[path];
  return require(path);
}
