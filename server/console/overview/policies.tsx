// Policies that name records that do not exist, such as a role that was deleted.

import { firstOf } from "../../platform/errors.ts";
import { firstPage, MAX_LIMIT } from "../../platform/http/query.ts";
import type { PolicyRecord } from "../../records/index.ts";
import { Link, Section } from "../../ui/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import type { OverviewPart } from "./part.ts";

/** Empty if there is none, and for visitors who may not read policies. */
export async function policiesPart({ policies }: ConsoleServices, visit: Visit): Promise<OverviewPart> {
  if (!visit.may("Settings:Read")) return {};
  const { Items } = await policies.list(visit.permitted("Settings:Read"), {}, firstPage(MAX_LIMIT));
  const found = Items.filter(({ Findings }) => Findings.length > 0);
  if (found.length === 0) return {};
  const lineOf = ({ Id, Name, Findings }: PolicyRecord) => (
    <li>
      <Link href={visit.href(`/settings/policies/${Id}`)} text={Name} />
      {": "}
      <span safe>{Findings.map(({ Message }) => Message).join(" ")}</span>
    </li>
  );
  return {
    body: (
      <Section title="Policies with findings" id="policies">
        <ul>
          {firstOf(found.map(lineOf), (text) => (
            <li safe>{text}</li>
          ))}
        </ul>
      </Section>
    ),
  };
}
