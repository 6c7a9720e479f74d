import { expect, it } from "vitest";
import { listPausable, pause, resume } from "../../src/operations/pause.ts";
import { claimEvents } from "../../src/pipeline/publish/claim-events.ts";
import { leaseOf } from "../../src/platform/worker/leased-rows.ts";
import { eventually, toEqual, toHaveLength } from "../support/eventually.ts";
import { addEvents, withDatabase } from "../support/log-rows.ts";
import { startRelay } from "../support/relay.ts";

const actor = "cli:test";

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

it("a pause says what was so already and what nobody knows, audits only what changed, and gets another reason", async () => {
  const { harness, db } = await withDatabase();
  await harness.query("insert into source (name) values ('one')");
  const again = { db, actor, work: "confirm", names: ["one", "two"] } as const;
  await pause({ ...again, names: ["one"] });
  expect(await pause(again)).toEqual({ work: "confirm", changed: [], unchanged: ["one"], unknown: ["two"] });
  expect(await harness.query("select 1 from audit_entry")).toHaveLength(1);
  expect(await listPausable(db, "confirm")).toMatchObject([{ name: "one", pausedBy: "operator" }]);
  expect(await pause({ ...again, reason: "their deploy" })).toMatchObject({ changed: ["one"] });
  expect(await listPausable(db, "confirm")).toMatchObject([{ pauseReason: "their deploy" }]);
});
