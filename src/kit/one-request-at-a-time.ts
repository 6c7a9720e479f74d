import { isAscii } from "node:buffer";
import { type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

/** Why a connection was hung up on. */
export type HangUpReason =
  | "unreadable"
  | "headers_too_large"
  | "timed_out"
  | "body_unread"
  | "stalled"
  | "gave_way";

/** Connections without a request under way, since when (`performance.now()`), the longest first. */
export interface QuietConnections {
  /** Those that never sent a whole one: nothing, or half a head. */
  unheard: Map<Socket, number>;
  /** Those between two requests. */
  idle: Map<Socket, number>;
}

/** How much the parser gets at once, in bytes: a common request, or forty of the shortest. */
const PIECE = 1_024;

/** What one connection gets before others have their turn, in pieces. */
const PIECES = 4;

/** The most of a body that is read to its end though nobody wants it, so that its connection can be kept. */
const DISCARD_LIMIT_BYTES = 64 * 1024;

const UNREADABLE = { status: 400, reason: "unreadable" } as const;

/** How a connection is refused, by Node's code of what is wrong with it. */
const REFUSALS: Record<string, { status: number; reason: HangUpReason }> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: "headers_too_large" },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, reason: "unreadable" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: "timed_out" },
};

/**
 * Carries out the requests of a connection one by one, and takes no more of its bytes than that needs. Node
 * parses all that has arrived, thousands of requests maybe, and carries them out at once; here a connection's
 * bytes wait in its buffer, and then at the peer's end of the line, while
 * - a request is not answered, or its answer not taken by the kernel,
 * - a body is not read, or not as fast as it comes,
 * - others are waiting for their turn.
 * After an answer that ends the connection, or before the end of a body that nobody reads, nothing more of it
 * is looked at.
 * @param server one without a listener of requests; nothing may have connected to it yet.
 */
export function takeOneByOne(
  server: Server,
  handler: RequestListener,
  onHangUp: (reason: HangUpReason) => void,
): QuietConnections {
  const turns = new LoopTurns();
  const quiet: QuietConnections = { unheard: new Map(), idle: new Map() };
  const connections = new WeakMap<Socket, Connection>();
  server.on("connection", (socket) => {
    connections.set(socket, new Connection(socket, { turns, quiet, handler, onHangUp }));
  });
  const take: RequestListener = (...exchange) => connections.get(exchange[0].socket)?.take(...exchange);
  // Without the second, Node itself answers what it cannot expect, in no turn, and reads its body to the end.
  server.on("request", take).on("checkExpectation", take);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const isOurs = server.listenerCount("clientError") === 1;
    connections.get(socket as Socket)?.refuse(error, isOurs);
  });
  return quiet;
}

interface ConnectionParts {
  turns: LoopTurns;
  quiet: QuietConnections;
  handler: RequestListener;
  onHangUp: (reason: HangUpReason) => void;
}

type Exchange = Parameters<RequestListener>;

