import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import type { ListedInvoice } from "./list-provider.ts";
import { type Books, books } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

const pay = ({ provider }: Books, shown: Partial<ListedInvoice>): string => {
  const id = randomUUID();
  provider.invoices.push({ id, createdAt: new Date(), paidAt: new Date(), ...shown });
  return id;
};

const sweep = async (given: Books): Promise<string[]> => {
  await sweepPass({ ...given.context, intervalMs: 0 }, GO_ON);
  const rows = await given.query<{ id: string }>(
    "select invoice_id as id from confirmation where state = 'due' order by invoice_id",
  );
  return rows.map(({ id }) => id);
};

/** As if each open confirmation had been asked, to this end. */
const end = ({ query }: Books, verdict: string) =>
  query("update confirmation set state = 'done', verdict = $1", [verdict]);

describe("a payment that the list calls something else (G10)", () => {
  it("is asked about once, and again only when its listed item changed", async () => {
    const given = await books();
    const id = pay(given, { label: "On hold", datePaid: null });
    expect(await sweep(given)).toEqual([id]);
    for (const verdict of ["not_paid", "invalidated", "unknown_invoice"]) {
      await end(given, verdict);
      expect(await sweep(given)).toEqual([]);
      const [item] = given.provider.invoices;
      if (item !== undefined) item.label = `After ${verdict}`;
      expect(await sweep(given)).toEqual([id]);
    }
    await given.query("update confirmation set state = 'dead', verdict = 'pending'");
    expect(await sweep(given)).toEqual([]);
  });
});
