// A record by what people call it, as they type it into a form.

import { BadInput, NotFound } from "../../errors.ts";
import type { SettingsDependencies } from "../page.tsx";
import type { Visit } from "../visit.ts";

/** What each is found by, and how a form calls that. */
const FOUND_BY = {
  User: { fieldName: "Username", words: "user with this user name" },
  Application: { fieldName: "Name", words: "application with this name" },
} as const;

interface Asked {
  type: keyof typeof FOUND_BY;
  /** As it was typed. */
  name: string;
  /** Of the form, for what is wrong with it. */
  field: string;
}

/** @returns its Id @throws BadInput beside the field */
export async function findByName({ records }: SettingsDependencies, visit: Visit, asked: Asked): Promise<string> {
  const { type, field } = asked;
  const name = asked.name.trim();
  if (name === "") throw new BadInput(`${field} is missing.`);
  const pathValue = `base64|${Buffer.from(name).toString("base64")}`;
  const { fieldName, words } = FOUND_BY[type];
  try {
    const { record } = await records.of(type).read(visit.permitted("AccessManager:Read"), { pathValue, fieldName });
    return String(record.Id);
  } catch (error) {
    if (error instanceof BadInput) throw new BadInput(`${field}: ${error.errors.join(" ")}`);
    if (!(error instanceof NotFound)) throw error;
    throw new BadInput(`${field}: there is no ${words}.`);
  }
}
