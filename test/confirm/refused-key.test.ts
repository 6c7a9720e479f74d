import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, toBe, toEqual, toMatchObject } from "../support/eventually.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer, NOT_FOUND, type Script } from "../support/scripted-provider.ts";
import { confirmation, hurry, openAlarms, WAIT } from "./asking-fixture.ts";

describe("a refused key", () => {
  it("pauses the source only when an id that nobody has is refused too, and goes on by itself once it works", async () => {
    const harness = await startHarness();
    const [id, collectionId] = [randomUUID(), randomUUID()];
    const refused: Script = { status: 401, body: { status: 401, message: "Invalid API key" } };
    harness.provider.invoice(id, refused);
    harness.provider.otherwise(refused);
    harness.provider.collection(collectionId, refused);
    // A sweep that meets the refused key has an alarm of its own, and a time of its own to clear it.
    const pauses = async () => (await openAlarms(harness)).filter(({ name }) => name === "source_paused");
    const relay = await startRelay(harness.environment({ COLLECTION_IDS: collectionId }));
    await relay.callback({ data: { id } });
    await eventually(
      () => harness.query("select paused_by from source"),
      toEqual([{ paused_by: "refused" }]),
    );
    await eventually(
      () => pauses(),
      toMatchObject([{ name: "source_paused", detail: expect.stringContaining("COLLECTION_API_KEY") }]),
    );
    harness.provider.invoice(id, invoiceAnswer(id));
    harness.provider.otherwise(NOT_FOUND);
    harness.provider.collection(collectionId, {
      status: 200,
      body: { status: "success", message: "ok", data: { id: collectionId, collectionName: "Term 1" } },
    });
    await vi.waitFor(async () => {
      await harness.query("update source set probe_at = now() where probe_at is not null");
      await hurry(harness, id);
      expect(await confirmation(harness, id)).toMatchObject({ verdict: "paid" });
    }, WAIT);
    await eventually(() => pauses(), toEqual([]));
  });

  it("for one invoice alone is told after some minutes, and no longer once it is answered (G2)", async () => {
    const harness = await startHarness();
    const [forbidden, fine] = [randomUUID(), randomUUID()];
    harness.provider.otherwise(NOT_FOUND);
    harness.provider.invoice(forbidden, { status: 403, body: { status: 403, message: "Not yours" } });
    harness.provider.invoice(fine, invoiceAnswer(fine));
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id: fine } });
    await eventually(() => confirmation(harness, fine), toMatchObject({ verdict: "paid" }));
    await relay.callback({ data: { id: forbidden } });
    await eventually(
      () => confirmation(harness, forbidden),
      toMatchObject({ state: "due", faults: expect.toSatisfy((faults: number) => faults >= 1) }),
    );
    expect(await openAlarms(harness)).toEqual([]);

    await harness.query("update confirmation set faults = 19 where state = 'due'");
    await vi.waitFor(async () => {
      await hurry(harness, forbidden);
      expect(await openAlarms(harness)).toMatchObject([
        { name: "invoice_unanswered", subject: forbidden, detail: expect.stringContaining("403") },
      ]);
    }, WAIT);

    harness.provider.invoice(forbidden, invoiceAnswer(forbidden, { status: "Unpaid", paymentDate: null }));
    await vi.waitFor(async () => {
      await hurry(harness, forbidden);
      expect(await openAlarms(harness)).toEqual([]);
    }, WAIT);
    expect(await confirmation(harness, forbidden)).toMatchObject({ state: "due", verdict: "pending" });
  });
});

describe("the collections that may be published", () => {
  const named = (id: string, collectionName: string): Script => ({
    status: 200,
    body: { status: "success", message: "ok", data: { id, collectionName } },
  });

  it("are named anew before an invoice is found foreign: a renamed collection quarantines nothing", async () => {
    const harness = await startHarness();
    const [before, after, foreign, collectionId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    harness.provider.collection(collectionId, named(collectionId, "Term 1"));
    harness.provider.invoice(before, invoiceAnswer(before, { collectionName: "Term 1" }));
    harness.provider.invoice(after, invoiceAnswer(after, { collectionName: "Autumn" }));
    harness.provider.invoice(foreign, invoiceAnswer(foreign, { collectionName: "Elsewhere" }));
    const relay = await startRelay(harness.environment({ COLLECTION_IDS: collectionId }));
    await relay.callback({ data: { id: before } });
    await eventually(() => confirmation(harness, before), toMatchObject({ verdict: "paid" }));
    harness.provider.collection(collectionId, named(collectionId, "Autumn"));
    await vi.waitFor(async () => {
      await relay.callback({ data: { id: after } });
      await eventually(async () => (await confirmation(harness, after))?.state, toBe("done"));
      expect(await confirmation(harness, after)).toMatchObject({ verdict: "paid" });
    }, WAIT);
    await relay.callback({ data: { id: foreign } });
    await eventually(() => confirmation(harness, foreign), toMatchObject({ verdict: "quarantined" }));
    const foreignAlarms = () =>
      harness.query("select subject from alarm where name = 'invoice_quarantined' and subject <> $1", [
        after,
      ]);
    await eventually(() => foreignAlarms(), toEqual([{ subject: foreign }]));
  });
});
