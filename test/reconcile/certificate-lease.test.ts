import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { claimAskedFor } from "../../src/reconcile/certificate/certificate-row.ts";
import { makeCertificates } from "../../src/reconcile/certificate/certify.ts";
import { noteShown } from "../../src/reconcile/certificate/listed-row.ts";
import { LeaseLost, leaseOf } from "../../src/work/lease.ts";
import { COLLECTION } from "./list-provider.ts";
import { midnight, place } from "./prove-period.ts";
import { books } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

describe("a certificate", () => {
  it("that another process has taken over keeps what that one has read (G7)", async () => {
    const given = await books();
    await place(given);
    const [collectionIds, window] = [[COLLECTION], { from: midnight(20), to: midnight(0) }];
    const asked = { source: "default", window, collectionIds, deep: false };
    const late = await claimAskedFor(given.db, asked, leaseOf(15_000));
    await given.query("update certificate set lease_token = gen_random_uuid()");
    const [seen, signal] = [randomUUID(), GO_ON];
    await noteShown(given.db, late.id, COLLECTION, 0, [seen], []);

    const request = { source: given.source, window, collectionId: null, signal };
    await expect(makeCertificates(given.context, request, late, 1)).rejects.toThrow(LeaseLost);

    expect(await given.query("select invoice_id from listed_payment")).toEqual([{ invoice_id: seen }]);
    expect(given.provider.queries).toEqual([]);
  });
});
