// What the form of a try says of the policy.

import type { Visit } from "../visit.ts";
import { policyText } from "./check.ts";

export const NEEDS = ["Settings:Read", "AccessManager:Read"] as const;

/** Of the policy; empty: it is new. */
export const idOf = ({ url, params }: Visit) => params.id ?? url.searchParams.get("Id") ?? "";

/** What is tried, if there is a text. */
export function triedOf(visit: Visit): { Id?: string; Name?: string; Policy?: string } {
  const [text, name, id] = [policyText(visit.form), visit.form.get("Name")?.trim(), idOf(visit)];
  if (text.trim() === "") return {};
  return { Policy: text, ...(id ? { Id: id } : {}), ...(name ? { Name: name } : {}) };
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
