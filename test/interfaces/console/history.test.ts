import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { pause, resume } from "../../../src/operations/pause.ts";
import { readTimeline } from "../../../src/operations/timeline-reading.ts";
import { runCli } from "../../support/cli-process.ts";
import { openDatabase } from "../../support/database.ts";
import { startHarness, startRelay } from "../../support/relay.ts";
import { invoiceAnswer } from "../../support/scripted-provider.ts";

const FAULT = { status: 503, body: { status: 503, message: "Down", errors: [] } };

describe("a timeline is history", () => {
  it("keeps failed asks and sends, and the first verdict where it was", async () => {
    const harness = await startHarness();
    const environment = harness.environment({ COLLECTION_IDS: "none" });
    const db = openDatabase(harness.databaseUrl);
    const relay = await startRelay(environment);
    const id = randomUUID();
    harness.provider.invoice(id, FAULT, invoiceAnswer(id));
    harness.sns.addFault({ kind: "fail-entries", senderFault: false, times: 1 });

    await pause({ db, actor: "cli:ada", work: "publish", names: "all", reason: "their deploy" });
    await relay.callback({ data: { id } });
    await vi.waitFor(async () =>
      expect(await harness.query("select state from outbox")).toEqual([{ state: "due" }]),
    );
    expect(harness.sns.messages()).toEqual([]);
    await resume({ db, actor: "cli:bob", work: "publish", names: "all", reason: "it is over" });
    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
    await vi.waitFor(async () => expect(await harness.query("select 1 from publication")).toHaveLength(1));

    const kinds = async () => (await readTimeline(db, id))?.entries.map(({ kind }) => kind);
    const first = await readTimeline(db, id);
    expect(await kinds()).toEqual(expect.arrayContaining(["ask_failed", "send_failed", "verdict"]));
    const verdictOf = (timeline: typeof first) =>
      timeline?.entries.find(({ kind }) => kind === "verdict")?.at;

    // Asked again, it is settled anew; where it was paid first still stands.
    await relay.callback({ data: { id } });
    await vi.waitFor(async () =>
      expect(await harness.query("select requests, state from confirmation")).toEqual([
        { requests: 2, state: "done" },
      ]),
    );
    const second = await readTimeline(db, id);
    expect(verdictOf(second)).toEqual(verdictOf(first));
    const told = (await kinds())?.filter((kind) => /^(answer|verdict|event|publication)$/.test(kind));
    expect(told).toEqual(["verdict", "event", "publication", "answer", "verdict"]);
    // However often that happens, one of each is noted (G8).
    await relay.callback({ data: { id } });
    await vi.waitFor(async () =>
      expect(await harness.query("select requests, state from confirmation")).toEqual([
        { requests: 3, state: "done" },
      ]),
    );
    expect(await harness.query("select 1 from history_entry where kind = 'verdict'")).toHaveLength(1);

    const again = ["replay", "events", "--invoice", id, "--reason", "lost there"];
    expect((await runCli(again, environment)).code).toBe(0);
    const { entries = [] } = (await readTimeline(db, id)) ?? {};
    const sent = entries.filter(({ kind }) => kind === "publication");
    expect(sent).toMatchObject([{ replayId: null }, { replayedBy: expect.stringMatching(/^cli:/) }]);
  });

  it("notes the first fifty failures of an invoice, and no more (G8)", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    await harness.query(
      `insert into history_entry (invoice_id, source, kind, detail)
       select $1, 'default', 'ask_failed', 'HTTP 503' from generate_series(1, 50)`,
      [id],
    );
    harness.provider.invoice(id, FAULT, invoiceAnswer(id));
    const relay = await startRelay(harness.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
    expect(await harness.query("select 1 from history_entry where kind = 'ask_failed'")).toHaveLength(50);
  });
});
