import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { plainMibMs } from "../support/expect-cheap.ts";
import { rawSocket } from "../support/raw-socket.ts";
import { surroundings, TOKEN } from "../support/relay.ts";
import { startRelayProcess } from "../support/relay-process.ts";

const MIB = 1024 ** 2;
const MOST_MIB = 120;

/**
 * So much of the relay's work, in times what a plain MiB of JSON costs, may go on before an honest callback is
 * answered; without the limits it was 250 times and more, or the relay's end.
 */
const MOST_WORK = 100;

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
    /** The relay's processor time, in ms. */
    const workMs = () => {
      const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(
        readFileSync(`/proc/${process.child.pid}/stat`, "utf8"),
      ) as RegExpExecArray;
      return (Number(user) + Number(system)) * 10;
    };
    /** The most work that goes on while one of some honest callbacks waits for its answer, and the most memory. */
    const honest = async () => {
      const most = { ms: 0, mib: 0 };
      for (let n = 0; n < 30; n += 1) {
        const before = workMs();
        const answer = await fetch(`${url}/callbacks/${TOKEN}`, { method: "POST", body: `{"n":${n}}` });
        expect(answer.status).toBe(200);
        most.ms = Math.max(most.ms, workMs() - before);
        most.mib = Math.max(most.mib, memoryMiB());
        await delay(20);
      }
      return most;
    };
    await honest();
    const calm = await honest();
    const bytes = Buffer.from(text);
    for (let n = 0; n < connections; n += 1) rawSocket(url, bytes);
    const beside = await honest();
    expect(beside.mib - calm.mib).toBeLessThan(MOST_MIB);
    expect(beside.ms / plainMibMs()).toBeLessThan(MOST_WORK);
    expect(process.child.exitCode).toBeNull();
  });
});
