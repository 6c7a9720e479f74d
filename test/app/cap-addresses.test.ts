import { describe, expect, it, vi } from "vitest";
import { rawSocket } from "../support/raw-socket.ts";
import { ownRelay, TOKEN } from "../support/relay.ts";

const HEAD = `POST /callbacks/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n`;

const relayWith = async (changes: Record<string, string>) =>
  (await ownRelay(changes, { http: true, workers: false })).relay;

describe("the connections of one address (G12)", () => {
  it("are capped: one more is closed at once, and there is room again when one ends", async () => {
    const relay = await relayWith({ MAX_CONNECTIONS_PER_ADDRESS: "2" });
    const held = [rawSocket(relay.url), rawSocket(relay.url)];
    const whole = `${HEAD}Connection: close\r\n\r\n{}`;
    await vi.waitFor(async () => expect(await rawSocket(relay.url, whole).ended).toBe(""));
    held[0]?.socket.destroy();
    await vi.waitFor(async () => expect(await rawSocket(relay.url, whole).ended).toMatch(/^HTTP\/1\.1 200 /));
    held[1]?.socket.destroy();
    await vi.waitFor(async () => {
      const metrics = await (await fetch(`${relay.url}/metrics`)).text();
      expect(metrics).toMatch(/invoice_relay_connections_refused_total [1-9]/);
    });
  });

  it("are not a trusted proxy's own: behind it each client has its share, and others are served", async () => {
    const relay = await relayWith({ MAX_CONNECTIONS_PER_ADDRESS: "2", TRUSTED_PROXIES: "loopback" });
    // Two requests whose bodies never come, from the same client.
    const greedy = "X-Forwarded-For: 198.51.100.66\r\n";
    const held = [1, 2].map(() => rawSocket(relay.url, `${HEAD}${greedy}\r\n{`));
    const ask = (more: string) => rawSocket(relay.url, `${HEAD}${more}Connection: close\r\n\r\n{}`).ended;
    await vi.waitFor(async () => expect(await ask(greedy)).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 1/i));
    expect(await ask("X-Forwarded-For: 203.0.113.1\r\n")).toMatch(/^HTTP\/1\.1 200 /);
    for (let n = 0; n < 5; n += 1) rawSocket(relay.url);
    expect(await ask("")).toMatch(/^HTTP\/1\.1 200 /);
    for (const { socket } of held) socket.write("}");
    await vi.waitFor(async () => expect(await ask(greedy)).toMatch(/^HTTP\/1\.1 200 /));
  });
});

/** A connection that stays, and is served. */
async function newcomer(url: string): Promise<void> {
  const { socket, ended } = rawSocket(url, `${HEAD}Expect: 100-continue\r\n\r\n`);
  const heard = new Promise<string>((resolve) => socket.once("data", (data) => resolve(String(data))));
  expect(await Promise.race([heard, ended])).toMatch(/^HTTP\/1\.1 100 /);
}

describe("all connections", () => {
  it("that are silent or begin a request and say no more give way to new ones; busy ones do not", async () => {
    const relay = await relayWith({ MAX_CONNECTIONS: "6", MAX_CONNECTIONS_PER_ADDRESS: "6" });
    const silent = [1, 2].map(() => rawSocket(relay.url));
    const begun = [1, 2].map(() => rawSocket(relay.url, "GET / HTTP/1.1\r\nHost:"));
    const busy = [1, 2].map(() => rawSocket(relay.url, `${HEAD}Connection: close\r\n\r\n{`));
    const whole = `${HEAD}Connection: close\r\n\r\n{}`;
    // Full, of connections that have not been quiet for long.
    await vi.waitFor(async () => expect(await rawSocket(relay.url, whole).ended).toBe(""));
    for (const _quiet of [...silent, ...begun]) await vi.waitFor(() => newcomer(relay.url));
    await Promise.all([...silent, ...begun].map(({ ended }) => ended));
    for (const { socket } of busy) socket.write("}");
    for (const { ended } of busy) expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
    const metrics = await (await fetch(`${relay.url}/metrics`)).text();
    expect(metrics).toMatch(/connections_hung_up_total\{reason="gave_way"\} 4/);
  });

  it("are at most 40 % one address', unless set", async () => {
    const relay = await relayWith({ MAX_CONNECTIONS: "5" });
    const whole = `${HEAD}Connection: close\r\n\r\n{}`;
    const held = [rawSocket(relay.url), rawSocket(relay.url)];
    await vi.waitFor(async () => expect(await rawSocket(relay.url, whole).ended).toBe(""));
    held[0]?.socket.destroy();
    await vi.waitFor(async () => expect(await rawSocket(relay.url, whole).ended).toMatch(/^HTTP\/1\.1 200 /));
  });
});
