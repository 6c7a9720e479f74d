import { randomUUID } from "node:crypto";
import type { Certificate } from "../../src/pipeline/reconcile/certificate/certificate.ts";
import { keepCertifiedDays } from "../../src/pipeline/reconcile/certified-days.ts";
import { openDatabase } from "./database.ts";

const tally = (count: number) => ({ count, amount: `${count}.50` });
const NONE = { count: 0, amount: "0.00" };

interface Given {
  from: string;
  to: string;
  /** When the period ended when left out. */
  madeAt?: string;
  /** The daily run's. */
  day?: string;
  result?: Certificate["result"];
  gaps?: number;
  collections?: readonly string[];
  days?: { day: string; paid: number; published: number; missing?: object; differences?: number }[];
  differences?: { day: string; weight: string; amount: string | null; [field: string]: unknown }[];
}

/** Keeps a finished certificate of the source `default`, as making one does. @returns its id. */
export async function addCertificate(databaseUrl: string, given: Given): Promise<string> {
  const { from, to, madeAt = to, day = null, result = "equal", collections = [], differences = [] } = given;
  const id = randomUUID();
  const named = differences.map((one) => ({
    ...{ invoiceId: randomUUID(), eventId: null, reason: "missing", detail: "why" },
    ...one,
  }));
  const gaps = given.gaps ?? named.filter(({ weight }) => weight === "gap").length;
  const days = (given.days ?? []).map(({ day, paid, published, missing = NONE, differences = 0 }) => ({
    ...{ day, paid: tally(paid), stored: tally(paid), published: tally(published), missing, differences },
  }));
  const total = { paid: tally(1), stored: tally(1), published: tally(1), missing: NONE, differences: 0 };
  const document = {
    ...{ id, source: "default", result, refusals: [], from, to, madeAt },
    collections: collections.map((one) => ({ id: one, name: "Term 1" })),
    ...{ basis: { zone: "UTC" }, days, total, test: tally(0), foreign: tally(0), currency: "NGN", gaps },
    ...{ differencesInAll: named.length, differences: named },
  } as unknown as Certificate;
  await openDatabase(databaseUrl)
    .transaction()
    .execute(async (trx) => {
      await trx
        .insertInto("certificate")
        .values({
          ...{ id, source: "default", day, state: "done", result, gaps, differences: named.length },
          ...{ window_from: new Date(from), window_to: new Date(to), finished_at: new Date(madeAt) },
          ...{ collection_ids: [...collections], document: JSON.stringify(document) },
        })
        .execute();
      await keepCertifiedDays(trx, document);
    });
  return id;
}
