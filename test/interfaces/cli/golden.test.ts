import { expect, it } from "vitest";
import { addCertificate } from "../../support/certificates.ts";
import { runCli } from "../../support/cli-process.ts";
import { eventually, toHaveLength } from "../../support/eventually.ts";
import { expectGolden } from "../../support/golden.ts";
import { addCallback, addConfirmation, addEvents } from "../../support/log-rows.ts";
import { startHarness, startRelay } from "../../support/relay.ts";
import { invoiceAnswer, unpaidAnswer } from "../../support/scripted-provider.ts";

const PAID = "11111111-1111-4111-8111-111111111111";
const DEAD = "22222222-2222-4222-8222-222222222222";
const FOREIGN = "33333333-3333-4333-8333-333333333333";
const CALLBACK = "01999d00-0000-7000-8000-000000000001";

/** A relay that published one payment, was stopped, and left something of each trouble. */
async function trouble() {
  const harness = await startHarness();
  const environment = harness.environment({ INVOICE_RELAY_OPERATOR: "ada" });
  harness.provider.invoice(PAID, unpaidAnswer(PAID), invoiceAnswer(PAID));
  const relay = await startRelay(environment);
  await relay.callback({ data: { id: PAID } });
  await eventually(() => harness.query("select from invoice"), toHaveLength(1));
  await relay.callback({ data: { id: PAID } });
  await eventually(() => harness.query("select from publication"), toHaveLength(1));
  await relay.stop();
  await addConfirmation(harness, {
    ...{ invoice_id: DEAD, state: "dead", verdict: "pending", attempt: 8 },
    ...{ last_error: "outside the contract: amount is missing", last_answer: '{"payerName":"Ada Obi"}' },
  });
  const received_at = new Date(0x01999d000000);
  await addCallback(harness, { id: CALLBACK, received_at, invoice_ids: [DEAD], verdict: "refused" });
  await addConfirmation(harness, { invoice_id: FOREIGN, verdict: "quarantined", last_error: "foreign" });
  await addEvents(harness, 1, { state: "dead" });
  await harness.query(
    `insert into alarm (name, source, subject, detail, cleared_at) values
       ('invoice_anomaly', 'default', $1, 'it was Paid, and is Unpaid', null),
       ('source_failing', 'default', 'default', 'HTTP 503', now())`,
    [PAID],
  );
  const certificate = await addCertificate(harness.databaseUrl, {
    ...{ from: "2026-10-01T00:00:00Z", to: "2026-10-03T00:00:00Z", result: "not_equal", collections: [DEAD] },
    days: [{ day: "2026-10-01", paid: 3, published: 2, missing: { count: 1, amount: "1.50" } }],
    differences: [{ day: "2026-10-01", weight: "gap", amount: "1.50", invoiceId: DEAD }],
  });
  await runCli(["pause", "confirm", "--reason", "their deploy"], environment);
  return { environment, certificate };
}

it("says of a relay in trouble, command by command, what people read", async () => {
  const { environment, certificate } = await trouble();
  const lines = `status|alarms|alarms --all|audit|doctor|callback-url|migrate|invoices|invoices --verdict dead
invoice ${PAID}|invoice ${DEAD}|callbacks list|callbacks show ${CALLBACK}|dead list
dead retry ${DEAD} --dry-run|dead dismiss --all --dry-run|quarantine list
quarantine release --all --dry-run|replay events --all --dry-run|replay list
erase ${DEAD} --dry-run|certificate list|certificate show ${certificate}|resume publish|alarms close invoice_anomaly|retention`;
  for (const line of lines.split(/[|\n]/)) {
    const { code, stdout, stderr } = await runCli(line.split(" "), environment);
    const words = line
      .split(" ")
      .filter((word) => !/^--(dry-run|all)$/.test(word) || line.startsWith("alarms"));
    const name = words.map((word) => (word === PAID ? "paid" : word === DEAD ? "dead" : word));
    // Every server of the tests would forget its last second in a crash.
    const said = `${stdout}${stderr}`
      .replace(/^.*fsync is off.*\n/m, "")
      .replace(/^\d+ faults?:/m, "Faults:");
    await expectGolden(
      name.filter((word) => !/^[0-9a-f-]{36}$/.test(word)).join("-"),
      `$ invoice-relay ${line}\n${said}exit ${code}\n`,
    );
  }
});

it("says of a relay where nothing has happened yet what to do first", async () => {
  const environment = (await startHarness()).environment({ COLLECTION_IDS: "none" });
  const said: string[] = [];
  const lines = `status|alarms|alarms --all|audit|invoices|callbacks list|dead list|quarantine list|replay list
certificate list|api|report payments --from 2026-10-01 --to 2026-10-02`;
  for (const line of lines.split(/[|\n]/)) {
    const { code, stdout, stderr } = await runCli(line.split(" "), environment);
    expect(code, line).toBe(0);
    said.push(`$ invoice-relay ${line}\n${stdout}${stderr}`);
  }
  await expectGolden("nothing-yet", said.join("\n"));
});
