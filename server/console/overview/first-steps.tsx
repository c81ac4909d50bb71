// Set-up steps for administrators of a new organisation, until all are done or the list is dismissed.

import { CONSOLE_APPLICATION } from "../../identity/index.ts";
import { ApiError } from "../../platform/errors.ts";
import { firstPage } from "../../platform/http/query.ts";
import { ActionButton, Badge, Link, Section } from "../../ui/index.ts";
import type { ConsoleServices, Visit } from "../page.tsx";
import { isGivenToUsers } from "../settings/roles.tsx";
import { mayAddConnection } from "../webhooks/save.tsx";
import type { OverviewPart } from "./part.ts";

export const DISMISS = "/settings/first-steps/dismiss";
const YEAR_SECONDS = 365 * 24 * 3_600;

interface Step {
  text: string;
  path: string;
  /** Whether the visitor may do the step and see its result. */
  isOpenTo(visit: Visit): boolean;
  /** Decided by the existing records. @throws Permission */
  isDone(deps: ConsoleServices, visit: Visit, deliveries: Promise<OverviewPart>): Promise<boolean>;
}

const GIVEN_APPLICATIONS = [CONSOLE_APPLICATION.name, "demo-client"];
const GIVEN_ROLE = "admin";
/** The number of records to read: more than a new tenant has. */
const FEW = 5;

const STEPS: Step[] = [
  {
    text: "Protect your own account with a second factor",
    path: "/account",
    isOpenTo: ({ caller }) => caller.actor.type === "User",
    isDone: async ({ users }, visit) =>
      (await users.findSecondFactor(visit.permitted("Settings:Read"), String(visit.caller.actor.id))) !== undefined,
  },
  {
    text: "Create your own application",
    path: "/settings/new-application",
    isOpenTo: (visit) => visit.may("AccessManager:Read") && visit.may("AccessManager:Create"),
    isDone: async (deps, visit) =>
      (await firstRecords(deps, visit, "Application")).some(({ Name }) => !GIVEN_APPLICATIONS.includes(String(Name))),
  },
  {
    text: "Add a user",
    path: "/settings/users/add",
    isOpenTo: (visit) => visit.may("AccessManager:Read") && visit.may("AccessManager:Create"),
    isDone: async (deps, visit) => (await firstRecords(deps, visit, "User")).length > 1,
  },
  {
    text: "Add a user to a role",
    path: "/settings/roles",
    isOpenTo: () => true,
    async isDone({ roles }, visit) {
      const { Items } = await roles.list(visit.permitted("Settings:Read"), {}, firstPage(10 * FEW));
      return Items.some((role) => role.Name !== GIVEN_ROLE && (role.Members.length > 0 || isGivenToUsers(role)));
    },
  },
  {
    text: "Connect a receiver for changes",
    path: "/settings/webhooks/add",
    isOpenTo: (visit) => visit.may("Webhooks:Read") && mayAddConnection(visit),
    isDone: async ({ connections }, { caller }) => (await connections.list(caller, {}, firstPage(1))).Items.length > 0,
  },
  {
    text: "See the first delivery arrive",
    path: "/settings/activity",
    isOpenTo: (visit) => visit.may("Webhooks:Read"),
    // The log is searched only if the counts of the same page do not say it.
    isDone: async ({ eventLog }, { caller }, deliveries) =>
      (await deliveries).hasDelivered ||
      (await eventLog.list(caller, { State: "Delivered" }, firstPage(1))).Items.length > 0,
  },
];

async function firstRecords({ records }: ConsoleServices, visit: Visit, name: string) {
  return (await records.of(name).list(visit.permitted("AccessManager:Read"), {}, firstPage(FEW))).Items;
}

/** @param deliveries the page's other part */
export async function firstStepsPart(
  deps: ConsoleServices,
  visit: Visit,
  deliveries: Promise<OverviewPart>,
): Promise<OverviewPart> {
  const isDismissed = deps.cookies.read(visit.request, "first-steps") === visit.caller.tenantId;
  if (isDismissed || !visit.may("Settings:Read") || !visit.may("Settings:Update")) return {};
  const open = STEPS.filter((step) => step.isOpenTo(visit));
  const steps = await Promise.all(
    open.map(async (step) => ({ step, isDone: await unlessHidden(step.isDone(deps, visit, deliveries)) })),
  );
  const shown = steps.filter(({ isDone }) => isDone !== undefined);
  const done = shown.filter(({ isDone }) => isDone).length;
  if (done === shown.length) return {};
  return {
    body: (
      <Section
        title={`First steps: ${done} of ${shown.length} done`}
        id="first-steps"
        buttons={<ActionButton visit={visit} action={DISMISS} label="Dismiss" />}
      >
        <ol class="steps">
          {shown.map(({ step: { text, path }, isDone }) => (
            <li>
              <Badge state={isDone ? "Done" : "To do"} tone={isDone ? "good" : "quiet"} />{" "}
              {isDone ? <span safe>{text}</span> : <Link href={visit.href(path)} text={text} />}
            </li>
          ))}
        </ol>
      </Section>
    ),
  };
}

/** @returns undefined if policies hide the records that the step depends on */
async function unlessHidden(isDone: Promise<boolean>): Promise<boolean | undefined> {
  try {
    return await isDone;
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

export async function dismissFirstSteps({ cookies }: ConsoleServices, visit: Visit): Promise<Response> {
  const answer = visit.goTo("/settings", "The first steps are dismissed.");
  answer.headers.append("set-cookie", cookies.set("first-steps", visit.caller.tenantId, YEAR_SECONDS));
  return answer;
}
