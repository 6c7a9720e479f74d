import express from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Live } from "../../../src/interfaces/admin-api/live.ts";
import { activity } from "../../../src/operations/activity.ts";
import { happening, trouble } from "../../../src/operations/list/status.ts";
import { status } from "../../../src/operations/status.ts";
import { listen } from "../../../src/platform/http/http-server.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import { withoutCallbackTokens } from "../../../src/platform/values/mask.ts";
import { httpApp } from "../../../src/runtime/http-app.ts";
import { adminApi, READER } from "../../support/admin.ts";
import { openDatabase } from "../../support/database.ts";
import { rawSocket } from "../../support/raw-socket.ts";
import { startHarness } from "../../support/relay.ts";

/** Listens to server-sent events until the test ends. */
async function listening(url: string, headers: Record<string, string> = {}) {
  const events: { name: string; data: unknown }[] = [];
  let beats = 0;
  const hangUp = new AbortController();
  onTestFinished(() => hangUp.abort());
  const answer = await fetch(url, { headers, signal: hangUp.signal });
  let rest = "";
  const ended = (async () => {
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = `${rest}${part}`.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, name] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        if (name !== undefined && data !== undefined) events.push({ name, data: JSON.parse(data) });
        else if (block.startsWith(":")) beats += 1;
      }
    }
    return "ended" as const;
  })().catch(() => "cut" as const);
  return { status: answer.status, headers: answer.headers, events, beats: () => beats, ended, hangUp };
}

