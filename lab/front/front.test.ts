import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { startServer } from "../../test/support/own-server.ts";
import { startHarness, TOKEN } from "../../test/support/relay.ts";
import { startRelayProcess } from "../../test/support/relay-process.ts";
import { attacksOn, HIDDEN } from "./attacks.ts";
import { honestCallback, startFront, startRouter, type Target } from "./nginx.ts";

const HONEST = 30;
const PAUSE_MS = 50;
const WARM_UP = 2_000;
const MEMORY_LIMIT_MIB = 120;

/** Attacks from a process of its own. @returns what ends it. */
function begin(name: string, target: Target): () => void {
  const program = join(import.meta.dirname, "attacks.ts");
  const child = spawn(process.execPath, [program, JSON.stringify(target), TOKEN, name], { stdio: "inherit" });
  const end = () => void child.kill("SIGKILL");
  onTestFinished(end);
  return end;
}

it("hostile bytes through the shipped front: payments beside them are taken, memory is bounded (G8, G12)", async () => {
  const harness = await startHarness();
  const environment = harness.environment({
    NODE_OPTIONS: "--max-old-space-size=256",
    TRUSTED_PROXIES: "loopback",
  });
  const { url, process: relay } = await startRelayProcess(environment);
  const front = await startFront(Number(new URL(url).port));
  const pid = relay.child.pid as number;
  /** Begins the measure of the most memory anew. */
  const resetPeak = () => writeFileSync(`/proc/${pid}/clear_refs`, "5");
  const peakMib = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
  const pay = async () =>
    expect(await honestCallback(front, JSON.stringify({ data: { id: harness.provider.paid() } }))).toBe(200);
  /** Some payments one after the other, and the most memory meanwhile. */
  const payments = async () => {
    resetPeak();
    for (let n = 0; n < HONEST; n += 1) {
      await pay();
      await delay(PAUSE_MS);
    }
    return peakMib();
  };
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let n = 0; n < WARM_UP / 16; n += 1) await pay();
    }),
  );
  const calmMib = await payments();
  const large: [attack: string, mib: number][] = [];
  for (const name of Object.keys(attacksOn(TOKEN))) {
    const end = begin(name, front);
    const mib = (await payments()) - calmMib;
    end();
    if (mib > MEMORY_LIMIT_MIB) large.push([name, mib]);
  }
  expect(large).toEqual([]);
  expect([relay.child.exitCode, relay.child.signalCode]).toEqual([null, null]);
  expect(await harness.query("select from callback where reference like $1", [`%${HIDDEN}%`])).toEqual([]);
  expect(front.written()).not.toContain(TOKEN);
});

it("the shipped router sends a token to its own group, and all others to the first", async () => {
  const groups = await Promise.all(
    [201, 202].map((status) => startServer((_request, response) => response.writeHead(status).end())),
  );
  onTestFinished(async () => void (await Promise.all(groups.map((group) => group.close()))));
  const [one, two] = groups.map(({ port }) => port) as [number, number];
  const router = await startRouter([one, two], "token-of-b");
  const statuses = ["token-of-a", "token-of-b", "token-of-b/order-1", "token-of-b2"].map((path) =>
    honestCallback(router, "{}", `/callbacks/${path}`),
  );
  expect(await Promise.all(statuses)).toEqual([201, 202, 202, 201]);
});
