import { RelayError } from "../kit/errors.ts";
import { eraseInvoice } from "../operate/erase.ts";
import { findInvoices } from "../operate/find-invoices.ts";
import { readEvidence } from "../operate/invoice-evidence.ts";
import { meaningOf } from "../operate/timeline-meaning.ts";
import { readTimeline } from "../operate/timeline-reading.ts";
import { planReplay } from "../replay/plan-replay.ts";
import { startReplay } from "../replay/start-replay.ts";
import { pageFrom } from "./cursor.ts";
import { type AdminContext, type Operation, operation } from "./operation.ts";
import * as schemas from "./payment-schemas.ts";
import { meantBy } from "./read-search.ts";
import { anything, erased, eraseRequest, idInPath, replayStarted } from "./schemas.ts";

const TAG = "Invoices";

export const paymentOperations: readonly Operation[] = [
  operation({
    id: "listInvoices",
    method: "get",
    path: "/invoices",
    tag: TAG,
    summary: "List payments, newest first, with filters",
    query: schemas.invoiceQuery,
    result: schemas.invoicePage,
    run: async ({ db }, { query: { cursor: from = null, limit, ...terms } }) =>
      pageFrom(await findInvoices(db, terms, { from, limit })),
  }),
  operation({
    id: "searchInvoices",
    method: "post",
    role: "read",
    path: "/invoices/search",
    tag: TAG,
    summary: "The same, also by the payer's e-mail address, which does not belong in a URL",
    body: schemas.invoiceSearch,
    result: schemas.invoicePage,
    async run({ db }, { body: { cursor: from = null, limit, text = "", ...terms } }) {
      const meanings = meantBy(text);
      // A further page is of the same meaning: those before it found nothing, and find nothing earlier.
      for (const meant of meanings) {
        const page = await findInvoices(db, { ...terms, ...meant }, { from, limit });
        if (page.items.length > 0 || page.next !== null || meant === meanings.at(-1)) return pageFrom(page);
      }
      return pageFrom({ items: [], next: null });
    },
  }),
  operation({
    id: "showInvoice",
    method: "get",
    path: "/invoices/{id}",
    tag: TAG,
    summary: "Show everything that happened to one invoice, and what it means",
    pathParameters: idInPath,
    result: anything,
    async run({ db }, { path: { id } }) {
      const timeline = await readTimeline(db, id);
      return timeline === null ? null : { ...timeline, meaning: meaningOf(timeline, new Date()) };
    },
  }),
  operation({
    id: "showEvidence",
    method: "get",
    path: "/invoices/{id}/evidence",
    tag: TAG,
    summary: "Show what callbacks claimed, the provider answered, and was published; includes personal data",
    pathParameters: idInPath,
    result: schemas.invoiceEvidence,
    run: ({ db, decode, mask }, { path: { id } }) => readEvidence(db, id, { decode, mask }),
  }),
  again(
    "askAgain",
    "ask",
    "confirmations",
    "Ask the provider about one invoice again; a running serve does it",
  ),
  again("publishAgain", "publish", "events", "Publish the event of one invoice again, with the same id"),
  operation({
    id: "eraseInvoice",
    method: "post",
    role: "admin",
    path: "/invoices/{id}/erase",
    tag: TAG,
    summary: "Blank the personal data of one invoice for good; ids, amounts and a digest are kept",
    pathParameters: idInPath,
    body: eraseRequest,
    result: erased,
    async run({ db, actor }, { path, body }) {
      const result = await eraseInvoice({ db, actor, invoiceId: path.id, ...body });
      return result.found ? result : null;
    },
  }),
];

/** A replay of one invoice. */
function again(id: string, verb: string, kind: "confirmations" | "events", summary: string): Operation {
  return operation({
    id,
    method: "post",
    path: `/invoices/{id}/${verb}`,
    tag: TAG,
    summary,
    pathParameters: idInPath,
    body: schemas.againRequest,
    result: replayStarted,
    async run(context, { path, body: { source, reason, dryRun } }) {
      const { db, actor, routes, readAgain } = context;
      const filters = { invoiceIds: [path.id], source };
      const request = { db, kind, filters, target: { kind: "topics" as const }, routes };
      if (dryRun) return { replay: null, plan: await planReplay({ ...request, readAgain }) };
      const replay = await startReplay({ ...request, actor, reason });
      if (replay !== null) return { replay, plan: null };
      if (kind === "confirmations" || (await isUnknown(context, path.id))) return null;
      throw new RelayError(
        "SNS has not accepted an event of this invoice yet. A waiting event is sent automatically; retry a " +
          "dead letter, or release an invoice from quarantine.",
      );
    },
  });
}

const isUnknown = async ({ db }: AdminContext, id: string): Promise<boolean> =>
  (await readTimeline(db, id)) === null;