async function own(
  options: Partial<ConstructorParameters<typeof Live>[0]> & {
    isOver?: () => Promise<boolean>;
    /** Sent with each reading. */
    filling?: string;
  } = {},
) {
  const db = openDatabase((await startHarness()).databaseUrl);
  let readings = 0;
  const { filling } = options;
  const read = { status: async () => ({ reading: ++readings, filling }) };
  const live = new Live({
    db,
    read,
    mask: withoutCallbackTokens,
    log: createLogger({ level: "silent" }),
    everyMs: 20,
    heartbeatMs: 20,
    ...options,
  });
  onTestFinished(() => live.stop());
  const app = httpApp(
    [
      express.json(),
      (_request, response) => {
        if (!live.listen(response, options.isOver ?? (async () => false))) response.sendStatus(503);
      },
    ],
    createLogger({ level: "silent" }),
  );
  const server = await listen(app, { name: "test", port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close(0));
  const connections = () =>
    new Promise<number>((resolve) => server.server.getConnections((_error, count) => resolve(count)));
  return { live, url: server.url, readings: () => readings, connections };
}

describe("the live stream", () => {
  it("tells how it does, how busy it is, and each payment as it comes through", async () => {
    const { harness, relay } = await adminApi({}, { http: true, workers: true });
    const authorization = `Bearer ${READER}`;
    const stream = await listening(`${relay.url}/admin/v1/live`, { authorization });
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const id = harness.provider.paid();
    await relay.callback({ data: { id } });
    await vi.waitFor(() => {
      const payments = stream.events.filter(({ name }) => name === "payment");
      expect(payments).toMatchObject([
        { data: { what: "confirmed", invoiceId: id, source: "default", totalAmount: "1511.25" } },
        { data: { what: "published", invoiceId: id } },
      ]);
    });
    await vi.waitFor(() => {
      const last = stream.events.findLast(({ name }) => name === "activity")?.data;
      expect(
        (last as { minutes: { published: number }[] }).minutes.some(({ published }) => published === 1),
      ).toBe(true);
    });
    const schemas = { status, activity, payment: happening };
    for (const { name, data } of stream.events)
      expect(schemas[name as keyof typeof schemas].safeParse(data).error, name).toBeUndefined();
  });

  it("is for whoever is signed in only, and stops at once when the relay does", async () => {
    const { relay } = await adminApi();
    expect((await fetch(`${relay.url}/admin/v1/live`)).status).toBe(401);
    const stream = await listening(`${relay.url}/admin/v1/live`, { authorization: `Bearer ${READER}` });
    await vi.waitFor(() => expect(stream.events.length).toBeGreaterThan(0));
    await relay.stop();
    // Not cut off, as whoever holds a connection open is after the grace of 2 s.
    expect(await stream.ended).toBe("ended");
  });

  it("asks once for all who listen, only while somebody does, and gives newcomers the last at once", async () => {
    const { live, url, readings } = await own({ everyMs: 60_000 });
    expect(readings()).toBe(0);
    const [one, two] = [await listening(url), await listening(url)];
    await vi.waitFor(() => expect(one.events).toEqual([{ name: "status", data: { reading: 1 } }]));
    const three = await listening(url);
    for (const stream of [two, three])
      await vi.waitFor(() => expect(stream.events).toEqual([{ name: "status", data: { reading: 1 } }]));
    expect(readings()).toBe(1);
    for (const stream of [one, two, three]) stream.hangUp.abort();
    await vi.waitFor(() => expect(live.listeners).toBe(0));
    const again = await listening(url);
    await vi.waitFor(() => expect(again.events).toEqual([{ name: "status", data: { reading: 2 } }]));
  });

  it("says what it cannot read, that fails or hangs, and since when, until it is read again", async () => {
    let answer: () => Promise<unknown> = async () => ({ reading: 1 });
    const { url } = await own({ lateMs: 50, read: { status: () => answer() } });
    const stream = await listening(url);
    await vi.waitFor(() => expect(stream.events).toContainEqual({ name: "status", data: { reading: 1 } }));
    const troubles = () => stream.events.filter(({ name }) => name === "trouble").map(({ data }) => data);
    answer = async () => {
      throw new Error("away");
    };
    await vi.waitFor(() => expect(troubles().length).toBeGreaterThan(1));
    const [first, second] = troubles().map((data) => trouble.parse(data));
    expect(first?.what).toBe("status");
    expect(second?.since).toEqual(first?.since);
    // Who comes now is not shown what was true before.
    const late = await listening(url);
    await vi.waitFor(() => expect(late.events[0]?.name).toBe("trouble"));
    let release = (_value: unknown) => {};
    answer = () => new Promise((resolve) => (release = resolve));
    const before = troubles().length;
    await vi.waitFor(() => expect(troubles().length).toBeGreaterThan(before + 1));
    answer = async () => ({ reading: 2 });
    release({ reading: 2 });
    await vi.waitFor(() => expect(stream.events.at(-1)).toEqual({ name: "status", data: { reading: 2 } }));
  });

  it("has a heart that beats, capacity for so many, and ends with the session", async () => {
    const { live, url } = await own({ listenerLimit: 2 });
    const streams = [await listening(url), await listening(url)];
    expect((await listening(url)).status).toBe(503);
    for (const stream of streams) await vi.waitFor(() => expect(stream.beats()).toBeGreaterThan(1));
    streams[0]?.hangUp.abort();
    await vi.waitFor(() => expect(live.listeners).toBe(1));
    expect((await listening(url)).status).toBe(200);
    // Where nobody can tell, as after a password was changed, it goes on; the process too.
    const told: (Error | boolean)[] = [new Error("password authentication failed"), false, true];
    const isOver = async () => {
      const next = told.shift() ?? true;
      if (next instanceof Error) throw next;
      return next;
    };
    const ending = await own({ isOver });
    expect(await (await listening(ending.url)).ended).toBe("ended");
    expect(told).toEqual([]);
  });
});

describe("a listener", () => {
  it("that does not read is hung up on, so that what is unread for it is gone too (G8)", async () => {
    const { live, url, readings, connections } = await own({ filling: "x".repeat(1_000_000) });
    const { socket } = rawSocket(url, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.pause();
    await vi.waitFor(() => expect(readings()).toBeGreaterThan(0));
    await vi.waitFor(() => expect(live.listeners).toBe(0));
    await vi.waitFor(async () => expect(await connections()).toBe(0));
  });

  it("is counted until it leaves, whatever it sent along", async () => {
    const { live, url } = await own();
    const body = "{}";
    const { socket } = rawSocket(
      url,
      `GET / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n${body}`,
    );
    await vi.waitFor(() => expect(live.listeners).toBe(1));
    await new Promise((resolve) => socket.once("data", resolve));
    expect(live.listeners).toBe(1);
    socket.destroy();
    await vi.waitFor(() => expect(live.listeners).toBe(0));
  });
});

describe("the settings over HTTP", () => {
  it("say what is on and off, show no secret, and the callback URL whole to whoever may act", async () => {
    const { call, relay } = await adminApi();
    const shown = await call("GET", "/settings");
    expect(shown.body.callbackUrls).toMatchObject([
      { source: "default", url: "https://relay.example.com/callbacks/test-token-0123456789abcdef" },
    ]);
    const { body } = await call("GET", "/settings", undefined, READER);
    expect(body.callbackUrls).toMatchObject([{ url: "https://relay.example.com/callbacks/***" }]);
    const secrets = ["test-token-0123456789abcdef", "test-api-key", READER, "postgres:"];
    for (const secret of secrets) expect(JSON.stringify(body)).not.toContain(secret);
    const settingOf = (name: string) => body.settings.find((one: { name: string }) => one.name === name);
    expect(settingOf("DATABASE_URL")).toMatchObject({ value: "***", given: true });
    expect(settingOf("ADMIN_TOKENS")).toMatchObject({ value: "***" });
    expect(settingOf("RETENTION")).toMatchObject({ value: "400d", given: false });
    expect(settingOf("SNS_TEST_TOPIC_ARN")).toMatchObject({ value: null });
    expect(body.off.join()).toContain("OPS_PORT");
    expect(relay.consoleUrl).toBe(`${relay.url}/console`);
  });
});
