import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { pause, resume } from "../../src/operate/pause.ts";
import { readTimeline } from "../../src/operate/timeline-reading.ts";
import { runCli } from "../support/cli-process.ts";
import { openDatabase } from "../support/database.ts";
import { withDatabase } from "../support/log-rows.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const FAULT = { status: 503, body: { status: 503, message: "Down", errors: [] } };

describe("a timeline is history", () => {
  it("knows no failed ask of a payment that was answered and held back", async () => {
    const { around, db } = await withDatabase();
    const [id, ours] = [randomUUID(), randomUUID()];
    around.provider.collection(ours, {
      status: 200,
      body: { status: "success", message: "ok", data: { id: ours, collectionName: "Ours" } },
    });
    around.provider.invoice(id, invoiceAnswer(id));
    const relay = await startRelay(around.environment({ COLLECTION_IDS: ours }));
    await relay.callback({ data: { id } });
    await vi.waitFor(async () =>
      expect(await around.query("select verdict, state from confirmation")).toEqual([
        { verdict: "quarantined", state: "done" },
      ]),
    );
    const timeline = await readTimeline(db, id);
    expect(timeline?.entries.map(({ kind }) => kind)).not.toContain("ask_failed");
    expect(timeline?.entries).toContainEqual(
      expect.objectContaining({ kind: "verdict", verdict: "quarantined" }),
    );
    const shown = (await runCli(["invoice", id], around.environment())).stdout;
    expect(shown).not.toContain("asking the provider failed");
    expect(shown).toContain("It is paid, but held back: its collection is not in COLLECTION_IDS.");
  });

  it("keeps failed asks and sends, who paused, and the first verdict where it was", async () => {
    const around = await surroundings();
    const environment = around.environment({ COLLECTION_IDS: "none" });
    const db = openDatabase(around.databaseUrl);
    const relay = await startRelay(environment);
    const id = randomUUID();
    around.provider.invoice(id, FAULT, invoiceAnswer(id));
    around.sns.addFault({ kind: "fail-entries", senderFault: false, times: 1 });

    await pause({ db, actor: "cli:ada", work: "publish", names: "all", reason: "their deploy" });
    await relay.callback({ data: { id } });
    await vi.waitFor(async () =>
      expect(await around.query("select state from outbox")).toEqual([{ state: "due" }]),
    );
    expect(around.sns.messages()).toEqual([]);
    await resume({ db, actor: "cli:bob", work: "publish", names: "all", reason: "it is over" });
    await vi.waitFor(() => expect(around.sns.messages()).toHaveLength(1));
    await vi.waitFor(async () => expect(await around.query("select 1 from publication")).toHaveLength(1));

    const kinds = async () => (await readTimeline(db, id))?.entries.map(({ kind }) => kind);
    const first = await readTimeline(db, id);
    expect(await kinds()).toEqual(expect.arrayContaining(["ask_failed", "send_failed", "verdict", "action"]));
    const verdictOf = (timeline: typeof first) =>
      timeline?.entries.filter(({ kind }) => kind === "verdict").map(({ at }) => at);

    // Asked again, it is settled anew; where it was paid first still stands.
    await relay.callback({ data: { id } });
    await vi.waitFor(async () =>
      expect(await around.query("select requests, state from confirmation")).toEqual([
        { requests: 2, state: "done" },
      ]),
    );
    const second = await readTimeline(db, id);
    expect(verdictOf(second)?.[0]).toEqual(verdictOf(first)?.[0]);
    expect(verdictOf(second)).toHaveLength(2);
    // However often that happens, one of each is noted (G8).
    await relay.callback({ data: { id } });
    await vi.waitFor(async () =>
      expect(await around.query("select requests, state from confirmation")).toEqual([
        { requests: 3, state: "done" },
      ]),
    );
    expect(await around.query("select 1 from history_entry where kind = 'verdict'")).toHaveLength(1);

    const { stdout } = await runCli(
      ["replay", "events", "--invoice", id, "--reason", "lost there"],
      environment,
    );
    expect(stdout).toContain("done");
    const shown = (await runCli(["invoice", id], environment)).stdout;
    expect(shown).toMatch(/asking the provider failed: .*503/);
    expect(shown).toContain("sending to SNS failed: ");
    expect(shown).toContain(`pause.publish of ${around.topicArn} by cli:ada: their deploy`);
    expect(shown).toContain(`resume.publish of ${around.topicArn} by cli:bob: it is over`);
    expect(shown).toMatch(/SNS accepted it \(replay [0-9a-f-]{36} by cli:/);
    expect(shown).toContain("paid at 2026-11-01 09:00:00");

    const again = ["replay", "confirmations", "--invoice", id, "--reason", "their answer was wrong"];
    expect((await runCli(again, environment)).stdout).toContain("done");
    expect((await runCli(["invoice", id], environment)).stdout).toMatch(
      /replay\.confirmations of [0-9a-f-]{36} by cli:\S+: their answer was wrong/,
    );

    await runCli(["erase", id, "--yes", "--reason", "by letter"], environment);
    const erased = (await runCli(["invoice", id], environment)).stdout;
    expect(erased).toContain("personal data erased");
    expect(erased).toMatch(/callback recorded: POST, erased/);
    expect(erased).toMatch(/erase by cli:.*: by letter/);
  });

  it("notes the first fifty failures of an invoice, and no more (G8)", async () => {
    const around = await surroundings();
    const id = randomUUID();
    await around.query(
      `insert into history_entry (invoice_id, source, kind, detail)
       select $1, 'default', 'ask_failed', 'HTTP 503' from generate_series(1, 50)`,
      [id],
    );
    around.provider.invoice(id, FAULT, invoiceAnswer(id));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(() => expect(around.sns.messages()).toHaveLength(1));
    expect(await around.query("select 1 from history_entry where kind = 'ask_failed'")).toHaveLength(50);
  });
});
