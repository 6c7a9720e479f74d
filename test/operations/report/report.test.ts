import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dayOf } from "../../../src/platform/values/time.ts";
import { addCertificate } from "../../support/certificates.ts";
import { runCli } from "../../support/cli-process.ts";
import { rowsOf } from "../../support/csv-rows.ts";
import { startHarness } from "../../support/relay.ts";
import { addPayments, type GivenPayment } from "../add-payments.ts";
import { books, OCTOBER } from "./october.ts";

const RELEASED = { verdict: "paid", releasedAt: "2026-10-02T00:00:00Z", paidAt: "2026-10-01T12:00:00Z" };

describe("report", () => {
  it("has every payment of the days of the books once", async () => {
    const { harness, ids, report } = await books();
    // Postgres cannot read what stands in it.
    const document = JSON.stringify({ title: "\ud800", payerName: "Ada\0" });
    await harness.query("update invoice set document = $1 where id = $2", [document, ids[2]]);
    const { code, stdout, stderr } = await report(`payments ${OCTOBER}`);
    expect([code, stderr]).toEqual([0, ""]);
    const rows = rowsOf(stdout);
    const payments = rows.filter(({ row }) => row === "payment");
    expect(payments.map(({ invoice_id }) => invoice_id)).toEqual([ids[7], ids[1], ids[2]]);
    expect(payments[1]).toEqual({
      ...{ row: "payment", source: "default", collection: "Shop", reference: "order-1", invoice_id: ids[1] },
      ...{ payer: "Ada Obi", method: "Card", amount: "40400.10", service_charge: "100.00", vat: "7.50" },
      ...{ total: "40507.60", settleable: "40400.10", currency: "NGN", day: "2026-10-01", verdict: "paid" },
      ...{ paid: "2026-10-01 00:00:00", called_back: "2026-10-01 00:00:02", time_zone: "Africa/Lagos" },
      ...{ confirmed: "2026-10-01 00:00:04", published_at: "2026-10-01 00:00:04" },
      message_id: `message-${ids[1]}`,
    });
    expect(payments[2]).toMatchObject({ reference: "'=HYPERLINK(0)", payer: "Ada\ufffd" });
    expect(rows).toHaveLength(3);
  });

  it("differences are those of the newest certificate of a day, by the collection of their invoice", async () => {
    const harness = await startHarness();
    const COLLECTION_IDS = randomUUID();
    const [shop = "", school = ""] = await addPayments(harness.query, [
      { amount: "40.10", reference: "order-1", paidAt: "2026-10-01T12:00:00Z" },
      { amount: "50.10", collection: "School", paidAt: "2026-10-01T13:00:00Z" },
    ]);
    const gap = { reason: "unpublished", weight: "gap", day: "2026-10-01", detail: "=1+1" };
    const certify = (madeAt: string, differences: { invoiceId: string; amount: string }[]) =>
      addCertificate(harness.databaseUrl, {
        ...{ from: "2026-10-01T00:00Z", to: "2026-10-02T00:00Z", madeAt, result: "not_equal" },
        ...{ differences: differences.map((one) => ({ ...gap, ...one })), collections: [COLLECTION_IDS] },
      });
    const ofShop = (amount: string) => ({ invoiceId: shop, amount });
    await certify("2026-10-03T00:00Z", [ofShop("1.00")]);
    await certify("2026-10-04T00:00Z", [ofShop("40.10"), { invoiceId: school, amount: "50.10" }]);
    const differences = async (words: string) => {
      const { stdout } = await runCli(
        ["report", "differences", ...words.split(" ")],
        harness.environment({ COLLECTION_IDS }),
      );
      return rowsOf(stdout);
    };
    expect(await differences("--from 2026-10-01 --to 2026-10-01")).toMatchObject([
      { invoice_id: shop, collection: "Shop", amount: "40.10" },
      { invoice_id: school, collection: "School", amount: "50.10" },
    ]);
    expect(await differences("--from 2026-10-01 --to 2026-10-02 --collection Shop")).toMatchObject([
      { reference: "order-1", weight: "gap", reason: "unpublished", detail: "'=1+1" },
      { day: "2026-10-02", weight: "unproven", reason: "no_certificate" },
    ]);
    // Of days with payments alone, however long the period: a row of each day since year 1 took gigabytes.
    const ever = (await differences("--from 0001-01-01 --to 9999-12-30")).map(({ day = "" }) => day);
    expect(ever[0]).toBe("2000-01-01");
    expect(ever).toContain("2026-10-01");
    expect(ever.filter((day) => day > dayOf(Date.now()))).toEqual([]);
  });

  it("what was released from quarantine is in it only once its collection is proven to be ours", async () => {
    const { harness } = await books([
      { ...RELEASED, amount: "1.00", collection: "Term 1" },
      { ...RELEASED, amount: "2.00", collection: "Somebody else's" },
      { amount: "4.00", paidAt: RELEASED.paidAt, collection: "As it was called before" },
    ]);
    const ours = randomUUID();
    const OURS = ["4.00", "1.00"];
    const days = { from: "2026-10-01T00:00Z", to: "2026-10-02T00:00Z" };
    await addCertificate(harness.databaseUrl, { ...days, collections: [ours] });
    const total = async (COLLECTION_IDS: string) => {
      const environment = harness.environment({ COLLECTION_IDS });
      const { stdout } = await runCli(["report", "days", ...OCTOBER.split(" ")], environment);
      return rowsOf(stdout).map(({ amount }) => amount);
    };
    expect(await total(ours)).toEqual(OURS);
    // Another collection, of which nothing is proven yet, changes nothing about the first.
    expect(await total(`${ours},${randomUUID()}`)).toEqual(OURS);
    expect(await total(randomUUID())).toEqual(["4.00"]);
    expect(await total("none")).toHaveLength(3);
  });

  it("reads page by page without losing or repeating one, however many are paid in one moment", async () => {
    const many = Array.from(
      { length: 1_203 },
      (_, n): GivenPayment => ({ amount: `${n}.01`, paidAt: "2026-10-10T12:00:00Z" }),
    );
    const { ids, report } = await books(many);
    const rows = rowsOf((await report(`payments ${OCTOBER}`)).stdout);
    expect(rows.map(({ invoice_id }) => invoice_id)).toEqual(ids.toSorted());
  });
});
