import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { faultOf } from "../../src/kit/fault.ts";
import type { CallbackRequest } from "../../src/receive/reading/read-callback.ts";
import {
  ReadingThread,
  type ReadingThreadOptions,
  readOrHandOver,
} from "../../src/receive/reading-thread.ts";

const OBEDIENT = new URL("../support/obedient-thread.js", import.meta.url);

function threadWith(options: ReadingThreadOptions = {}): ReadingThread {
  const thread = new ReadingThread(options);
  onTestFinished(() => thread.stop());
  return thread;
}

const callback = (body: string | Buffer, changes: Partial<CallbackRequest> = {}): CallbackRequest => ({
  method: "POST",
  query: "",
  reference: null,
  contentType: null,
  contentEncoding: null,
  body: Buffer.from(body),
  ...changes,
});

const FROM = "203.0.113.7";
const NOT_READ = { kind: "unreadable", unread: ["document"] };

/** Counts what it is given to read. */
class CountingThread extends ReadingThread {
  reads = 0;

  override read(...given: Parameters<ReadingThread["read"]>) {
    this.reads += 1;
    return super.read(...given);
  }
}

describe("what is read in the thread (G12)", () => {
  const json = Buffer.from(JSON.stringify({ data: { id: randomUUID() } }));
  it.each([
    { what: "a compressed body that says so", body: gzipSync(json), coding: "gzip", reads: 1 },
    { what: "a compressed body that does not say so", body: gzipSync(json), coding: null, reads: 1 },
    { what: "a plain body that calls itself compressed", body: json, coding: "gzip", reads: 1 },
    { what: "a plain body", body: json, coding: null, reads: 0 },
  ])("$what: $reads", async ({ body, coding, reads }) => {
    const thread = new CountingThread();
    onTestFinished(() => thread.stop());
    const reading = await readOrHandOver(thread, callback(body, { contentEncoding: coding }), FROM);
    expect(reading).toMatchObject({ foundBy: "data.id" });
    expect(thread.reads).toBe(reads);
  });
});

describe("the thread that reads heavy callbacks (G12)", () => {
  it("finds what is named, and leaves the body as it was", async () => {
    const invoiceId = randomUUID();
    const zipped = callback(gzipSync(JSON.stringify({ data: { id: invoiceId } })), {
      contentEncoding: "gzip",
    });
    const before = Buffer.from(zipped.body);
    expect(await threadWith().read(zipped, FROM)).toEqual({
      kind: "ids",
      invoiceIds: [invoiceId],
      foundBy: "data.id",
      unread: [],
    });
    expect(before.equals(zipped.body)).toBe(true);
  });

  it("takes no more than the limit after decompression", async () => {
    const bomb = callback(gzipSync(Buffer.alloc(300_000)), { contentEncoding: "gzip" });
    expect(await threadWith().read(bomb, FROM)).toEqual({ kind: "too_large" });
  });

  it.each(["die", "hang", "swallow memory"])(
    "is replaced when a body makes it %s: that one stays unread, the next are read",
    async (order) => {
      const thread = threadWith({ main: OBEDIENT, withinMs: 5_000 });
      const readings = ["obey", order, "obey", "obey"].map((word) => thread.read(callback(word), FROM));
      const [first, broken, ...next] = await Promise.all(readings);
      expect(broken).toMatchObject(NOT_READ);
      for (const read of [first, ...next]) expect(read).toEqual({ kind: "ping", unread: [] });
    },
  );

  it("tells of a bug that ended it", async () => {
    const faults: unknown[] = [];
    const thread = threadWith({ main: OBEDIENT, onFault: (error) => void faults.push(error) });
    expect(await thread.read(callback("throw"), FROM)).toMatchObject(NOT_READ);
    expect(faults.map(faultOf)).toMatchObject([
      { error: "a bug", stack: expect.stringContaining("test/support/obedient-thread.js:") },
    ]);
  });

  it("may take longer to load than one callback may be read", async () => {
    const main = new URL(`data:text/javascript,
      import { parentPort } from "node:worker_threads";
      for (const until = Date.now() + 3_000; Date.now() < until; );
      parentPort.on("message", () => parentPort.postMessage({ kind: "ping", unread: [] }));
      parentPort.postMessage("up");`);
    expect(await threadWith({ main, withinMs: 2_000 }).read(callback("{}"), FROM)).toMatchObject({
      kind: "ping",
    });
  });

  it("that does not start sends callers away to try again, instead of leaving ids unread", async () => {
    const thread = threadWith({ main: new URL("./no-such-file.js", import.meta.url) });
    for (const _ of [1, 2])
      await expect(thread.read(callback("{}"), FROM)).rejects.toMatchObject({
        name: "RelayError",
        next: "retry",
      });
  });

  it("that the system has no room for keeps nobody waiting either", async () => {
    // Refused at once, as when no process or thread may be added.
    const thread = threadWith({ main: new URL("https://nowhere.invalid/thread.js") });
    const both = [thread.read(callback("{}"), FROM), thread.read(callback("{}"), FROM)];
    for (const reading of [...both, thread.read(callback("{}"), FROM)])
      await expect(reading).rejects.toMatchObject({ name: "RelayError", next: "retry" });
  });

  it("lets only so many wait, none of them shut out by one address, and tells them when it stops", async () => {
    const thread = threadWith({ main: OBEDIENT, maxWaiting: 2, withinMs: 60_000 });
    const read = (word: string, address: string) =>
      thread.read(callback(word), address).catch((error: Error) => error.message);
    const [hanging, waiting, late] = ["hang", "obey", "obey"].map((word) => read(word, FROM));
    const refused = read("obey", FROM);
    expect(await refused).toMatch(/^Too many heavy callbacks/);
    const honest = read("obey", "198.51.100.1");
    expect(await late).toMatch(/^Too many heavy callbacks/);
    thread.stop();
    expect(await Promise.all([hanging, waiting, honest])).toEqual(Array(3).fill("The relay is stopping."));
  });
});
