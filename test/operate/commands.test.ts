import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CliResult } from "../support/cli-process.ts";
import { addCallback, addConfirmation, addEvents } from "../support/log-rows.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { runCommand, runInProcess } from "../support/run-command.ts";

const FIRST = "11111111-1111-4111-8111-111111111111";
const SECOND = "22222222-2222-4222-8222-222222222222";

/** What a person sees, with what differs from run to run put in words. */
function seen({ code, stdout, stderr }: CliResult): string {
  const settled = (text: string) =>
    text
      .replaceAll(/\b(?!1{8}|2{8})[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>")
      .replaceAll(/\b20(?!20)\d\d-\d\d-\d\dT[\d:.]+Z/g, (time) =>
        time.startsWith("2026-10-01") ? time : "<time>",
      )
      .replaceAll(/before 20\d\d-\d\d-01/g, "before <first of a month>")
      .replaceAll(/cli:\S+/g, "cli:<user>")
      .replaceAll(/ {2,}/g, "  ")
      .replaceAll(/\/\S*\/events\.ndjson/g, "<folder>/events.ndjson");
  return `exit ${code}\n--- stdout\n${settled(stdout)}--- stderr\n${settled(stderr)}`;
}

describe("the operators' commands, as a person sees them", () => {
  it("with nothing to do say so, and exit 0", async () => {
    const around = await surroundings();
    const environment = around.environment();
    const commands = [
      "replay list",
      "invoices",
      "certificate list",
      "replay events --all --here",
      "replay confirmations --dry-run",
      "replay callbacks --verdict unreadable",
      "dead list",
      "dead retry --all",
      "quarantine list",
      "quarantine dismiss --all",
      "pause confirm",
      "resume publish",
      "retention",
    ];
    for (const command of commands) {
      const result = await runInProcess(command.split(" "), environment);
      expect(seen(result)).toMatchSnapshot(command);
      expect(result.code, command).toBe(0);
    }
    const nothingKnown = await runInProcess(["erase", FIRST], environment);
    expect(seen(nothingKnown)).toMatchSnapshot("erase");
    expect(nothingKnown.code).toBe(3);
  });

  it("that cannot do it say why and what to do, and exit non-zero", async () => {
    const around = await surroundings();
    const environment = around.environment();
    const commands = [
      "replay events --from yesterday",
      "replay events --verdict lost",
      "replay events --rate 0",
      "replay events --topic arn:aws:sns:us-east-1:000000000000:other --to-file events.ndjson",
      "replay confirmations --from 2026-11-02 --to 2026-11-01",
      "replay events --to-file /no/such/folder/events.ndjson",
      `replay resume ${FIRST}`,
      `replay show 1`,
      "dead retry",
      `dead retry ${FIRST} --all`,
      `dead show ${FIRST}`,
      `quarantine release ${FIRST}`,
      "pause confirm --source nobody",
      "pause publish --source nobody",
      "pause confirm --until yesterday",
      "pause confirm --for ever",
      "pause confirm --for 2h --until 2126-11-01",
      "invoices --amount much",
      `certificate show ${FIRST}`,
      "pause confirm --until 2020-01-01",
      "erase not-an-id",
    ];
    for (const command of commands) {
      const result = await runInProcess(command.split(" "), environment);
      expect(seen(result)).toMatchSnapshot(command);
      expect([1, 2, 3], command).toContain(result.code);
    }
    expect(seen(await runInProcess(["dead", "list"], { DATABASE_URL: "" }))).toMatchSnapshot(
      "no DATABASE_URL",
    );
    const nobodyThere = { ...environment, DATABASE_URL: "postgres://relay@127.0.0.1:1/relay" };
    expect(seen(await runInProcess(["dead", "list"], nobodyThere))).toMatchSnapshot("no database");
  });

  it("replay: a dry run, its run, a list, and a file", async () => {
    const around = await surroundings();
    const environment = around.environment();
    await addEvents(around, 2);
    const folder = await mkdtemp(join(tmpdir(), "invoice-relay-replay-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "events.ndjson");
    for (const command of [
      ["replay", "events", "--dry-run"],
      ["replay", "events", "--all", "--yes", "--here"],
      ["replay", "events", "--to-file", file],
      ["replay", "list"],
    ])
      expect(seen(await runCommand(command, environment))).toMatchSnapshot(
        command
          .slice(0, 6)
          .filter((word) => word !== file)
          .join(" "),
      );
    around.sns.addFault({ kind: "fail-entries", senderFault: true });
    const refused = await runCommand(["replay", "events", "--all", "--yes", "--here"], environment);
    expect(seen(refused)).toMatchSnapshot("refused");
    expect(refused.code).toBe(1);
    around.sns.addFault({ kind: "topic-missing" });
    const failed = await runCommand(["replay", "events", "--all", "--yes", "--here"], environment);
    expect(seen(failed)).toMatchSnapshot("failed");
    expect(failed.code).toBe(1);
  });

  it("dead and quarantine: lists, evidence, what was done; personal data masked", async () => {
    const around = await surroundings();
    const environment = around.environment();
    await addConfirmation(around, {
      invoice_id: FIRST,
      state: "dead",
      verdict: "pending",
      attempt: 8,
      last_error: "The answer is outside the contract: amount is missing",
      last_answer: '{"data":{"payerName":"Ada Obi","payerEmail":"ada@example.com"}}',
    });
    await addConfirmation(around, {
      invoice_id: SECOND,
      verdict: "quarantined",
      last_error: "foreign collection",
    });
    await addCallback(around, { invoice_ids: [FIRST], id: FIRST });
    for (const command of [
      "dead list",
      `dead show ${FIRST}`,
      "dead retry --all --dry-run",
      "dead retry --kind event --yes",
      `dead dismiss ${FIRST}`,
      "quarantine list",
      `quarantine release ${SECOND}`,
    ]) {
      const result = await runCommand(command.split(" "), environment);
      expect(seen(result)).toMatchSnapshot(command);
      expect(result).toMatchObject({ code: 0 });
      expect(result.stdout).not.toMatch(/Ada|ada@example/);
    }
    const json = await runCommand(["dead", "show", FIRST, "--json"], environment);
    expect(JSON.parse(json.stdout).items).toMatchObject([{ invoiceId: FIRST, eventId: null }]);
    expect(json.stdout).not.toMatch(/Ada|ada@example/);
  });

  it("pause, resume, retention and erase: what was done, and what was so already", async () => {
    const around = await surroundings();
    const environment = around.environment();
    await (await startRelay(environment)).stop();
    await around.query(
      "create table callback_2020_03 partition of callback for values from ('2020-03-01') to ('2020-04-01')",
    );
    await addCallback(around, { received_at: "2020-03-05T00:00:00Z" });
    await addCallback(around, { invoice_ids: [FIRST] });
    for (const command of [
      "pause confirm",
      "pause confirm --source default",
      "pause confirm --source default --until 2126-11-01T08:30 --reason deploy",
      "resume confirm",
      "pause publish --source default",
      "resume publish",
      "retention --dry-run",
      "retention",
      `erase ${FIRST} --dry-run`,
      `erase ${FIRST} --yes`,
      `erase ${FIRST} --yes --json`,
    ]) {
      const result = await runCommand(command.split(" "), environment);
      expect(seen(result)).toMatchSnapshot(command);
      expect(result.code, command).toBe(0);
    }
    const actors = await around.query<{ actor: string }>("select distinct actor from audit_entry");
    expect(actors).toEqual([{ actor: expect.stringMatching(/^cli:./) }]);
  });
});
