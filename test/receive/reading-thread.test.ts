import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CallbackRequest } from "../../src/receive/reading/read-callback.ts";
import { ReadingThread, type ReadingThreadOptions } from "../../src/receive/reading-thread.ts";

const OBEDIENT = new URL("../support/obedient-thread.js", import.meta.url);

function threadWith(options: Partial<ReadingThreadOptions> = {}): ReadingThread {
  const thread = new ReadingThread({ inflatedBytes: 1_000, ...options });
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

const NOT_READ = { kind: "unreadable", unread: ["document"] };

describe("the thread that reads heavy callbacks (G12)", () => {
  it("finds what is named, and leaves the body as it was", async () => {
    const invoiceId = randomUUID();
    const zipped = callback(gzipSync(JSON.stringify({ data: { id: invoiceId } })), {
      contentEncoding: "gzip",
    });
    const before = Buffer.from(zipped.body);
    expect(await threadWith().read(zipped)).toEqual({
      kind: "ids",
      invoiceIds: [invoiceId],
      foundBy: "data.id",
      unread: [],
    });
    expect(before.equals(zipped.body)).toBe(true);
  });

  it("takes no more than the limit after decompression", async () => {
    const bomb = callback(gzipSync(Buffer.alloc(100_000)), { contentEncoding: "gzip" });
    expect(await threadWith().read(bomb)).toEqual({ kind: "too_large" });
  });

  it.each(["die", "hang", "swallow memory"])(
    "is replaced when a body makes it %s: that one stays unread, the next are read",
    async (order) => {
      const thread = threadWith({ main: OBEDIENT, withinMs: 5_000 });
      const readings = ["obey", order, "obey", "obey"].map((word) => thread.read(callback(word)));
      const [first, broken, ...next] = await Promise.all(readings);
      expect(broken).toMatchObject(NOT_READ);
      for (const read of [first, ...next]) expect(read).toEqual({ kind: "ping", unread: [] });
    },
  );

  it("that does not start sends callers away to try again, instead of leaving ids unread", async () => {
    const thread = threadWith({ main: new URL("./no-such-file.js", import.meta.url) });
    for (const _ of [1, 2])
      await expect(thread.read(callback("{}"))).rejects.toMatchObject({ name: "RelayError", next: "retry" });
  });

  it("that the system has no room for keeps nobody waiting either", async () => {
    // Refused at once, as when no process or thread may be added.
    const thread = threadWith({ main: new URL("https://nowhere.invalid/thread.js") });
    const both = [thread.read(callback("{}")), thread.read(callback("{}"))];
    for (const reading of [...both, thread.read(callback("{}"))])
      await expect(reading).rejects.toMatchObject({ name: "RelayError", next: "retry" });
  });

  it("lets only so many wait, and tells those that wait when it stops", async () => {
    const thread = threadWith({ main: OBEDIENT, maxWaiting: 1, withinMs: 60_000 });
    const [hanging, waiting, refused] = ["hang", "obey", "obey"].map((word) =>
      thread.read(callback(word)).catch((error: Error) => error.message),
    );
    expect(await refused).toMatch(/^Too many heavy callbacks/);
    thread.stop();
    expect(await Promise.all([hanging, waiting])).toEqual([
      "The relay is stopping.",
      "The relay is stopping.",
    ]);
  });
});
