import { classOfStatus, type StatusSets, statusSets } from "../../confirm/invoices/status-class.ts";
import { storableText } from "../../kit/text.ts";
import { type Answer, toUtc } from "../../provider/answer.ts";
import { ListPace } from "../list/list-pace.ts";
import { ListUnreadable } from "../list/list-unreadable.ts";
import { idsToAsk } from "./gather.ts";
import { type AskedInvoice, countUnasked, noteAsked } from "./listed-row.ts";
import type { PeriodReading } from "./read-period.ts";

/** How many invoices are asked about at once and stored together. */
const BATCH = 8;

/**
 * Calls Get Invoice for what the lists leave open, or for everything when `deep`. The answers are stored as
 * they arrive, so that an interrupted run can be continued.
 * @param onAsked receives the number asked so far, and when `deep` that of all
 * @throws ListUnreadable or SourcePaused when the provider does not answer.
 */
export async function askInvoices(
  asking: Omit<PeriodReading, "collectionIds" | "period" | "onProgress">,
  deep: boolean,
  onAsked: (asked: number, total: number | null) => void,
): Promise<void> {
  const { db, source, certificateId } = asking;
  const pace = new ListPace(asking);
  const sets = statusSets(source);
  let asked = 0;
  const total = deep ? await countUnasked(db, certificateId) : null;
  onAsked(0, total);
  for await (const ids of idsToAsk(db, source, certificateId, { deep, atOnce: BATCH })) {
    const answers = await Promise.all(
      ids.map(async (id) => meaningOf(id, await ask(asking, pace, id), sets, source.timeZone)),
    );
    await noteAsked(db, certificateId, answers);
    asked += ids.length;
    onAsked(asked, total);
  }
}

const ask = (
  { source, signal }: Pick<PeriodReading, "source" | "signal">,
  pace: ListPace,
  invoiceId: string,
): Promise<Answer> =>
  pace.call(async () => {
    const answer = await source.provider.askInvoice(invoiceId, { signal });
    if (answer.kind === "found" || answer.kind === "outside_contract") return answer;
    if (answer.kind === "not_found") return answer;
    throw new ListUnreadable(`Get Invoice by ID of ${invoiceId}`, answer);
  });

const MEANING = { paid: "paid", invalid: "not_paid", unpaid: "not_paid", unknown: "unknown" } as const;

const NOTHING = { status: null, type: null, collection: null, amount: null, paidAt: null, createdAt: null };

function meaningOf(invoiceId: string, answer: Answer, sets: StatusSets, timeZone: string): AskedInvoice {
  // A 404 without the provider's own envelope may come from a gateway.
  if (answer.kind === "not_found")
    return { invoiceId, asked: answer.inOwnWords ? "not_found" : "unclear", ...NOTHING };
  if (answer.kind !== "found") return { invoiceId, asked: "unclear", ...NOTHING };
  const { status, type, collectionName, amount, paymentDate, dateCreated } = answer.invoice;
  return {
    invoiceId,
    asked: MEANING[classOfStatus(status, sets)],
    status: storableText(status),
    type: type === null ? null : storableText(type),
    collection: collectionName === null ? null : storableText(collectionName),
    amount,
    paidAt: toUtc(paymentDate, timeZone),
    createdAt: toUtc(dateCreated, timeZone),
  };
}
