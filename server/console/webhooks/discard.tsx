// Discards a connection's held deliveries: first counts them, then cancels them.

import { momentInUtc } from "../../ui/index.ts";
import { DISCARD, toConnectionId } from "../../webhooks/index.ts";
import type { ConsolePage, ConsoleServices } from "../page.tsx";
import { type AskedCount, countingPages, howMany } from "./counting.tsx";
import { CONNECTIONS } from "./save.tsx";

const NEEDS = ["Webhooks:Update"] as const;
const FIELDS = {
  Before: {
    label: "Events before",
    type: "datetime-local",
    hint: "Held deliveries of events before that time. A time in the future means now.",
    required: true,
  },
} as const;
const PATH = "discard";
/** Milliseconds after which the page answers, with its progress if deliveries remain. */
const ANSWER_MS = 5_000;

interface AskedDiscard extends AskedCount {
  input: ReturnType<typeof DISCARD.parse>;
}

export function discardPages({ connections, discard }: ConsoleServices): ConsolePage[] {
  return countingPages<AskedDiscard>({
    title: "Discard",
    lead: <p>Held deliveries wait until the connection takes posts again. Here you can discard old ones.</p>,
    path: PATH,
    confirmPath: "confirm",
    kind: "danger",
    needs: NEEDS,
    // A past time, so the count does not change while changes continue.
    initial: ({ url }) => ({ Before: url.searchParams.get("Before") ?? new Date().toISOString().slice(0, 19) }),
    fields: FIELDS,
    async read({ caller, params }) {
      const { record } = await connections.read(caller, params.id!);
      caller.permissions.require("Webhooks:Update", "WebhookConnection", { ...record });
      return record;
    },
    async ask(visit, { Id, Name, URL }) {
      const input = DISCARD.parse({ Before: momentInUtc(visit.form.get("Before") ?? "") });
      const { Count } = await discard(visit.permitted(...NEEDS), Id, { ...input, DryRun: true });
      return {
        input,
        count: Count,
        title: "Discard them?",
        above: [{ name: "Discard", path: `${CONNECTIONS}/${Id}/${PATH}` }],
        effects: [
          howMany(Count, "No event of a held delivery is before this time.", "would be cancelled."),
          "They are not sent, unless you send them again later while their payloads are kept.",
        ],
        confirm: "Discard them",
        keep: "Keep them",
        fields: { Before: input.Before.toISOString() },
        basis: [Name, URL],
        back: `${CONNECTIONS}/${Id}`,
      };
    },
    async act(visit, { input, back }) {
      const end = performance.now() + ANSWER_MS;
      // Excludes deliveries that become Held meanwhile.
      const until = { ...input, Before: new Date(Math.min(input.Before.getTime(), Date.now())) };
      let [done, isMore] = [0, true];
      while (isMore && performance.now() < end) {
        const { Count, More } = await discard(visit.permitted(...NEEDS), toConnectionId(visit.params.id!), until);
        done += Count ?? 0;
        isMore = More;
      }
      const many = done === 0 ? "The" : done.toLocaleString("en");
      if (!isMore) return visit.goTo(back, `${many} held deliveries were discarded.`);
      const rest = new URLSearchParams({ Before: input.Before.toISOString().slice(0, 19) });
      const first = done === 0 ? "Many" : many;
      return visit.goTo(
        `${back}/${PATH}?${rest}`,
        `${first} held deliveries were discarded, and more are left. Continue with the rest.`,
      );
    },
  });
}
