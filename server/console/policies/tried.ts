import type { Visit } from "../visit.ts";
import { policyText } from "./check.ts";

export const NEEDS = ["Settings:Read", "AccessManager:Read"] as const;

/** The policy's Id; "" for a new one. */
export const idOf = ({ url, params }: Visit) => params.id ?? url.searchParams.get("Id") ?? "";

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
