import type { Caller } from "../access/index.ts";
import { Conflict } from "../errors.ts";
import type { Entity } from "./registry.ts";

/**
 * Who deletes or deactivates itself could not call again to undo it, and maybe nobody could.
 * @throws Conflict if the record is the client that calls, or the user it calls for
 */
export function refuseOwnEnd(
  { clientId, actor }: Pick<Caller, "clientId" | "actor">,
  entity: Entity,
  id: number,
  change: "delete" | "deactivate",
): void {
  const isClient = entity.name === "Application" && String(id) === clientId;
  if (!isClient && (entity.name !== actor.type || id !== actor.id)) return;
  const [itself, other] = isClient ? ["the client that calls", "another client"] : ["who is signed in", "another user"];
  throw new Conflict(
    `${entity.name} ${id} is ${itself}, which nobody may ${change} by itself. Use ${other} that may do it.`,
  );
}
