// Sends a form that asks for confirmation, over plain HTTP.

import { expect } from "bun:test";
import type { Api } from "../world/api.ts";
import { issuer } from "../world/client.ts";
import { type Form, type View, Visitor } from "../world/visitor.ts";
import type { Asking } from "./asking.ts";

export async function enter({ tenant }: Api, by = tenant.admin): Promise<Visitor> {
  const visitor = new Visitor(issuer());
  await visitor.submit(await visitor.open(`/settings?organisation=${tenant.tenantId}`), by);
  return visitor;
}

const has = (form: Form, fields: Record<string, string> = {}) =>
  Object.entries(fields).every(([name, value]) => form.fields[name] === value);

/** The form as the page shows it, and its target. */
export async function shownBy(visitor: Visitor, { page, first, typed, action, fields }: Asking): Promise<Form> {
  let view: View = await visitor.open(page);
  if (first) {
    const form = view.forms.find(
      (one) => "States" in one.fields || "PrincipalType" in one.fields || "Time" in one.fields,
    )!;
    view = await visitor.post(form.action, { ...form.fields, ...first });
    const counted = view.forms.find((one) => "shown" in one.fields)!;
    expect(view.html).toContain(`formaction="${action}"`);
    return { action, fields: { ...counted.fields, ...first } };
  }
  const form = view.forms.find((one) => one.action === action && has(one, fields));
  expect({ page, action, forms: form ? "it is there" : view.forms }).toMatchObject({ forms: "it is there" });
  return { action, fields: { ...form!.fields, ...typed } };
}

export const sent = (visitor: Visitor, { action, fields }: Form) => visitor.post(action, fields);
