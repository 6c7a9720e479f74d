import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli, startCli } from "../support/cli-process.ts";

/** They make a Postgres of their own and start several programs, maybe beside everything else. */
const PATIENCE = { timeout: 120_000 };

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-dev-test-"));
  await chmod(folder, 0o711);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("npm run demo", PATIENCE, () => {
  it("pays one invoice through every real part, shows its timeline, and leaves nothing behind", async () => {
    const folder = await temporaryFolder();
    const { code, stdout, stderr } = await runCli(["demo", "--json"], { TMPDIR: folder });

    expect(stderr.trim().split("\n")).toEqual([
      "started Postgres, the collection service, SNS with a subscriber, and the relay",
      expect.stringMatching(
        /^created invoice [0-9a-f-]{36} over 1524\.70, with the relay's callback URL in it$/,
      ),
      "paid it on the payer's page, as a browser would",
      "the subscriber received the event",
    ]);
    expect(code).toBe(0);
    const { event, timeline, meaning } = JSON.parse(stdout);
    expect(event).toMatchObject({
      type: "invoice.paid",
      subject: timeline.invoiceId,
      data: { amount: "1500.50", totalAmount: "1524.70", reference: expect.stringMatching(/^order-/) },
    });
    expect(timeline.entries.map((entry: { kind: string }) => entry.kind)).toEqual(
      expect.arrayContaining(["callback", "confirmation", "answer", "verdict", "event", "publication"]),
    );
    expect(meaning[0]).toBe("The provider confirmed that it is paid.");
    expect(await readdir(folder)).toEqual([]);
  });

  it("exits 4 with the reason when a part cannot start", async () => {
    const folder = await temporaryFolder();
    const { code, stderr } = await runCli(["demo"], {
      TMPDIR: folder,
      DATABASE_URL: "postgres://a:b@127.0.0.1:1/x",
    });
    expect(code).toBe(4);
    expect(stderr).toBe(
      "The database does not answer: nothing listens there. Is it running? Check DATABASE_URL.\n",
    );
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("npm start", PATIENCE, () => {
  it("runs everything on this machine, tells what happens to a payment, and lets other commands look", async () => {
    const folder = await temporaryFolder();
    const real = {
      SNS_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:real",
      COLLECTION_API_URL: "https://real.example.com",
      COLLECTION_API_KEY: "a-real-key",
      AWS_PROFILE: "a-real-profile",
    };
    const dev = startCli(["dev", "--json"], { DATA_DIR: folder, PORT: "0", ...real });
    await dev.says('"what":"started"');
    const { paymentUrl, invoiceId, relay, settingsFile } = JSON.parse(dev.output.stdout.split("\n")[0] ?? "");

    expect(await (await fetch(`${relay}/readyz`)).text()).toContain("ready");
    expect((await stat(settingsFile)).mode & 0o077).toBe(0);
    const doctor = await runCli(["--settings", settingsFile, "doctor"]);
    expect(doctor.stdout).toMatch(/No fault: serve can start\.\n$/);
    expect(doctor.code).toBe(0);

    const paid = await fetch(paymentUrl, { method: "POST", body: new URLSearchParams({ method: "Card" }) });
    expect(paid.status).toBe(200);
    await dev.says('"what":"received"');
    const told = dev.output.stdout
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(told.map(({ what }) => what)).toEqual(["callback", "confirmed", "published", "received"]);
    expect(told.map((happening) => happening.invoiceId)).toEqual(Array(4).fill(invoiceId));
    expect(JSON.parse(told[3].event)).toMatchObject({ type: "invoice.paid", subject: invoiceId });
    const timeline = await runCli(["--settings", settingsFile, "invoice", invoiceId]);
    expect(timeline.stdout).toContain("The event is published");

    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
    // A machine that is busy may be told that Postgres took its time.
    const lines = dev.output.stderr.split("\n").filter((line) => !line.includes('"msg":"not ready'));
    expect(lines).toEqual(["Stopping.", ""]);
  });
});
