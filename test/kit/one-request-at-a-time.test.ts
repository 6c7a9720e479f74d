import { once } from "node:events";
import type { IncomingMessage, RequestListener } from "node:http";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listen } from "../../src/kit/http-server.ts";
import type { HangUpReason } from "../../src/kit/one-request-at-a-time.ts";
import { rawSocket } from "../support/raw-socket.ts";

const head = (more = "", line = "GET /") => `${line} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const LAST = head("Connection: close\r\n");

async function serving(handler: RequestListener) {
  const hungUp: HangUpReason[] = [];
  const server = await listen(handler, {
    name: "test",
    port: 0,
    host: "127.0.0.1",
    server: { requestTimeout: 10_000, headersTimeout: 10_000 },
    onHangUp: (reason) => hungUp.push(reason),
  });
  onTestFinished(() => server.close(0));
  return { url: server.url, hungUp };
}

/** The ways of reading a body, each of which holds it up now and then. */
const WAYS: ((request: IncomingMessage, onPiece: (piece: Buffer) => void) => Promise<unknown>)[] = [
  (request, onPiece) => new Promise((resolve) => request.on("data", onPiece).on("end", resolve)),
  (request, onPiece) =>
    new Promise((resolve) => {
      request.on("end", resolve).on("data", (piece: Buffer) => {
        onPiece(piece);
        request.pause();
        globalThis.setImmediate(() => request.resume());
      });
    }),
  async (request, onPiece) => {
    for await (const piece of request) {
      onPiece(piece);
      await setImmediate();
    }
  },
  async (request, onPiece) => {
    await setImmediate();
    const write = (piece: Buffer, _encoding: string, done: () => void) => {
      onPiece(piece);
      globalThis.setImmediate(done);
    };
    await pipeline(request, new Writable({ highWaterMark: 10, write }));
  },
];

/** Answers with the length of the body, some time later, and counts. */
function lengthOfBody() {
  const seen = { requests: 0, open: 0, openLimit: 0 };
  const handler: RequestListener = async (request, response) => {
    const way = WAYS[seen.requests % WAYS.length] as (typeof WAYS)[number];
    seen.requests += 1;
    seen.open += 1;
    seen.openLimit = Math.max(seen.openLimit, seen.open);
    let length = 0;
    await way(request, (piece) => {
      length += piece.length;
    });
    await setImmediate();
    seen.open -= 1;
    response.end(`<${length}>`);
  };
  return { seen, handler };
}

const answersIn = (text: string) => [...text.matchAll(/<(\d+)>/g)].map(([, length]) => Number(length));

describe("the requests of one connection (G12)", () => {
  it("are carried out one by one and answered in their order, however they arrive", async () => {
    const { seen, handler } = lengthOfBody();
    const { url, hungUp } = await serving(handler);
    const body = fc.record({
      bytes: fc.nat(90_000),
      isChunked: fc.boolean(),
      piece: fc.integer({ min: 1_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(body, { maxLength: 8 }), fc.integer({ min: 100 }), async (bodies, cut) => {
        const texts = bodies.map(({ bytes, isChunked, piece }) => {
          const text = "\r\n\r\nGET".repeat(bytes).slice(0, bytes);
          if (!isChunked) return head(`Content-Length: ${bytes}\r\n`, "POST /") + text;
          const size = Math.max(1, piece % 5_000);
          const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
          const chunks = pieces.map((one) => `${one.length.toString(16)}\r\n${one}\r\n`).join("");
          return `${head("Transfer-Encoding: chunked\r\n", "POST /")}${chunks}0\r\n\r\n`;
        });
        const all = texts.join("") + LAST;
        const { socket, ended } = rawSocket(url, all.slice(0, cut));
        socket.write(all.slice(cut));
        expect(answersIn(await ended)).toEqual([...bodies.map(({ bytes }) => bytes), 0]);
      }),
      { numRuns: 40 },
    );
    expect(seen.openLimit).toBe(1);
    expect(hungUp).toEqual([]);
  });

  it("end with an answer that ends the connection: none of those behind it is carried out", async () => {
    let requests = 0;
    const { url } = await serving((_request, response) => {
      requests += 1;
      response.writeHead(404, { connection: "close" }).end("once");
    });
    expect(await rawSocket(url, head().repeat(2_400)).ended).toMatch(/^HTTP\/1\.1 404 [\s\S]*once\s*/);
    expect(requests).toBe(1);
  });

  it("end with one that says so, and what is no request behind it costs it no answer", async () => {
    const { seen, handler } = lengthOfBody();
    const { url } = await serving(handler);
    const answer = await rawSocket(url, LAST + "\0".repeat(100) + head()).ended;
    expect([answersIn(answer), seen.requests]).toEqual([[0], 1]);
  });

  it("are ours to answer whatever they expect, and a body that nobody reads ends the connection", async () => {
    let requests = 0;
    const { url, hungUp } = await serving((_request, response) => {
      requests += 1;
      response.end();
    });
    const posted = head("Expect: a miracle\r\nTransfer-Encoding: chunked\r\n", "POST /");
    const { ended } = rawSocket(url, `${posted}${"1\r\na\r\n".repeat(300_000)}`);
    expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
    expect([requests, hungUp]).toEqual([1, ["body_unread"]]);
  });

  it("wait while the answers are not read, whatever their size, and go on when they are", async () => {
    for (const size of [10, 20_000, 300_000]) {
      let requests = 0;
      const { url } = await serving((_request, response) => {
        requests += 1;
        response.end("a".repeat(size));
      });
      const [count, line] = [
        100 + Math.ceil(4e7 / (size + 200)),
        head("X-Long: ".padEnd(300, "x").concat("\r\n")),
      ];
      const { socket, ended } = rawSocket(url, line.repeat(count) + LAST);
      socket.pause();
      let before = -1;
      // Once the kernel is full, nothing more is carried out.
      await vi.waitFor(
        () => {
          const [last, now] = [before, requests];
          before = now;
          expect(now).toBe(last);
          expect(now).toBeGreaterThan(0);
        },
        { interval: 300 },
      );
      expect(requests, `answers of ${size} bytes`).toBeLessThan(count);
      socket.resume();
      expect((await ended).split("HTTP/1.1 200 ").length - 1).toBe(count + 1);
    }
  });

  it("take turns with those of others: 2,400 on each of 50 connections are not waited for", async () => {
    let requests = 0;
    let honest: Promise<string> | undefined;
    let before = 0;
    const { url } = await serving((request, response) => {
      requests += 1;
      if (request.url === "/honest") before = requests;
      response.end();
      if (requests === 1_000) honest = rawSocket(url, LAST.replace("/", "/honest")).ended;
    });
    for (let n = 0; n < 50; n += 1) rawSocket(url, head().repeat(2_400)).socket.resume();
    await vi.waitFor(() => expect(honest).toBeDefined());
    await honest;
    // Its connection, and then its request, each wait for a turn of the event loop.
    expect(before).toBeGreaterThan(1_000);
    expect(before).toBeLessThan(60_000);
  });
});

describe("a URL with bytes beyond ASCII, as some senders write it", () => {
  it.for([1, 7, 1_500, 5_000])(
    "is read percent-encoded and nothing else is, in pieces of %i",
    async (size) => {
      const seen: unknown[] = [];
      const { url, hungUp } = await serving(async (request, response) => {
        const body = Buffer.concat(await request.toArray());
        seen.push([request.url, request.headers["x-name"], body.toString("latin1")]);
        response.end("<0>");
      });
      // Longer than what the parser gets at once.
      const line = `\r\nPOST /\xc3\xa9?n=${"\xff".repeat(1_200)} HTTP/1.1\r\n`;
      const posted = Buffer.from(
        `${line}X-Name: \xe9\r\nHost: x\r\nContent-Length: 3\r\n\r\n\xe9\n\xe9`,
        "latin1",
      );
      const { socket, ended } = rawSocket(url);
      socket.setNoDelay();
      for (const request of [posted, posted, Buffer.from(LAST)]) {
        const answered = once(socket, "data");
        for (let at = 0; at < request.length; at += size) {
          socket.write(request.subarray(at, at + size));
          await setImmediate();
        }
        await Promise.race([answered, ended]);
      }
      await ended;
      const one = [`/%C3%A9?n=${"%FF".repeat(1_200)}`, "\xe9", "\xe9\n\xe9"];
      expect([seen, hungUp]).toEqual([[one, one, ["/", undefined, ""]], []]);
    },
  );
});

describe("a body that nobody reads", () => {
  it("keeps nobody from the answer, not even who writes it all first, and ends the connection", async () => {
    const { url, hungUp } = await serving((request, response) => {
      response.statusCode = 404;
      if (request.url === "/close") response.setHeader("connection", "close");
      response.end();
    });
    const endless = "1\r\na\r\n".repeat(300_000);
    for (const path of ["/close", "/keep"]) {
      const { socket, ended } = rawSocket(url, head("Transfer-Encoding: chunked\r\n", `POST ${path}`));
      socket.pause();
      socket.write(endless);
      socket.resume();
      expect(await ended).toMatch(/^HTTP\/1\.1 404 /);
    }
    expect(hungUp).toEqual(["body_unread", "body_unread"]);
  });

  it("is passed over where it is short and its length is told, and the connection is kept", async () => {
    const { url } = await serving((_request, response) => response.end("<1>"));
    const posted = head("Content-Length: 30000\r\n", "POST /") + "a".repeat(30_000);
    expect(answersIn(await rawSocket(url, posted.repeat(3) + LAST).ended)).toEqual([1, 1, 1, 1]);
  });
});

describe("what is no HTTP", () => {
  it.for([
    ["400", "unreadable", "\0\0\0\0\r\n\r\n"],
    ["431", "headers_too_large", head(`X-Long: ${"a".repeat(100_000)}\r\n`)],
    ["413", "unreadable", `${head("Transfer-Encoding: chunked\r\n", "POST /")}1;${"a".repeat(100_000)}\r\n`],
  ])("gets %s, and is counted as %s", async ([status, reason, text]) => {
    const { handler } = lengthOfBody();
    const { url, hungUp } = await serving(handler);
    expect(await rawSocket(url, text).ended).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [A-Za-z ]+\r\nConnection: close`),
    );
    expect(hungUp).toEqual([reason]);
  });
});
