import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { pause } from "../../src/operate/pause.ts";
import { readStatus } from "../../src/operate/status-facts.ts";
import { addCertificate } from "../support/certificates.ts";
import { runCli } from "../support/cli-process.ts";
import { openDatabase } from "../support/database.ts";
import { addProcess, withDatabase } from "../support/log-rows.ts";
import { startHarness, startRelay } from "../support/relay.ts";

const COLLECTIONS = { COLLECTION_IDS: "none" };

const look = async (environment: Record<string, string | undefined>) => {
  const { code, stdout } = await runCli(["status"], environment);
  return { code, lines: stdout.trimEnd().split("\n"), text: stdout };
};

describe("invoice-relay status", () => {
  it("says something useful when nothing has happened yet, and with only DATABASE_URL set", async () => {
    const harness = await startHarness();
    const { code, stdout, stderr } = await runCli(["status"], { DATABASE_URL: harness.databaseUrl });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Nothing has happened yet: serve was never started with this database\./);
    expect(stdout).toContain("last callback       none yet; the provider calls what callback-url prints");
    const json = JSON.parse((await runCli(["status", "--json"], harness.environment(COLLECTIONS))).stdout);
    expect(json).toMatchObject({ needsPerson: false, needs: [], alarms: [], processes: [] });
    // Payments may have: sweeps find them without.
    await addProcess(harness);
    await harness.query("insert into source (name) values ('default')");
    const { lines } = await look(harness.environment(COLLECTIONS));
    expect(lines[0]).toBe("All is well: nothing needs a person. No callback has come in yet.");
  });

  it("shows the processes that serve, and a payment's way through; then all is well", async () => {
    const harness = await startHarness();
    const environment = harness.environment(COLLECTIONS);
    const relay = await startRelay(environment);
    const id = harness.provider.paid();
    await relay.callback({ data: { id } });
    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(1));
    await vi.waitFor(async () => {
      const { code, lines, text } = await look(environment);
      expect(lines[0]).toBe("All is well: nothing needs a person.");
      expect(code).toBe(0);
      expect(text).toMatch(/callbacks and workers, version .*, alive [\d.]+ m?s ago/);
      expect(text).toContain("reconciling default  off: COLLECTION_IDS is none");
    });
    await relay.stop();
    expect(await harness.query("select 1 from relay_process")).toEqual([]);
  });

  it("a forgotten pause needs a person: by whom, why, since when; one that ends by itself does not", async () => {
    const harness = await startHarness();
    const environment = harness.environment(COLLECTIONS);
    const db = openDatabase(harness.databaseUrl);
    await addProcess(harness);
    await harness.query("insert into source (name) values ('default')");
    const paused = { db, actor: "cli:ada", work: "confirm", names: "all", reason: "their deploy" } as const;
    await pause(paused);
    const forgotten = await look(environment);
    expect(forgotten.code).toBe(1);
    expect(forgotten.lines[0]).toMatch(
      /^A person is needed: asking the provider for source default is paused by cli:ada since 20.* UTC \(their deploy\), and it does not end automatically\.$/,
    );
    expect(forgotten.text).toContain("invoice-relay resume confirm --source default");

    await pause({ ...paused, until: new Date(Date.now() + 3_600_000) });
    const ending = await look(environment);
    expect(ending.code).toBe(0);
    expect(ending.lines[0]).toMatch(/^Nothing needs a person, but work is held up: .*, until 20.* UTC/);
  });

  it("says that migrations are missing, to a command and to who asks a relay that runs", async () => {
    const { harness, db } = await withDatabase();
    await harness.query("delete from kysely_migration where name = (select max(name) from kysely_migration)");
    const { needs } = await readStatus(db, { sources: null, intervalMs: 86_400_000 });
    expect(needs).toMatchObject([{ severity: "critical", command: "migrate" }]);
    const { code, stdout } = await runCli(["status", "--json"], harness.environment());
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({
      code: 1,
      stdout: {
        error: {
          code: "failed",
          message: expect.stringMatching(/behind this program by 1 migration .* Run: invoice-relay migrate$/),
        },
      },
    });
  });

  it("finds what is not reconciled: COLLECTION_IDS unset, a certificate that is not equal", async () => {
    const { harness, db } = await withDatabase();
    const collection = randomUUID();
    const now = new Date();
    await addCertificate(harness.databaseUrl, {
      from: new Date(now.getTime() - 35 * 86_400_000).toISOString(),
      to: now.toISOString(),
      ...{ day: now.toISOString().slice(0, 10), result: "not_equal", gaps: 2, collections: [collection] },
    });
    const unset = await look(harness.environment());
    expect(unset.code).toBe(1);
    expect(unset.text).toContain(
      "source default is not reconciled: a payment whose callback never comes is missed",
    );
    const noSweepDue = { sources: null, intervalMs: 86_400_000 };
    const { needs } = await readStatus(db, noSweepDue);
    expect(needs.map(({ what }) => what)).toEqual([
      expect.stringMatching(
        /^1 day of source default \(20.*\) is not proven: the newest certificate is not equal: 2 gaps$/,
      ),
    ]);
  });
});

describe("invoice-relay alarms", () => {
  it("lists what is open, and what was cleared with --all", async () => {
    const harness = await startHarness();
    const environment = harness.environment();
    expect((await runCli(["alarms"], environment)).stdout).toBe("No alarm is open.\n");
    expect((await runCli(["alarms", "--all"], environment)).stdout).toBe("No alarm was ever raised.\n");
    await harness.query(
      `insert into alarm (name, source, subject, detail, cleared_at) values
       ('topic_paused', '', 'arn', 'SNS refuses this topic', null), ('source_failing', 'default', 'default',
       'away', now())`,
    );
    const open = await runCli(["alarms"], environment);
    expect(open.stdout).toMatch(
      /^ {2}topic_paused {2}critical, arn\n {4}since .*: SNS refuses this topic\n {4}Check the topic/,
    );
    expect(open.stdout).not.toContain("source_failing");
    const all = JSON.parse((await runCli(["alarms", "--all", "--json"], environment)).stdout);
    expect(all).toMatchObject({ total: 2, items: [{ name: "source_failing" }, { name: "topic_paused" }] });
  });
});
