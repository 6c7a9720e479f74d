import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { invoicePaidId } from "../../src/events/invoice-paid.ts";
import { startEmbeddedPostgres } from "../../src/sandbox/postgres/start-embedded-postgres.ts";
import { runCli } from "../../test/support/cli-process.ts";
import { queryOn } from "../../test/support/database.ts";
import { ownPort } from "../../test/support/own-port.ts";
import { startHarness } from "../../test/support/relay.ts";
import { startRelayProcess } from "../../test/support/relay-process.ts";
import { invoiceAnswer } from "../../test/support/scripted-provider.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { TOKENS, twoSources } from "../../test/support/two-sources.ts";

type Source = keyof typeof TOKENS;

const ROUTER = resolve(import.meta.dirname, "../../deploy/nginx/router.conf");

/** Debian's nginx with the router of deploy/nginx. */
async function startRouter(relays: Record<string, string>) {
  const folder = await temporaryFolder();
  const port = await ownPort();
  const write = (groups: Record<string, string>, tokens: string) => {
    const upstreams = Object.entries(groups).map(
      ([name, url]) => `upstream ${name} { server ${new URL(url).host}; }\n`,
    );
    writeFileSync(join(folder, "groups.conf"), upstreams.join(""));
    writeFileSync(join(folder, "tokens.map"), tokens);
  };
  cpSync(ROUTER, join(folder, "router.conf"));
  const text = readFileSync(ROUTER, "utf8").replace("listen 8080", `listen 127.0.0.1:${port}`);
  writeFileSync(join(folder, "router.conf"), text);
  write(relays, "");
  const options = `daemon off; pid ${folder}/pid; error_log ${folder}/log;`;
  const child = spawn("/usr/sbin/nginx", ["-p", folder, "-c", "router.conf", "-g", options]);
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url));
  return {
    url,
    /** Takes effect for new connections; those that are open are answered as before. */
    route(groups: Record<string, string>, tokens: string) {
      write(groups, tokens);
      child.kill("SIGHUP");
    },
  };
}

describe("a source that moves to a Postgres and relays of its own while callbacks flow", () => {
  it("loses nothing, and each payment keeps its one identity (G4)", async () => {
    const harness = await startHarness();
    const second = await startEmbeddedPostgres({ dataDir: join(await temporaryFolder(), "postgres") });
    onTestFinished(() => second.stop());
    const both = twoSources(harness, { a: {}, b: {} });
    const onlyA = twoSources(harness, { a: {} });
    const onlyB = { ...twoSources(harness, { b: {} }), DATABASE_URL: second.url };
    await runCli(["migrate"], { DATABASE_URL: second.url });
    const first = await startRelayProcess(both);
    const router = await startRouter({ group1: first.url });

    const sent: Record<Source, string[]> = { a: [], b: [] };
    async function pay(source: Source, id: string = randomUUID()): Promise<void> {
      harness.provider.invoice(id, invoiceAnswer(id));
      const url = `${router.url}/callbacks/${TOKENS[source]}`;
      const send = () => fetch(url, { method: "POST", body: JSON.stringify({ id }) });
      // A router that takes new settings may hang up on an idle connection just as it is used: sent again.
      expect((await send().catch(send)).status).toBe(200);
      if (!sent[source].includes(id)) sent[source].push(id);
    }
    let flowing = true;
    const flow = (async () => {
      while (flowing) await Promise.all([pay("a"), pay("b")]);
    })();
    const more = async (count: number) => {
      const from = sent.b.length;
      await vi.waitFor(() => expect(sent.b.length).toBeGreaterThan(from + count));
    };

    await more(50);
    const relayOfB = await startRelayProcess(onlyB);
    router.route({ group1: first.url, group2: relayOfB.url }, `~^/callbacks/${TOKENS.b}(/|$) group2;`);
    const stored = async () => {
      const [row] = await queryOn(second.url, "select count(*)::int as count from callback");
      return row.count;
    };
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(0));
    await more(50);
    // What the first group took for b is published by it before its relay without b takes over.
    await vi.waitFor(async () =>
      expect(
        await harness.query(
          `select 1 from confirmation where source = 'b' and state <> 'done'
              union all select 1 from outbox where source = 'b'`,
        ),
      ).toEqual([]),
    );
    const relayOfA = await startRelayProcess(onlyA);
    router.route({ group1: relayOfA.url, group2: relayOfB.url }, `~^/callbacks/${TOKENS.b}(/|$) group2;`);
    await more(50);
    flowing = false;
    await flow;
    expect(await first.end("SIGTERM")).toBe(0);
    // The provider repeats a callback that the first group has had.
    const repeated = sent.b.slice(0, 5);
    for (const id of repeated) await pay("b", id);

    for (const [source, topic] of [
      ["a", harness.topicArn],
      ["b", harness.testTopicArn],
    ] as const) {
      const expected = [...sent[source], ...(source === "b" ? repeated : [])].map(invoicePaidId);
      await vi.waitFor(() =>
        expect(
          harness.sns
            .messages(topic)
            .map(({ message }) => JSON.parse(message).id)
            .sort(),
        ).toEqual(expected.sort()),
      );
    }
  });
});
