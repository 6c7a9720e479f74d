import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCliProcess, startCli } from "../support/cli-process.ts";
import { expectGolden } from "../support/golden.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What a shell may hold for other work, none of it of any use. */
const SHELL = {
  ...{ AWS_PROFILE: "nonsense", AWS_USE_FIPS_ENDPOINT: "true", AWS_CA_BUNDLE: "/nowhere" },
  ...{ AWS_ENDPOINT_URL: "http://nowhere.invalid", AWS_SESSION_TOKEN: "nonsense", AWS_REGION: "nowhere" },
  ...{ PGSSLMODE: "require", PGOPTIONS: "-c nonsense=1", PGUSER: "nobody", PGHOST: "/nowhere" },
  ...{ NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9", NODE_ENV: "production" },
  ...{ NODE_OPTIONS: "--no-warnings", OTEL_EXPORTER_OTLP_ENDPOINT: "nonsense", LEASE_DURATION: "nonsense" },
  ...{ LOG_LEVEL: "NONSENSE", SOURCES_FILE: "/nowhere", HOME: "/nowhere" },
  DATABASE_URL: "postgres://a:b@127.0.0.1:1/x",
};

describe("npm run demo", () => {
  it("pays one invoice through every real part, shows its timeline, and leaves nothing behind, in any shell", async () => {
    const folder = join(await temporaryFolder(), 'it\'s a "Größe"');
    await mkdir(folder, { mode: 0o711 });
    const { code, stdout, stderr } = await runCliProcess(["demo", "--json"], {
      ...SHELL,
      PORT: "nonsense",
      TMPDIR: folder,
    });

    expect(code).toBe(0);
    const { event, timeline } = JSON.parse(stdout);
    expect(event).toMatchObject({
      type: "invoice.paid",
      subject: timeline.invoiceId,
      data: { amount: "1500.50", totalAmount: "1524.70", reference: expect.stringMatching(/^order-/) },
    });
    expect(timeline.entries.map((entry: { kind: string }) => entry.kind)).toEqual(
      expect.arrayContaining(["callback", "confirmation", "answer", "verdict", "event", "publication"]),
    );
    expect(await readdir(folder)).toEqual([]);
    await expectGolden("demo", stderr);
  });

  it("exits 4 with the reason when a part cannot start", async () => {
    const folder = await temporaryFolder();
    const words = ["demo", "--database", SHELL.DATABASE_URL];
    expect((await runCliProcess(words, { TMPDIR: folder })).code).toBe(4);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("npm start", () => {
  it("runs everything on this machine, tells what happens to a payment, and lets other commands look", async () => {
    const folder = await temporaryFolder();
    const real = {
      SNS_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:real",
      COLLECTION_API_URL: "https://real.example.com",
      COLLECTION_API_KEY: "a-real-key",
    };
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const own = join(await temporaryFolder(), "my.env");
    await writeFile(own, "CURRENCY=KES\nCALLBACK_ACK_BODY='\"a\" # b\nc'\n");
    const words = ["dev", "--json", "--settings", own];
    const dev = startCli(words, { ...SHELL, DATA_DIR: folder, PORT: String(port), ...real });
    await dev.says('"what":"started"');
    const { paymentUrl, invoiceId, relay, settingsFile } = JSON.parse(dev.output.stdout.split("\n")[0] ?? "");

    expect(await (await fetch(`${relay}/readyz`)).text()).toContain("ready");
    expect((await stat(settingsFile)).mode & 0o077).toBe(0);
    expect((await runCliProcess(["--settings", settingsFile, "doctor"])).code).toBe(0);

    const paid = await fetch(paymentUrl, { method: "POST" });
    expect(paid.status).toBe(200);
    await dev.says('"what":"received"');
    const told = JSON.parse(dev.output.stdout.trim().split("\n")[1] ?? "");
    expect(told).toMatchObject({ what: "received", timeline: { invoiceId } });
    expect(JSON.parse(told.event)).toMatchObject({ type: "invoice.paid", subject: invoiceId });
    const timeline = await runCliProcess(["--settings", settingsFile, "invoice", invoiceId]);
    expect(timeline.stdout).toContain("KES 1,524.70");
    const { CALLBACK_ACK_BODY } = parseEnv(await readFile(settingsFile, "utf8"));
    expect(CALLBACK_ACK_BODY).toBe('"a" # b\nc');

    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
    expect(relay).not.toContain(`:${port}`);
  });

  it("stopped while it starts, ends at once and quietly", async () => {
    const dev = startCli(["dev"], { ...SHELL, DATA_DIR: await temporaryFolder() });
    await dev.says("DATABASE_URL", "stderr");
    dev.child.kill("SIGINT");
    expect(await dev.ended).toBe(0);
    expect(dev.output.stdout).toBe("");
  });
});
