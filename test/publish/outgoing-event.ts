import { randomUUID } from "node:crypto";
import type { OutgoingEvent } from "../../src/publish/sns-destination.ts";

export const event = (changes: Partial<OutgoingEvent> = {}): OutgoingEvent => {
  const id = randomUUID();
  return {
    id,
    source: "default",
    invoiceId: randomUUID(),
    type: "invoice.paid",
    invoiceType: "Live",
    collectionName: "Term 1",
    payload: `{"id":"${id}"}`,
    ...changes,
  };
};

export const batchOf = (count: number) => Array.from({ length: count }, () => event());
