import type { PasskeyRecord } from "../../identity/index.ts";
import { phrase, Text, Time } from "../../ui/index.ts";
import { belonging } from "./belongings.tsx";

/** Only users add passkeys. */
export const passkeys = belonging<PasskeyRecord>({
  title: "Passkeys",
  id: "passkeys",
  noun: "passkey",
  verb: "Remove",
  titleOf: ({ Name }) => Name,
  columns: () => [
    { name: "Made by", cell: ({ Name }) => <Text text={Name} /> },
    {
      name: "Copies",
      cell: ({ Is_Synced }) => <Text text={Is_Synced ? "synced between devices" : "one device only"} />,
    },
    { name: "Added", cell: ({ CreatedOn }) => <Time at={CreatedOn} ago /> },
    { name: "Last used", cell: ({ LastUsedOn }) => <Time at={LastUsedOn} ago /> },
  ],
  ask: ({ Name }) => ({
    title: phrase`Remove the passkey ${Name}?`,
    effects: [
      "It can no longer sign in as this user.",
      "Sign-ins that began with it stay; end them below if it is stolen.",
    ],
    confirm: "Remove passkey",
  }),
  find: async ({ users }, by, userId, id) =>
    (await users.listPasskeys(by, userId)).Items.find((passkey) => passkey.Id === id),
  async remove({ users }, by, userId, id) {
    await users.removePasskey(by, userId, id);
    return "The passkey is removed. If the user has no other way to sign in, create a password link.";
  },
});
