import { storableText } from "../../kit/storable-text.ts";
import { NIL_UUID } from "../../kit/uuid.ts";
import { type Answer, toUtc } from "../../provider/answer.ts";
import { ListPace } from "../list/list-pace.ts";
import { ListUnreadable } from "../list/list-unreadable.ts";
import { plain } from "../list/listed-payment.ts";
import { toAsk } from "./gather.ts";
import { type AskedInvoice, noteAsked } from "./listed-row.ts";
import type { PeriodReading } from "./read-period.ts";

/** How many invoices are asked about at once and stored together. */
const BATCH = 8;

/**
 * Calls Get Invoice for what the lists leave open, or for everything when `deep`. The answers are stored as
 * they arrive, so that an interrupted run can be continued.
 * @param onAsked receives the number asked so far
 * @throws ListUnreadable or SourcePaused when the provider does not answer.
 */
export async function askInvoices(
  asking: Omit<PeriodReading, "collectionIds" | "period" | "onProgress">,
  deep: boolean,
  onAsked: (asked: number) => void,
): Promise<void> {
  const { db, source, certificateId } = asking;
  const pace = new ListPace(asking);
  const paid = new Set(source.paidStatuses.map(plain));
  let asked = 0;
  for (let after = NIL_UUID; ; ) {
    const ids = await toAsk(db, source, certificateId, { deep, after, limit: BATCH });
    const last = ids.at(-1);
    if (last === undefined) return;
    const answers = await Promise.all(
      ids.map(async (id) => meaningOf(id, await ask(asking, pace, id), paid, source.timeZone)),
    );
    await noteAsked(db, certificateId, answers);
    asked += ids.length;
    onAsked(asked);
    after = last;
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

const NOTHING = { status: null, type: null, collection: null, amount: null, paidAt: null, createdAt: null };

function meaningOf(
  invoiceId: string,
  answer: Answer,
  paid: ReadonlySet<string>,
  timeZone: string,
): AskedInvoice {
  // A 404 without the provider's own envelope may come from a gateway.
  if (answer.kind === "not_found")
    return { invoiceId, asked: answer.inOwnWords ? "not_found" : "unclear", ...NOTHING };
  if (answer.kind !== "found") return { invoiceId, asked: "unclear", ...NOTHING };
  const { status, type, collectionName, amount, paymentDate, dateCreated } = answer.invoice;
  return {
    invoiceId,
    asked: paid.has(plain(status)) ? "paid" : "not_paid",
    status: storableText(status),
    type: type === null ? null : storableText(type),
    collection: collectionName === null ? null : storableText(collectionName),
    amount,
    paidAt: toUtc(paymentDate, timeZone),
    createdAt: toUtc(dateCreated, timeZone),
  };
}
