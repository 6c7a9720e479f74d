import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCli, startCli } from "../../support/cli-process.ts";
import { EVENTS } from "../../support/events.ts";
import { eventually, toEqual } from "../../support/eventually.ts";
import { startHarness, TOKEN } from "../../support/relay.ts";
import { startRelayProcess } from "../../support/relay-process.ts";

const AWS = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };

const callback = (url: string, id: string) =>
  fetch(`${url}/callbacks/${TOKEN}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ data: { id } }),
  });

describe("invoice-relay serve, stopped", () => {
  it("finishes what was recorded: a confirmation under way at SIGTERM still becomes an event (G2)", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    const { asked, release } = harness.provider.held(id);
    const { url, process: relay } = await startRelayProcess(harness.environment());
    expect((await callback(url, id)).status).toBe(200);
    await asked;

    relay.child.kill("SIGTERM");
    await relay.says('"stopping');
    release();

    expect(await relay.ended).toBe(0);
    expect(relay.output.stdout).toContain('"stopped"');
    expect(relay.output.stderr).toBe("");
    const [settled] = await harness.query("select state, verdict from confirmation where invoice_id = $1", [
      id,
    ]);
    expect(settled).toEqual({ state: "done", verdict: "paid" });
    // Whether this process still sent it or left it to the next one, it is there and nobody holds it.
    const [event] = await harness.query(`select state from ${EVENTS} where invoice_id = $1`, [id]);
    expect(["due", "published"]).toContain(event?.state);
  });

  it("ends although the other end of a connection has gone silent (G11)", async () => {
    const silent = createSocketServer({ allowHalfOpen: true }, () => undefined);
    await once(silent.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    // Quotes mean something else in NODE_OPTIONS.
    const open = `data:text/javascript,import('node:net').then((net)=>net.connect(${port},'127.0.0.1'))`;
    const harness = await startHarness();
    const environment = harness.environment({ NODE_OPTIONS: `--import=${open}` });
    const { process: relay } = await startRelayProcess(environment);
    relay.child.kill("SIGTERM");
    expect(await relay.ended).toBe(0);
    expect(relay.output.stdout).toContain('"stopped"');
  });

  it.each([
    { where: "timer", signal: "SIGHUP", origin: "uncaughtException" },
    { where: "promise", signal: "SIGUSR2", origin: "unhandledRejection" },
  ] as const)("by a bug in a $where leaves a trace of it in the log", async ({ where, signal, origin }) => {
    const harness = await startHarness();
    const bug = new URL("../../support/throw-on-signal.js", import.meta.url);
    const environment = harness.environment({ NODE_OPTIONS: `--import=${bug.href}` });
    const { process: relay } = await startRelayProcess(environment);
    relay.child.kill(signal);
    expect(await relay.ended).toBe(1);
    const [last] = relay.output.stdout.trimEnd().split("\n").slice(-1);
    expect(JSON.parse(last ?? "{}")).toMatchObject({
      level: "fatal",
      origin,
      error: `password=*** of a ${where}`,
      stack: expect.stringMatching(/^at .*test\/support\/throw-on-signal\.js:\d+:\d+/),
    });
    expect(relay.output.stderr).toBe("");
  });

  it("takes Ctrl-C that the terminal and npm both pass on for one wish", async () => {
    const harness = await startHarness();
    const { process: relay } = await startRelayProcess(harness.environment());
    relay.child.kill("SIGINT");
    relay.child.kill("SIGINT");
    expect(await relay.ended).toBe(0);
    expect(relay.output.stdout).toContain('"stopped"');
  });

  it("ends at once at a second signal", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    const { asked } = harness.provider.held(id);
    const { url, process: relay } = await startRelayProcess(harness.environment());
    await callback(url, id);
    await asked;
    relay.child.kill("SIGTERM");
    const again = setInterval(() => relay.child.kill("SIGTERM"), 100);
    onTestFinished(() => clearInterval(again));
    expect(await relay.ended).toBe(1);
  });
});

describe("invoice-relay serve in parts", () => {
  it("--no-workers records, --workers-only confirms and publishes, together they do all", async () => {
    const harness = await startHarness();
    const id = harness.provider.paid();
    const { url } = await startRelayProcess(harness.environment(), "--no-workers");
    await callback(url, id);
    expect(harness.provider.requests).toEqual([]);

    const workers = startCli(["serve", "--workers-only"], { ...harness.environment(), ...AWS });
    await workers.says('"port":null');
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
  });

  it("says that its port is taken", async () => {
    const harness = await startHarness();
    const other = createServer().listen(0);
    onTestFinished(() => void other.close());
    await vi.waitFor(() => expect(other.address()).not.toBeNull());
    const { port } = other.address() as AddressInfo;
    const taken = await runCli(["serve"], harness.environment({ PORT: String(port) }));
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(String(port)) });
  });
});

describe("npm run relay -- serve", () => {
  it("passes signals on: it stops as cleanly as the program itself", async () => {
    const harness = await startHarness();
    const { PATH, HOME } = process.env;
    const npm = spawn("npm", ["run", "--silent", "relay", "--", "serve"], {
      cwd: resolve(import.meta.dirname, "../../.."),
      env: { PATH, HOME, ...harness.environment(), ...AWS } as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    const ended = once(npm, "close");
    onTestFinished(() => {
      // Whatever npm left behind is in its group.
      if (npm.exitCode === null && npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
    });
    let output = "";
    npm.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    await vi.waitFor(() => expect(output).toMatch(/"port":\d/));

    npm.kill("SIGTERM");

    await ended;
    expect(output).toContain('"stopped"');
    // Postgres notices the end of a session a moment later.
    await eventually(
      () =>
        harness.query(
          `select pid from pg_stat_activity where application_name = 'invoice-relay'
            and datname = current_database()`,
        ),
      toEqual([]),
    );
  });
});
