import { expect, it, onTestFinished, vi } from "vitest";
import { Readiness } from "../../src/app/readiness.ts";
import { createLogger } from "../../src/kit/log.ts";
import { TcpProxy } from "../faults/network/tcp-proxy.ts";
import { createTestDatabase } from "../support/database.ts";
import { openDatabase } from "../support/log-rows.ts";

it("a database that does not answer is told within a second, to all who ask, and the log once", async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const proxy = await TcpProxy.start(Number(new URL(url).port));
  onTestFinished(() => proxy.close());
  const lines: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  const readiness = new Readiness(openDatabase(proxy.through(url)), log);
  proxy.fault({ kind: "black-hole" });

  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const answers = Promise.all(Array.from({ length: 20 }, () => readiness.isReady()));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(new Set(await answers)).toEqual(new Set([false]));
  const late = readiness.isReady();
  await vi.advanceTimersByTimeAsync(0);
  expect(await late).toBe(false);
  expect(lines.filter((line) => line.includes("not ready"))).toHaveLength(1);

  vi.useRealTimers();
  proxy.heal();
  await vi.waitFor(async () => expect(await readiness.isReady()).toBe(true));
});
