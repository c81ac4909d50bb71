// Signing keys, read-only: they belong to the installation, not to one organisation.

import type { SigningKeyRecord } from "../oauth/index.ts";
import { Badge, Code, EmptyState, Table, Text, Time } from "../ui/index.ts";
import type { ConsolePage, ConsoleServices, View } from "./page.tsx";
import { KeysPicture } from "./signing-keys-picture.tsx";
import type { Visit } from "./visit.ts";

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

function view(visit: Visit, keys: SigningKeyRecord[]): View {
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
            <p>No policy lets you read them. Their public parts are in the public key set.</p>
          </EmptyState>
        )}
        <div class="panel">
          <p>
            {"Tokens are signed by these keys, and others verify them by the "}
            <a href={visit.href("/.well-known/jwks.json")}>key set</a>
            {
              ". Each key is published a day before it signs, signs for 90 days, and stays published until its last token has expired. This is automatic."
            }
          </p>
          <p>
            {
              "The keys are the whole installation's. When one may have leaked, whoever runs the installation ends it, and all tokens it has signed, by "
            }
            <Code text="bun run keys rotate --leaked" copy />
            {
              ". Without --leaked, the command publishes a new key that signs ten minutes later, and what the old one has signed stays good."
            }
          </p>
        </div>
      </>
    ),
  };
}

const TONES = { Announced: "busy", Signing: "good", Retired: "quiet" } as const;

const COLUMNS = [
  { name: "Key", cell: ({ Id }: SigningKeyRecord) => <Code text={Id} copy /> },
  { name: "Algorithm", cell: ({ Alg }: SigningKeyRecord) => <Text text={Alg} /> },
  { name: "State", cell: ({ State }: SigningKeyRecord) => <Badge state={State} tone={TONES[State]} /> },
  { name: "Signs from", cell: ({ SignsFrom }: SigningKeyRecord) => <Time at={new Date(SignsFrom)} /> },
  { name: "Signs until", cell: ({ SignsUntil }: SigningKeyRecord) => <Time at={new Date(SignsUntil)} /> },
  { name: "Published until", cell: ({ PublishedUntil }: SigningKeyRecord) => <Time at={new Date(PublishedUntil)} /> },
];