class Connection implements Portioned {
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  /** Those that are not answered; the first is being carried out. Several may have been in one piece. */
  readonly #unanswered: Exchange[] = [];
  /** The one that was parsed last. */
  #newest: IncomingMessage | null = null;
  /** How many bytes of its body are still to come at most, where it gave a length. */
  #bodyLeft = 0;
  /** What comes is not HTTP: those that came before are answered, and nothing else is taken. */
  #isBroken = false;
  #isOver = false;
  /** How far the next request's first line has come. */
  #line: "ahead" | "begun" | "over" = "ahead";
  readonly #goOn = () => {
    if (this.#socket.readableLength > 0) this.#parts.turns.ask(this);
  };

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    // With a listener of `readable`, Node's parser gets what `read` gives out and nothing by itself.
    socket.on("readable", () => parts.turns.ask(this));
    const [parse] = socket.listeners("data") as [(piece: Buffer) => void];
    socket.off("data", parse).on("data", (piece) => parse.call(socket, this.#withAsciiLine(piece)));
    // A body that was held up is read on; the kernel has taken what was written.
    socket.on("resume", this.#goOn).on("drain", this.#goOn);
    parts.quiet.unheard.set(socket, performance.now());
    socket.once("close", () => {
      parts.turns.forget(this);
      this.#leaveQuiet();
    });
    const destroySoon = socket.destroySoon.bind(socket);
    // Node ends a connection with this once its last answer is written.
    socket.destroySoon = () => {
      if (this.#isOver) return;
      this.#isOver = true;
      const isCutShort = this.#newest?.complete === false;
      if (isCutShort) parts.onHangUp("body_unread");
      if (isCutShort || socket.readableLength > 0) linger(socket);
      else destroySoon();
    };
  }

  take(...exchange: Exchange): void {
    const [request, response] = exchange;
    this.#newest = request;
    this.#line = "ahead";
    this.#leaveQuiet();
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
    this.#unanswered.push(exchange);
    request.on("resume", this.#goOn);
    response.once("close", () => this.#onAnswered());
    if (this.#unanswered.length === 1) this.#parts.handler(...exchange);
  }

  #onAnswered(): void {
    this.#unanswered.shift();
    const [next] = this.#unanswered;
    if (this.#isOver || this.#socket.destroyed) return;
    if (next !== undefined) this.#parts.handler(...next);
    else if (this.#isBroken || this.#isUnwanted()) this.#socket.destroySoon();
    else {
      this.#parts.quiet.idle.set(this.#socket, performance.now());
      this.#goOn();
    }
  }

  /**
   * The parser refuses a URL with bytes beyond ASCII, which some senders write as they are: it gets them
   * percent-encoded, as browsers would. A line that begins in the piece of the request before it stays as it came.
   */
  #withAsciiLine(piece: Buffer): Buffer {
    if (this.#line === "over" || this.#newest?.complete === false) return piece;
    // Line ends before it are passed over, as the parser does.
    const from = this.#line === "begun" ? 0 : piece.findIndex((byte) => byte !== CR && byte !== LF);
    if (from === -1) return piece;
    const end = piece.indexOf(LF, from);
    this.#line = end === -1 ? "begun" : "over";
    const line = end === -1 ? piece : piece.subarray(0, end);
    if (isAscii(line)) return piece;
    return Buffer.concat([Buffer.from(percentEncoded(line.toString("latin1"))), piece.subarray(line.length)]);
  }

  /** Whether more is still to come of an answered request than anybody would read to its end. */
  #isUnwanted(): boolean {
    const mayBePassedOver = this.#bodyLeft > 0 && this.#bodyLeft <= DISCARD_LIMIT_BYTES;
    return this.#newest?.complete === false && !mayBePassedOver;
  }

  #leaveQuiet(): void {
    this.#parts.quiet.unheard.delete(this.#socket);
    this.#parts.quiet.idle.delete(this.#socket);
  }

  /** @param error of Node's parser or time-out. @param isOurs false when another listener answers it. */
  refuse(error: NodeJS.ErrnoException, isOurs: boolean): void {
    const socket = this.#socket;
    const [request, response] = this.#unanswered[0] ?? [];
    if (this.#isOver || !socket.writable) return void socket.destroy();
    const { status, reason } = REFUSALS[error.code ?? ""] ?? UNREADABLE;
    if (!this.#isBroken) this.#parts.onHangUp(reason);
    this.#isBroken = true;
    if (!isOurs) return;
    // A whole request that came before gets its own answer first.
    if (request?.complete) return;
    this.#isOver = true;
    if (response?.headersSent) return void socket.destroy();
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n\r\n`);
    linger(socket);
  }

  get isBulk(): boolean {
    return this.#socket.readableLength > PIECES * PIECE;
  }

  /** Gives the parser some pieces. @returns whether there is more for it. */
  work(): boolean {
    const socket = this.#socket;
    for (let pieces = 0; socket.readableLength > 0 && this.#mayTake(); pieces += 1) {
      if (pieces === PIECES) return true;
      const size = Math.min(socket.readableLength, Math.max(PIECE, this.#bodyLeft));
      this.#bodyLeft = Math.max(0, this.#bodyLeft - size);
      socket.read(size);
    }
    // Without this read the socket would never emit its end.
    if (socket.readableLength === 0 && !this.#isOver) socket.read(0);
    return false;
  }

  #mayTake(): boolean {
    const [socket, newest] = [this.#socket, this.#newest];
    if (this.#isOver || this.#isBroken || socket.writableEnded || socket.writableNeedDrain) return false;
    if (newest === null || newest.complete) return this.#unanswered.length === 0;
    if (this.#unanswered.length > 1) return false;
    const isRead = newest.readableFlowing === true || newest.listenerCount("readable") > 0;
    return isRead && newest.readableLength < newest.readableHighWaterMark;
  }
}

const [CR, LF] = [0x0d, 0x0a];

const percentEncoded = (text: string): string =>
  text.replaceAll(/[\x80-\xff]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** How much is still taken from a peer that was answered before its end, and for how long. */
const LINGER_BYTES = 512 * 1024;
const LINGER_MS = 2_000;

/**
 * Closes a connection whose peer may still be sending: says that nothing more will come, takes for a while
 * what arrives without looking at it, then hangs up. If it were closed at once, the kernel would answer the
 * rest with a reset, which makes many peers drop the answer before they have read it.
 */
function linger(socket: Socket): void {
  if (socket.destroyed) return;
  for (const event of ["data", "readable", "end"]) socket.removeAllListeners(event);
  let left = LINGER_BYTES;
  // A peer that sends more waits until we hang up, and has time to read meanwhile.
  socket.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) socket.pause();
  });
  const hangUp = () => socket.destroy();
  socket.once("end", () => (socket.writableFinished ? hangUp() : socket.once("finish", hangUp)));
  const timer = setTimeout(hangUp, LINGER_MS).unref();
  socket.once("close", () => clearTimeout(timer));
  socket.end();
}

/** Work that is done in small portions; `work` does one, and says whether there is more to do. */
interface Portioned {
  /** Whether more than one portion waits. */
  readonly isBulk: boolean;
  work(): boolean;
}

/** How long this may take in a turn of the loop, in ms: enough to record what arrived together together. */
const TURN_MS = 20;

/**
 * The part of it that those may take who have more than a portion waiting. A turn accepts one new connection,
 * so that each of many newcomers waits as many turns as there are before it.
 */
const BULK_MS = 2;

/**
 * Shares the event loop: who asks works at once while this turn of the loop has time left, and otherwise in
 * one of the next, a portion each in the order in which they asked. However many ask, the loop goes on.
 */
class LoopTurns {
  readonly #waiting = new Set<Portioned>();
  /** When this turn's work began (`performance.now()`); null before the first of a turn. */
  #begunAt: number | null = null;

  ask(one: Portioned): void {
    const isBehind = one.isBulk && this.#waiting.size > 0;
    if (this.#hasTime(one) && !isBehind) this.#give(one);
    else this.#waiting.add(one);
  }

  forget(one: Portioned): void {
    this.#waiting.delete(one);
  }

  #hasTime({ isBulk }: Portioned): boolean {
    const now = performance.now();
    if (this.#begunAt === null) {
      this.#begunAt = now;
      setImmediate(() => this.#next());
    }
    return now - this.#begunAt < (isBulk ? BULK_MS : TURN_MS);
  }

  #next(): void {
    this.#begunAt = null;
    for (const one of this.#waiting) {
      if (!this.#hasTime(one)) continue;
      this.#waiting.delete(one);
      this.#give(one);
    }
  }

  #give(one: Portioned): void {
    if (one.work()) this.#waiting.add(one);
  }
}
