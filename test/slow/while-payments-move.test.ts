import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { dayOf } from "../../src/kit/time.ts";
import { COLLECTION, type ListedInvoice, startListProvider } from "../reconcile/list-provider.ts";
import { midnight, PAID_AT } from "../reconcile/prove-period.ts";
import { runCliProcess } from "../support/cli-process.ts";
import { startRelay, surroundings } from "../support/relay.ts";

/** Paid in the period, and no callback came. */
const MISSED = 40;
const ROUNDS = 3;

it("certify beside reconcile is never falsely green nor refused, and green in the end, while payments move (G10)", async () => {
  const around = await surroundings();
  const provider = await startListProvider();
  const add = (createdAt: Date, paidAt: Date | null) => {
    const invoice: ListedInvoice = { id: randomUUID(), createdAt, paidAt };
    provider.invoices.push(invoice);
    return invoice;
  };
  const missed = Array.from({ length: MISSED }, () => add(PAID_AT, PAID_AT).id);
  const unpaid = Array.from({ length: 300 }, () => add(midnight(1), null));
  await around.query(
    "insert into source (name, first_served_at) values ('default', now() - interval '30 days')",
  );
  const environment = around.environment({
    ...{ COLLECTION_API_URL: provider.url, COLLECTION_IDS: COLLECTION, RECONCILE_LOOKBACK: "1d" },
  });
  const relay = await startRelay(environment);

  // With each page one is paid, with its callback, or invalidated; sometimes another is created.
  let pages = 0;
  provider.beforePage = async () => {
    const one = unpaid.shift();
    if (one === undefined) return;
    pages += 1;
    if (pages % 4 === 0) unpaid.push(add(new Date(), null));
    if (pages % 3 === 0) one.status = "Invalidated";
    else {
      one.paidAt = new Date();
      await relay.callback({ id: one.id, status: "Paid" });
    }
  };
  const days = ["--from", dayOf(midnight(3)), "--to", dayOf(midnight(1)), "--json"];
  const published = () => new Set(around.sns.messages().map(({ message }) => JSON.parse(message).subject));

  const results: string[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const [certified, reconciled] = await Promise.all(
      ["certify", "reconcile"].map((command) => runCliProcess([command, ...days], environment)),
    );
    expect(reconciled?.code, reconciled?.stdout).toBe(0);
    const [certificate] = JSON.parse(certified?.stdout ?? "");
    const { result, refusals, total } = certificate;
    expect(refusals).toEqual([]);
    if (result === "equal") {
      expect(total).toMatchObject({ paid: { count: MISSED }, published: { count: MISSED } });
      expect(new Set(missed).difference(published()).size).toBe(0);
    }
    results.push(result);
  }
  expect(results.at(-1)).toBe("equal");
});
