import { randomUUID } from "node:crypto";
import express from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Live } from "../../src/api/live.ts";
import { httpApp } from "../../src/app/http-app.ts";
import { listen } from "../../src/kit/http-server.ts";
import { newId } from "../../src/kit/ids.ts";
import { createLogger } from "../../src/kit/log.ts";
import { withoutCallbackTokens } from "../../src/kit/mask.ts";
import { ActivityBook, latencyOf } from "../../src/operate/activity.ts";
import { activity, happening, status } from "../../src/operate/operations/status.ts";
import { adminApi, READER } from "../support/admin.ts";
import { addCallback, addConfirmation, addEvents, openDatabase } from "../support/log-rows.ts";
import { rawSocket } from "../support/raw-socket.ts";
import { surroundings } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

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
  options: {
    listenerLimit?: number;
    until?: number;
    beatMs?: number;
    everyMs?: number;
    /** Sent with each reading. */
    filling?: string;
  } = {},
) {
  const db = openDatabase((await surroundings()).databaseUrl);
  let readings = 0;
  const { filling } = options;
  const read = { status: async () => ({ reading: ++readings, filling }) };
  const live = new Live({
    db,
    read,
    mask: withoutCallbackTokens,
    log: createLogger({ level: "silent" }),
    everyMs: 20,
    beatMs: 20,
    ...options,
  });
  onTestFinished(() => live.stop());
  const app = httpApp(
    [
      express.json(),
      (_request, response) => {
        if (!live.listen(response, async () => Date.now() >= (options.until ?? Number.POSITIVE_INFINITY)))
          response.sendStatus(503);
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
    const { around, relay } = await adminApi({}, { http: true, workers: true });
    const authorization = `Bearer ${READER}`;
    const stream = await listening(`${relay.url}/admin/v1/live`, { authorization });
    expect(stream.status).toBe(200);
    expect(stream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const id = randomUUID();
    around.provider.invoice(id, invoiceAnswer(id));
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

  it("has a heart that beats, room for so many, and ends with the session", async () => {
    const { live, url } = await own({ listenerLimit: 2 });
    const streams = [await listening(url), await listening(url)];
    expect((await listening(url)).status).toBe(503);
    for (const stream of streams) await vi.waitFor(() => expect(stream.beats()).toBeGreaterThan(1));
    streams[0]?.hangUp.abort();
    await vi.waitFor(() => expect(live.listeners).toBe(1));
    expect((await listening(url)).status).toBe(200);
    const ending = await own({ until: Date.now() + 100 });
    expect(await (await listening(ending.url)).ended).toBe("ended");
  });
});

describe("a listener", () => {
  it("that does not read is hung up on, so that what is unread for it is gone too (G8)", async () => {
    const { live, url, connections } = await own({ filling: "x".repeat(1_000_000) });
    const { socket } = rawSocket(url, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.pause();
    await vi.waitFor(() => expect(live.listeners).toBe(1));
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

describe("activity", () => {
  it("counts callbacks, confirmed payments and acceptances by the minute", async () => {
    const around = await surroundings();
    const now = new Date("2026-10-01T00:10:30Z");
    for (const second of [10, 20, 70, 600])
      await addCallback(around, {
        id: newId(),
        received_at: new Date(Date.UTC(2026, 9, 1) + second * 1_000),
      });
    await addEvents(around, 61);
    const book = new ActivityBook(openDatabase(around.databaseUrl), 60);
    const first = await book.read(12, now);
    expect(first.minutes).toHaveLength(12);
    expect(first.minutes[0]?.at).toEqual(new Date("2026-09-30T23:59:00Z"));
    const counts = first.minutes.map(({ received, confirmed, published }) => [
      received,
      confirmed,
      published,
    ]);
    expect(counts[0]).toEqual([0, 0, 0]);
    expect(counts[1]).toEqual([2, 59, 59]);
    expect(counts[2]).toEqual([1, 2, 2]);
    expect(counts[11]).toEqual([1, 0, 0]);
    // What is over is remembered; the last minutes are counted again.
    await addCallback(around, { id: newId(), received_at: new Date("2026-10-01T00:00:50Z") });
    await addCallback(around, { id: newId(), received_at: new Date("2026-10-01T00:09:59Z") });
    const second = await book.read(12, now);
    expect(second.minutes.map(({ received }) => received)).toEqual([0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
  });

  it("knows how long payments took, from the callback that asked to SNS", async () => {
    const around = await surroundings();
    const [event, other] = await addEvents(around, 2);
    const asked = { opened_at: "2026-09-30T23:59:58Z", requested_at: "2026-10-01T00:00:00Z" };
    await addConfirmation(around, { invoice_id: event?.invoiceId, ...asked });
    await addConfirmation(around, { invoice_id: other?.invoiceId, opened_by: "reconcile" });
    const { latency } = await new ActivityBook(openDatabase(around.databaseUrl), 60).read(1);
    expect(latency).toEqual({ p50Ms: 1_000, p95Ms: 1_000, p99Ms: 1_000, payments: 1 });
    expect(latencyOf([])).toBeNull();
    expect(latencyOf(Array.from({ length: 100 }, (_, n) => 100 - n))).toEqual({
      p50Ms: 50,
      p95Ms: 95,
      p99Ms: 99,
      payments: 100,
    });
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
    expect(body.off).toContain("a port for operators (OPS_PORT)");
    expect(relay.consoleUrl).toBe(`${relay.url}/console`);
  });
});
