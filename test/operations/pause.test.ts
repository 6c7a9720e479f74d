import { expect, it } from "vitest";
import { listPausable, noticeEndedPauses, pause, resume } from "../../src/operations/pause.ts";
import { claimEvents } from "../../src/pipeline/publish/claim-events.ts";
import { leaseOf } from "../../src/platform/worker/leased-rows.ts";
import { eventually, toEqual, toHaveLength } from "../support/eventually.ts";
import { addEvents, withDatabase } from "../support/log-rows.ts";
import { startRelay } from "../support/relay.ts";

const actor = "cli:test";
const TOMORROW = new Date(Date.now() + 86_400_000);

it("a source that is paused: callbacks are recorded and nobody is asked; resumed, all of it is", async () => {
  const { harness, db } = await withDatabase();
  const relay = await startRelay(harness.environment());
  const changed = { changed: ["default"] };
  expect(await pause({ db, actor, work: "confirm", names: "all" })).toMatchObject(changed);
  const id = harness.provider.paid();
  expect((await relay.callback({ data: { id } })).status).toBe(200);
  await eventually(() => harness.query("select state from confirmation"), toEqual([{ state: "due" }]));
  expect(harness.provider.requests.filter((path) => path.includes(id))).toEqual([]);
  expect(await resume({ db, actor, work: "confirm", names: ["default"] })).toMatchObject(changed);
  await eventually(() => harness.sns.messages(), toHaveLength(1));
  expect(await harness.query("select actor, action, subject from audit_entry order by id")).toEqual([
    { actor, action: "pause.confirm", subject: "default" },
    { actor, action: "resume.confirm", subject: "default" },
  ]);
});

it("the events of a topic that is paused are taken by nobody; resumed, they are", async () => {
  const { harness, db } = await withDatabase();
  const { topicArn } = harness;
  await harness.query("insert into topic (arn) values ($1)", [topicArn]);
  await addEvents(harness, 1, { state: "due" });
  const route = { source: "default", invoiceType: "Live", topicArn } as const;
  const claim = async () => (await claimEvents(db, { route, wanted: 9, lease: leaseOf(9_000) })).items.length;
  await pause({ db, actor, work: "publish", names: [topicArn] });
  expect(await claim()).toBe(0);
  await resume({ db, actor, work: "publish", names: "all" });
  expect(await claim()).toBe(1);
});

it("a pause says what was so already and what nobody knows, audits only what changed, and gets another end", async () => {
  const { harness, db } = await withDatabase();
  await harness.query("insert into source (name) values ('one')");
  const again = { db, actor, work: "confirm", names: ["one", "two"] } as const;
  await expect(pause({ ...again, until: new Date(0) })).rejects.toMatchObject({ code: "usage" });
  await pause({ ...again, names: ["one"] });
  expect(await pause(again)).toEqual({ work: "confirm", changed: [], unchanged: ["one"], unknown: ["two"] });
  expect(await harness.query("select 1 from audit_entry")).toHaveLength(1);
  expect(await listPausable(db, "confirm")).toMatchObject([{ name: "one", pausedBy: "operator" }]);
  expect(await pause({ ...again, until: TOMORROW })).toMatchObject({ changed: ["one"] });
  expect(await listPausable(db, "confirm")).toMatchObject([{ pausedUntil: TOMORROW }]);
});

it("a pause with an end goes on by itself, which is noticed and audited", async () => {
  const { harness, db } = await withDatabase();
  await startRelay(harness.environment());
  const reason = "their deploy";
  await pause({ db, actor, work: "confirm", names: "all", reason, until: TOMORROW });
  expect(await listPausable(db, "confirm")).toMatchObject([
    { name: "default", state: "paused", pauseReason: reason, pausedUntil: TOMORROW },
  ]);
  expect(await noticeEndedPauses(db)).toEqual([]);
  await harness.query("update source set paused_until = now()");
  expect(await listPausable(db, "confirm")).toMatchObject([{ state: "closed" }]);
  const audited = "select actor, action, detail->>'reason' as reason from audit_entry order by id";
  await eventually(
    () => harness.query(audited),
    toEqual([
      { actor, action: "pause.confirm", reason },
      { actor: "relay", action: "resume.confirm", reason },
    ]),
  );
  const nothing = { pausedBy: null, pausedAt: null, pausedUntil: null, pauseReason: null };
  expect(await listPausable(db, "confirm")).toMatchObject([nothing]);
});

it.each([
  ["confirm", "source", "name"],
  ["publish", "topic", "arn"],
] as const)("a pause over a refusal takes its alarm along when it ends: %s", async (work, table, key) => {
  const { harness, db } = await withDatabase();
  await harness.query(
    `insert into ${table} (${key}, paused_by, paused_at, probe_at) values ('one', 'refused', now(), now())`,
  );
  await harness.query(
    "insert into alarm (name, source, subject, detail) select $1, one, one, '' from unnest('{one,two}'::text[]) as one",
    [`${table}_paused`],
  );
  await pause({ db, actor, work, names: ["one"], until: TOMORROW });
  expect(await noticeEndedPauses(db)).toEqual([]);
  await harness.query(`update ${table} set paused_until = now()`);
  expect(await noticeEndedPauses(db)).toEqual(["one"]);
  const open = "select subject from alarm where cleared_at is null";
  expect(await harness.query(open)).toEqual([{ subject: "two" }]);
});
