import { execFileSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { rawSocket } from "../support/raw-socket.ts";
import { surroundings, TOKEN } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";

const MIB = 1024 ** 2;
const MOST_MIB = 120;

/** What a busy machine may take for an honest callback, in ms; without the limits it was 4 to 24 s, or the relay's end. */
const PATIENCE_MS = 3_000;

const asked = (path: string) => `GET ${path} HTTP/1.1\r\nHost:x\r\n\r\n`;
const inChunks = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n` +
  "1\r\na\r\n".repeat((15 * MIB) / 6);

/** What strangers send, and over how many connections. */
const ATTACKS: [name: string, connections: number, text: string][] = [
  ["2,400 requests at once on each of 50 connections", 50, asked("/").repeat(2_400)],
  ["3,000 callbacks at once on each of 40 connections", 40, asked(`/callbacks/${TOKEN}`).repeat(3_000)],
  ["bodies of 15 MiB in chunks of one byte", 20, inChunks(`/callbacks/${TOKEN}`)],
  ["such bodies without a token", 20, inChunks("/callbacks/wrong")],
];

describe("a relay with a heap of 256 MiB", () => {
  it.for(ATTACKS)("lives through %s, and who calls beside them notices little (G8, G12)", async (attack) => {
    const [, connections, text] = attack;
    const around = await surroundings();
    const { url, process } = await startRelayProcess(
      around.environment({ NODE_OPTIONS: "--max-old-space-size=256" }),
    );
    const memoryMiB = () =>
      Number(execFileSync("ps", ["-o", "rss=", "-p", String(process.child.pid)])) / 1024;
    /** The longest that one of some honest callbacks waits for its answer, in ms, and the most memory. */
    const honest = async () => {
      const longest = { ms: 0, mib: 0 };
      for (let n = 0; n < 30; n += 1) {
        const sentAt = performance.now();
        const answer = await fetch(`${url}/callbacks/${TOKEN}`, { method: "POST", body: `{"n":${n}}` });
        expect(answer.status).toBe(200);
        longest.ms = Math.max(longest.ms, performance.now() - sentAt);
        longest.mib = Math.max(longest.mib, memoryMiB());
        await delay(20);
      }
      return longest;
    };
    await honest();
    const calm = await honest();
    const bytes = Buffer.from(text);
    for (let n = 0; n < connections; n += 1) rawSocket(url, bytes);
    const beside = await honest();
    expect(beside.mib - calm.mib).toBeLessThan(MOST_MIB);
    expect(beside.ms).toBeLessThan(Math.max(8 * calm.ms, PATIENCE_MS));
    expect(process.child.exitCode).toBeNull();
  });
});
