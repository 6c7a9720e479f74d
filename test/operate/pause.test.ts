import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { listPausable, pause, resume } from "../../src/operate/pause.ts";
import { openDatabase } from "../support/log-rows.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

const actor = "cli:test";

describe("pause and resume", () => {
  it("confirm: callbacks are recorded and nobody is asked; resumed, all of it is", async () => {
    const around = await surroundings();
    const db = openDatabase(around.databaseUrl);
    const relay = await startRelay(around.environment());
    expect(await pause({ db, actor, work: "confirm", names: "all" })).toMatchObject({ changed: ["default"] });
    const id = randomUUID();
    around.provider.invoice(id, invoiceAnswer(id));

    expect((await relay.callback({ data: { id } })).status).toBe(200);
    await vi.waitFor(async () =>
      expect(await around.query("select state from confirmation")).toEqual([{ state: "due" }]),
    );
    expect(around.provider.requests.filter((path) => path.includes(id))).toEqual([]);

    expect(await resume({ db, actor, work: "confirm", names: ["default"] })).toMatchObject({
      changed: ["default"],
    });
    await vi.waitFor(() => expect(around.sns.messages()).toHaveLength(1), { timeout: 10_000 });
    expect(await around.query("select actor, action, subject from audit_entry order by id")).toEqual([
      { actor, action: "pause.confirm", subject: "default" },
      { actor, action: "resume.confirm", subject: "default" },
    ]);
  });

  it("publish: events are stored and not sent; resumed, they are", async () => {
    const around = await surroundings();
    const db = openDatabase(around.databaseUrl);
    const relay = await startRelay(around.environment());
    await pause({ db, actor, work: "publish", names: [around.topicArn] });
    const id = randomUUID();
    around.provider.invoice(id, invoiceAnswer(id));
    await relay.callback({ data: { id } });
    await vi.waitFor(
      async () => expect(await around.query("select state from outbox")).toEqual([{ state: "due" }]),
      { timeout: 10_000 },
    );
    expect(around.sns.messages()).toEqual([]);

    await resume({ db, actor, work: "publish", names: "all" });
    await vi.waitFor(() => expect(around.sns.messages()).toHaveLength(1), { timeout: 10_000 });
  });

  it("says what was so already and what nobody knows, and audits only what changed", async () => {
    const around = await surroundings();
    const db = openDatabase(around.databaseUrl);
    await around.query("insert into source (name) values ('one')");
    await pause({ db, actor, work: "confirm", names: ["one"] });

    expect(await pause({ db, actor, work: "confirm", names: ["one", "two"] })).toEqual({
      work: "confirm",
      changed: [],
      unchanged: ["one"],
      unknown: ["two"],
    });
    expect(await around.query("select 1 from audit_entry")).toHaveLength(1);
    expect(await listPausable(db, "confirm")).toMatchObject([{ name: "one", pausedBy: "operator" }]);
  });

  it("resume lifts a pause for a refused key too, and closes its alarm", async () => {
    const around = await surroundings();
    const db = openDatabase(around.databaseUrl);
    await around.query("insert into source (name, paused_by, paused_at) values ('one', 'refused', now())");
    await around.query(
      "insert into alarm (name, source, subject, detail) values ('source_paused', 'one', 'one', 'x')",
    );
    expect(await resume({ db, actor, work: "confirm", names: "all" })).toMatchObject({ changed: ["one"] });
    expect(await around.query("select 1 from alarm where cleared_at is null")).toEqual([]);
  });
});
