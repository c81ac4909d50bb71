// Signing keys, read-only: they belong to the installation, not to one organisation.

import type { signing } from "../identity/index.ts";
import { Badge, Code, type Column, EmptyState, Table, Text, Time } from "../ui/index.ts";
import type { ConsolePage, ConsoleServices, View, Visit } from "./page.tsx";
import { KeysPicture } from "./signing-keys-picture.tsx";

export function signingKeyPages({ signingKeys }: ConsoleServices): ConsolePage[] {
  return [
    {
      path: "/settings/signing-keys",
      area: "Signing keys",
      GET: {
        needs: ["Settings:Read"],
        answer: async (visit) => view(visit, (await signingKeys.list(visit.permitted("Settings:Read"))).Items),
      },
    },
  ];
}

function view(visit: Visit, keys: signing.SigningKeyRecord[]): View {
  return {
    title: "Signing keys",
    body: (
      <>
        {keys.length > 0 ? (
          <>
            <KeysPicture keys={keys} now={Date.now()} />
            <Table caption="Signing keys" columns={COLUMNS} rows={keys} />
          </>
        ) : (
          <EmptyState title="No keys to see">
            <p>Your policies do not let you read them. The public keys are in the key set.</p>
          </EmptyState>
        )}
        <div class="panel">
          <p>
            These keys sign tokens, which others verify with the{" "}
            <a href={visit.href("/.well-known/jwks.json")}>key set</a>. Each key is published a day before it signs,
            signs for 90 days, and stays published until its last token has expired. This is automatic.
          </p>
          <p>
            All tenants share the keys. If a key may have leaked, the operator removes it and invalidates its tokens
            with <Code text="bun run keys rotate --leaked" copy />. Without --leaked, the command publishes a new key
            that signs ten minutes later, and tokens signed by the old one stay valid.
          </p>
        </div>
      </>
    ),
  };
}

const TONES = { Announced: "busy", Signing: "good", Retired: "quiet" } as const;

const COLUMNS: Column<signing.SigningKeyRecord>[] = [
  { name: "Key", cell: ({ Id }) => <Code text={Id} copy /> },
  { name: "Algorithm", cell: ({ Alg }) => <Text text={Alg} /> },
  { name: "State", cell: ({ State }) => <Badge state={State} tone={TONES[State]} /> },
  { name: "Signs from", cell: ({ SignsFrom }) => <Time at={SignsFrom} /> },
  { name: "Signs until", cell: ({ SignsUntil }) => <Time at={SignsUntil} /> },
  { name: "Published until", cell: ({ PublishedUntil }) => <Time at={PublishedUntil} /> },
];
