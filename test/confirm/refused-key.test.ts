import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { eventually, toBe, toEqual, toMatchObject } from "../support/eventually.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer, NOT_FOUND, type Script } from "../support/scripted-provider.ts";
import { confirmation, hurry, openAlarms, WAIT } from "./asking-fixture.ts";

describe("a refused key", () => {
  it("pauses the source only when an id that nobody has is refused too, and goes on by itself once it works", async () => {
    const around = await surroundings();
    const [id, collectionId] = [randomUUID(), randomUUID()];
    const refused: Script = { status: 401, body: { status: 401, message: "Invalid API key" } };
    around.provider.invoice(id, refused);
    around.provider.otherwise(refused);
    around.provider.collection(collectionId, refused);
    // A sweep that meets the refused key has an alarm of its own, and a time of its own to clear it.
    const pauses = async () => (await openAlarms(around)).filter(({ name }) => name === "source_paused");
    const relay = await startRelay(around.environment({ COLLECTION_IDS: collectionId }));
    await relay.callback({ data: { id } });
    await eventually(() => around.query("select paused_by from source"), toEqual([{ paused_by: "refused" }]));
    await eventually(
      () => pauses(),
      toMatchObject([{ name: "source_paused", detail: expect.stringContaining("COLLECTION_API_KEY") }]),
    );
    around.provider.invoice(id, invoiceAnswer(id));
    around.provider.otherwise(NOT_FOUND);
    around.provider.collection(collectionId, {
      status: 200,
      body: { status: "success", message: "ok", data: { id: collectionId, collectionName: "Term 1" } },
    });
    await vi.waitFor(async () => {
      await around.query("update source set probe_at = now() where probe_at is not null");
      await hurry(around, id);
      expect(await confirmation(around, id)).toMatchObject({ verdict: "paid" });
    }, WAIT);
    await eventually(() => pauses(), toEqual([]));
  });

  it("for one invoice alone is told after some minutes, and no longer once it is answered (G2)", async () => {
    const around = await surroundings();
    const [forbidden, fine] = [randomUUID(), randomUUID()];
    around.provider.otherwise(NOT_FOUND);
    around.provider.invoice(forbidden, { status: 403, body: { status: 403, message: "Not yours" } });
    around.provider.invoice(fine, invoiceAnswer(fine));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id: fine } });
    await eventually(() => confirmation(around, fine), toMatchObject({ verdict: "paid" }));
    await relay.callback({ data: { id: forbidden } });
    await eventually(
      () => confirmation(around, forbidden),
      toMatchObject({ state: "due", faults: expect.toSatisfy((faults: number) => faults >= 1) }),
    );
    expect(await openAlarms(around)).toEqual([]);

    await around.query("update confirmation set faults = 19 where state = 'due'");
    await vi.waitFor(async () => {
      await hurry(around, forbidden);
      expect(await openAlarms(around)).toMatchObject([
        { name: "invoice_unanswered", subject: forbidden, detail: expect.stringContaining("403") },
      ]);
    }, WAIT);

    around.provider.invoice(forbidden, invoiceAnswer(forbidden, { status: "Unpaid", paymentDate: null }));
    await vi.waitFor(async () => {
      await hurry(around, forbidden);
      expect(await openAlarms(around)).toEqual([]);
    }, WAIT);
    expect(await confirmation(around, forbidden)).toMatchObject({ state: "due", verdict: "pending" });
  });
});

describe("the collections that may be published", () => {
  const named = (id: string, collectionName: string): Script => ({
    status: 200,
    body: { status: "success", message: "ok", data: { id, collectionName } },
  });

  it("are named anew before an invoice is found foreign: a renamed collection quarantines nothing", async () => {
    const around = await surroundings();
    const [before, after, foreign, collectionId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    around.provider.collection(collectionId, named(collectionId, "Term 1"));
    around.provider.invoice(before, invoiceAnswer(before, { collectionName: "Term 1" }));
    around.provider.invoice(after, invoiceAnswer(after, { collectionName: "Autumn" }));
    around.provider.invoice(foreign, invoiceAnswer(foreign, { collectionName: "Elsewhere" }));
    const relay = await startRelay(around.environment({ COLLECTION_IDS: collectionId }));
    await relay.callback({ data: { id: before } });
    await eventually(() => confirmation(around, before), toMatchObject({ verdict: "paid" }));
    around.provider.collection(collectionId, named(collectionId, "Autumn"));
    await vi.waitFor(async () => {
      await relay.callback({ data: { id: after } });
      await eventually(async () => (await confirmation(around, after))?.state, toBe("done"));
      expect(await confirmation(around, after)).toMatchObject({ verdict: "paid" });
    }, WAIT);
    await relay.callback({ data: { id: foreign } });
    await eventually(() => confirmation(around, foreign), toMatchObject({ verdict: "quarantined" }));
    const foreignAlarms = () =>
      around.query("select subject from alarm where name = 'invoice_quarantined' and subject <> $1", [after]);
    await eventually(() => foreignAlarms(), toEqual([{ subject: foreign }]));
  });
});
