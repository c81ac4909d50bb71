// The gate of every list in the OpenAPI document, for a client that may not see some records.

import { beforeAll, describe, expect, test } from "bun:test";
import { type Answer, ok } from "../world/api.ts";
import {
  asked,
  hide,
  type Item,
  listsOf,
  newWorld,
  pagesOf,
  uidOf,
  WITHIN_A_RECORD,
  type World,
} from "../world/spy.ts";

describe("every list", () => {
  let world: World;
  let lists: { path: string; name: string }[];
  const hidden = new Set<string>();
  const keyOf = ({ type, id }: { type: string; id: string }) => `${type} ${id}`;
  const isHidden = (name: string, item: Item) => {
    // If a connection is hidden, so are its alerts.
    if (name === "Alert" && hidden.has(keyOf({ type: "WebhookConnection", id: item.ConnectionId }))) return true;
    const uid = uidOf(name, item);
    return uid !== undefined && hidden.has(keyOf(uid));
  };

  beforeAll(async () => {
    world = await newWorld();
    lists = await listsOf(world);
    const uids: { type: string; id: string }[] = [];
    for (const { path, name } of lists) {
      const { Items } = await ok(world.admin.get(asked(path, "Limit=20")));
      // Two of three records, so a page of one must skip several.
      const some = Items.filter((item: Item, index: number) => index % 3 !== 1 && !isOwn(name, item));
      uids.push(...some.flatMap((item: Item) => uidOf(name, item) ?? []));
    }
    const distinct = [...new Map(uids.map((uid) => [keyOf(uid), uid])).values()];
    for (const uid of distinct) hidden.add(keyOf(uid));
    await hide(world, distinct);
  });

  /** Records needed for reading itself. */
  function isOwn(name: string, item: Item): boolean {
    if (name === "User") return item.Id === world.ids.User;
    if (name === "Policy") return item.Id === world.ids.Policy;
    if (name === "WebhookEvent") return item.EventId === world.ids.WebhookEvent;
    if (name === "Redelivery") return item.Id === world.ids.Redelivery;
    // They are hidden with their events. Both lists together would hide all of them.
    if (name === "Deliveries") return true;
    return name === "Application" && item.Id === world.spy.clientId;
  }

  test("shows permitted records only, without traces of others in pages, counts or cursors", async () => {
    expect(lists.length).toBeGreaterThanOrEqual(12);
    for (const { path, name } of lists) {
      const all = (await pagesOf(world.admin, path, 200)).flatMap(({ Items }) => Items);
      const readable = all.filter((item) => !isHidden(name, item));
      expect({
        path,
        all: all.length > 3,
        some: WITHIN_A_RECORD.includes(name) || readable.length < all.length,
      }).toEqual({
        path,
        all: true,
        some: true,
      });
      const pages = await pagesOf(world.spy, path, 1);
      const ids = (items: Item[]) =>
        items.map((item) => item.Id ?? item.EventId ?? item.ConnectionId ?? item.Number ?? item.Application.Id);
      expect({ path, items: ids(pages.flatMap(({ Items }) => Items)) }).toEqual({ path, items: ids(readable) });
      // Every page is full, and the last one is the end.
      expect({ path, pages: pages.map(({ Items }) => Items.length) }).toEqual({ path, pages: readable.map(() => 1) });
      for (const { Next } of pages) {
        const text = Buffer.from(Next ?? "", "base64url").toString("latin1");
        for (const id of ids(all))
          expect({ path, tells: text.includes(String(id)) && String(id).length > 2 }).toEqual({ path, tells: false });
      }
    }
  });

  test("accepts its own cursors only: none of another caller, list, filter or tenant", async () => {
    const stranger = await newWorld();
    const [own, others] = [await firstCursors(world), await firstCursors(stranger)];
    for (const [index, { path }] of lists.entries()) {
      const refused = async (what: string, answer: Promise<Answer>) => {
        const { status, body } = await answer;
        expect({ path, what, status, type: body.Type }).toEqual({
          path,
          what,
          status: 400,
          type: "/Errors/Bad Input",
        });
      };
      const cursor = own[index];
      expect({ path, status: (await world.spy.get(asked(path, `Cursor=${cursor}`))).status }).toEqual({
        path,
        status: 200,
      });
      await refused("another caller", world.admin.get(asked(path, `Cursor=${cursor}`)));
      await refused("another tenant", world.spy.get(asked(path, `Cursor=${others[index]}`)));
      await refused("another list", world.spy.get(asked(path, `Cursor=${own[(index + 1) % own.length]}`)));
      await refused("a changed one", world.spy.get(asked(path, `Cursor=${cursor!.slice(0, -4)}AAAA`)));
      await refused("a plain id", world.spy.get(asked(path, `Cursor=${Buffer.from("1").toString("base64url")}`)));
      const filter = await filterOf(path);
      if (filter) await refused("another filter", world.spy.get(asked(path, `${filter}&Cursor=${cursor}`)));
    }
  });

  async function firstCursors(of: World): Promise<string[]> {
    const paths = (await listsOf(of)).map(({ path }) => path);
    return Promise.all(paths.map(async (path) => (await ok(of.spy.get(asked(path, "Limit=1")))).Next));
  }

  /** A filter that the list supports, other than the cursor's filter. */
  async function filterOf(path: string): Promise<string | undefined> {
    for (const filter of [
      "Name=x",
      "Kind=SignOut",
      "State=Held",
      "Status=5xx",
      "ConnectionId=00000000-0000-7000-8000-000000000000",
    ]) {
      if ((await world.spy.get(asked(path, filter))).status === 200) return filter;
    }
    return undefined;
  }
});
