import { randomUUID } from "node:crypto";
import { sendCallback } from "../torture/traffic.ts";
import type { World, WorldSource } from "../world/world.ts";
import type { Drive } from "./steps.ts";

/** Lets happen what leads through a step. What it starts may be cut off in the middle. */
export async function drive(world: World, what: Drive): Promise<void> {
  const [source] = world.sources;
  const [relay] = world.relays;
  if (source === undefined || relay === undefined) throw new Error("A world without a source or a relay.");
  const command = (...words: string[]) => relay.launch(words).ended;
  switch (what) {
    case "callback": {
      const id = await paidInvoice(world, source);
      await sendCallback(world, source, [id], "documented");
      return;
    }
    case "sweep":
      await paidInvoice(world, source);
      return;
    case "start":
      return;
    default:
      await command(what);
  }
}

async function paidInvoice({ provider }: World, source: WorldSource): Promise<string> {
  const id = randomUUID();
  const { collectionId, name } = source;
  await provider.keep({ id, collectionId, sources: [name], status: "Paid", amount: 12.5 });
  return id;
}
