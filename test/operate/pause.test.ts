import { describe, expect, it, vi } from "vitest";
import { listPausable, noticeEndedPauses, pause, resume } from "../../src/operate/pause.ts";
import { claimEvents } from "../../src/publish/claim-events.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { addEvents, withDatabase } from "../support/log-rows.ts";
import { startRelay } from "../support/relay.ts";

const actor = "cli:test";

describe("pause and resume", () => {
  it("confirm: callbacks are recorded and nobody is asked; resumed, all of it is", async () => {
    const { harness, db } = await withDatabase();
    const relay = await startRelay(harness.environment());
    expect(await pause({ db, actor, work: "confirm", names: "all" })).toMatchObject({ changed: ["default"] });
    const id = harness.provider.paid();

    expect((await relay.callback({ data: { id } })).status).toBe(200);
    await vi.waitFor(async () =>
      expect(await harness.query("select state from confirmation")).toEqual([{ state: "due" }]),
    );
    expect(harness.provider.requests.filter((path) => path.includes(id))).toEqual([]);

    expect(await resume({ db, actor, work: "confirm", names: ["default"] })).toMatchObject({
      changed: ["default"],
    });
    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
    expect(await harness.query("select actor, action, subject from audit_entry order by id")).toEqual([
      { actor, action: "pause.confirm", subject: "default" },
      { actor, action: "resume.confirm", subject: "default" },
    ]);
  });

  it("publish: the events of a paused topic are taken by nobody; resumed, they are", async () => {
    const { harness, db } = await withDatabase();
    const { topicArn } = harness;
    await harness.query("insert into topic (arn) values ($1)", [topicArn]);
    await addEvents(harness, 1, { state: "due" });
    const claim = {
      route: { source: "default", invoiceType: "Live", topicArn },
      wanted: 9,
      lease: leaseOf(9_000),
    } as const;
    await pause({ db, actor, work: "publish", names: [topicArn] });
    expect((await claimEvents(db, claim)).items).toEqual([]);
    await resume({ db, actor, work: "publish", names: "all" });
    expect((await claimEvents(db, claim)).items).toHaveLength(1);
  });

  it("says what was so already and what nobody knows, and audits only what changed", async () => {
    const { harness, db } = await withDatabase();
    await harness.query("insert into source (name) values ('one')");
    await pause({ db, actor, work: "confirm", names: ["one"] });

    expect(await pause({ db, actor, work: "confirm", names: ["one", "two"] })).toEqual({
      work: "confirm",
      changed: [],
      unchanged: ["one"],
      unknown: ["two"],
    });
    expect(await harness.query("select 1 from audit_entry")).toHaveLength(1);
    expect(await listPausable(db, "confirm")).toMatchObject([{ name: "one", pausedBy: "operator" }]);
  });

  it("a pause with an end goes on by itself, which is noticed and audited", async () => {
    const { harness, db } = await withDatabase();
    await startRelay(harness.environment());
    const until = new Date(Date.now() + 86_400_000);
    await pause({ db, actor, work: "confirm", names: "all", reason: "their deploy", until });
    expect(await listPausable(db, "confirm")).toMatchObject([
      { name: "default", state: "paused", pauseReason: "their deploy", pausedUntil: until },
    ]);
    expect(await noticeEndedPauses(db)).toEqual([]);

    await harness.query("update source set paused_until = now()");

    expect(await listPausable(db, "confirm")).toMatchObject([{ state: "closed" }]);
    await vi.waitFor(async () =>
      expect(
        await harness.query("select actor, action, detail->>'reason' as reason from audit_entry order by id"),
      ).toEqual([
        { actor, action: "pause.confirm", reason: "their deploy" },
        { actor: "relay", action: "resume.confirm", reason: "their deploy" },
      ]),
    );
    expect(await listPausable(db, "confirm")).toMatchObject([
      { pausedBy: null, pausedAt: null, pausedUntil: null, pauseReason: null },
    ]);
  });

  it.each([
    [
      "confirm",
      "source_paused",
      "insert into source (name, paused_by, paused_at, probe_at) values ('one', 'refused', now(), now())",
    ],
    [
      "publish",
      "topic_paused",
      "insert into topic (arn, paused_by, paused_at, probe_at) values ('one', 'refused', now(), now())",
    ],
  ] as const)(
    "a pause over a refusal takes its alarm along when it ends: %s",
    async (work, name, refused) => {
      const { harness, db } = await withDatabase();
      await harness.query(refused);
      await harness.query(
        "insert into alarm (name, source, subject, detail) values ($1, 'one', 'one', ''), ($1, 'two', 'two', '')",
        [name],
      );
      await pause({ db, actor, work, names: ["one"], until: new Date(Date.now() + 86_400_000) });
      expect(await noticeEndedPauses(db)).toEqual([]);
      await harness.query(`update ${work === "confirm" ? "source" : "topic"} set paused_until = now()`);
      expect(await noticeEndedPauses(db)).toEqual(["one"]);
      expect(await harness.query("select subject from alarm where cleared_at is null")).toEqual([
        { subject: "two" },
      ]);
    },
  );

  it("a pause cannot end in the past; paused again, it gets another end", async () => {
    const { harness, db } = await withDatabase();
    await harness.query("insert into source (name) values ('one')");
    const options = { db, actor, work: "confirm", names: "all" } as const;
    await expect(pause({ ...options, until: new Date(0) })).rejects.toMatchObject({ code: "usage" });
    await pause(options);
    const until = new Date(Date.now() + 86_400_000);
    expect(await pause({ ...options, until })).toMatchObject({ changed: ["one"] });
    expect(await listPausable(db, "confirm")).toMatchObject([{ pausedUntil: until }]);
  });
});
