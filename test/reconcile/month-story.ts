import { expect } from "vitest";
import {
  certify,
  deleteEvents,
  eventsOnTopic,
  forget,
  liveThrough,
  type Month,
  type MonthShape,
  sweepNow,
  untilPublished,
} from "./month.ts";

/** Faults of the collection service's list: one way each to understand what the interface leaves open. */
type ListReading = { datesMean: "creation" | "payment"; includesTest: boolean };

/** A month is lived through and proven; then it is lost and found again under each other reading. */
export async function provesMonth(shape: MonthShape, [first, ...others]: ListReading[]): Promise<Month> {
  const month = await liveThrough(shape, { list: first });
  await sweepNow(month);
  await untilPublished(month, shape.paid);
  await isWhole(month);
  expect(await foundByReconcile(month)).toEqual([...month.missed].sort());
  const before = eventsOnTopic(month);
  expect([...before.keys()].sort()).toEqual([...month.paid].sort());
  expect([...before.values()].every((copies) => copies.length === 1)).toBe(true);

  for (const list of others) {
    await month.service.control("PUT", "/faults", { list });
    await isWhole(month);
    await forget(month, month.missed);
    const lost = await certify(month);
    expect(lost.code).toBe(1);
    const reasons = lost.certificate.differences.map((named: { reason: string }) => named.reason);
    expect(reasons).toEqual(month.missed.map(() => "missing"));
    await sweepNow(month);
    await untilPublished(month, shape.paid);
    await isWhole(month);
    expect(await foundByReconcile(month)).toEqual([...month.missed].sort());
  }
  const ids = [...eventsOnTopic(month).values()].map((copies) => new Set(copies).size);
  expect(Math.max(...ids)).toBe(1);
  return month;
}

async function isWhole(month: Month): Promise<void> {
  const { code, certificate } = await certify(month);
  expect(certificate.differences).toEqual([]);
  const { paid, stored, published } = certificate.total;
  expect(paid.count).toBe(month.proven);
  expect([stored, published]).toEqual([paid, paid]);
  expect(code).toBe(0);
}

async function foundByReconcile({ around }: Month): Promise<string[]> {
  const rows = await around.query<{ id: string }>(
    "select invoice_id as id from confirmation where opened_by = 'reconcile' order by invoice_id",
  );
  return rows.map(({ id }) => id);
}

/**
 * One event row deleted by hand, its publication left: `certify` names the invoice, and the next sweep heals
 * it.
 */
export async function namesHole(month: Month, count: number): Promise<void> {
  const hole = month.missed.at(-1) ?? "";
  const [event] = eventsOnTopic(month).get(hole) ?? [];
  await deleteEvents(month, [hole]);
  const { code, certificate } = await certify(month);
  expect(code).toBe(1);
  expect(certificate).toMatchObject({
    gaps: 1,
    // Its acceptance is of today, and so named with today's payments.
    differences: [{ invoiceId: hole, reason: "event_missing", weight: "gap" }],
  });
  await sweepNow(month);
  await untilPublished(month, count);
  expect(eventsOnTopic(month).get(hole)?.at(-1)).toBe(event);
  await isWhole(month);
}
