import { ActionButton, Badge, ButtonLink, Table, Text } from "../components/index.ts";
import type { SettingsDependencies } from "../dependencies.ts";
import type { View } from "../page.ts";
import type { Visit } from "../visit.ts";
import { aboveOf, pathOf } from "./provider.ts";

const TONES = { Passed: "good", Failed: "bad", Unknown: "quiet" } as const;

/** What a sign-in would ask the provider, but for the user. */
export async function testProvider({ providers }: SettingsDependencies, visit: Visit): Promise<View> {
  const { params } = visit;
  const { record: provider } = await providers.read(visit.permitted("Settings:Read"), params.id!);
  const { Works, Checks } = await providers.test(visit.permitted("Settings:Update"), params.id!);
  return {
    title: "Test of the connection",
    above: aboveOf(provider),
    lead: (
      <Badge
        state={Works ? "Nothing is wrong, as far as that can be told without a user" : "Signing in would fail"}
        tone={Works ? "good" : "bad"}
      />
    ),
    body: (
      <>
        <Table
          caption="What was asked"
          rows={Checks}
          columns={[
            { name: "Asked for", cell: ({ Name }) => <Text text={Name} /> },
            { name: "Outcome", cell: ({ Outcome }) => <Badge state={Outcome} tone={TONES[Outcome]} /> },
            { name: "What was found", cell: ({ Message }) => <Text text={Message} /> },
          ]}
        />
        <div class="buttons">
          <ActionButton visit={visit} action={`${pathOf(provider)}/test`} label="Test again" />
          <ButtonLink href={visit.href(pathOf(provider))}>Back to the provider</ButtonLink>
        </div>
      </>
    ),
  };
}
