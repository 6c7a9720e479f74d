import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** The direction of bytes: to the server, or from it. */
type Way = "to" | "from" | "both";

/**
 * What may go wrong on a link.
 * - `refuse`: connections break, new ones are closed at once
 * - `black-hole`: neither bytes nor closes arrive; afterwards everything that waited arrives
 * - `hang`: the same for the connections open now, for good; new connections work
 */
export type LinkFault = { kind: "refuse" } | { kind: "black-hole"; way?: Way } | { kind: "hang" };

/**
 * Cuts a connection once, at a request or at its reply:
 * - `request`: the request reaches only the proxy
 * - `before`: the server replies, but no byte of the reply arrives
 * - `during`: half of the reply's first chunk arrives
 * - `after`: the reply's first chunk arrives, and the next request finds the connection closed
 */
export interface Cut {
  when: "request" | "before" | "during" | "after";
  /** Only after a request that contains this text, such as `commit`; any request by default. */
  matching?: string;
  /** How many connections it cuts; 1 by default. */
  times?: number;
}

interface Connection {
  client: Socket;
  server: Socket;
  ways: readonly OneWay[];
}

/** What happens to the bytes of one direction; read for every piece, so that it can change at any time. */
interface Condition {
  blackHole: boolean;
}

/** Sees each piece before it is passed on. @returns how many of its bytes get through before the cut, if any */
type Inspect = (piece: Buffer) => number | null;

/** One direction of a connection: from one socket to the other, in order. */
class OneWay {
  /** What was sent since it hangs, which arrives nowhere. */
  readonly sentInVain: string[] = [];
  #hangs = false;
  #opened = Promise.withResolvers<void>();
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #condition: Condition;

  constructor(from: Socket, to: Socket, condition: Condition, inspect: Inspect, cut: () => void) {
    this.#from = from;
    this.#to = to;
    this.#condition = condition;
    // A socket that breaks ends it; the proxy sees to that.
    void this.#carry(inspect, cut).catch(() => undefined);
  }

  /** Blocks this connection alone, for good. */
  hang(): void {
    this.#hangs = true;
  }

  /** Lets pass what waits, where the condition has changed. */
  look(): void {
    this.#opened.resolve();
    this.#opened = Promise.withResolvers();
  }

  async #carry(inspect: Inspect, cut: () => void): Promise<void> {
    for await (const piece of this.#from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      while (this.#condition.blackHole && !this.#hangs) await this.#opened.promise;
      if (this.#hangs) {
        this.sentInVain.push(piece.toString("latin1"));
        continue;
      }
      const through = inspect(piece);
      if (!this.#to.write(piece.subarray(0, through ?? piece.length)) && !this.#to.destroyed)
        await Promise.race(["drain", "close"].map((event) => once(this.#to, event)));
      if (through !== null) cut();
    }
    while (this.#condition.blackHole) await this.#opened.promise;
    if (!this.#hangs) this.#to.end();
  }
}

/** A transparent TCP proxy on its own loopback port. */
export class TcpProxy {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #hanging: Connection[] = [];
  readonly #to: Condition = { blackHole: false };
  readonly #from: Condition = { blackHole: false };
  #target: number;
  #refuses = false;
  #cuts: (Cut & { left: number })[] = [];

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (client) => this.#accept(client));
  }

  /** @param target the server's port on 127.0.0.1; 0 when there is none yet. */
  static async start(target = 0): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The URL with its host replaced by this proxy. */
  through(url: string): string {
    const moved = new URL(url);
    moved.hostname = "127.0.0.1";
    moved.port = String(this.port);
    return moved.href;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** New connections go to another port from now on; open ones break. */
  moveTo(target: number): void {
    this.#target = target;
    this.breakAll();
  }

  /** Starts a fault, also for open connections; several kinds can be combined. */
  fault(fault: LinkFault): void {
    if (fault.kind === "black-hole") {
      this.#to.blackHole ||= fault.way !== "from";
      this.#from.blackHole ||= fault.way !== "to";
    }
    if (fault.kind === "hang") this.hangAll();
    if (fault.kind === "refuse") {
      this.#refuses = true;
      this.breakAll();
    }
  }

  /** Cuts the next matching connections. */
  cut(cut: Cut): void {
    this.#cuts.push({ ...cut, left: cut.times ?? 1 });
  }

  /** Lets everything through again, what waited first. */
  heal(): void {
    this.#to.blackHole = false;
    this.#from.blackHole = false;
    this.#refuses = false;
    this.#cuts = [];
    for (const { ways } of this.#connections) for (const way of ways) way.look();
  }

  /** Makes every open connection hang for good, as behind a firewall that forgot it; new ones work. */
  hangAll(): void {
    for (const { ways } of this.#connections) for (const way of ways) way.hang();
    this.#hanging.push(...this.#connections);
  }

  /** What was sent over connections since they hang. */
  get sentInVain(): string[] {
    return this.#hanging.flatMap(({ ways }) => ways.flatMap((way) => way.sentInVain));
  }

  /** Resets every open connection. */
  breakAll(): void {
    for (const connection of this.#connections) this.#reset(connection);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.heal();
    this.breakAll();
    await once(this.#server, "close");
  }

  #accept(client: Socket): void {
    client.on("error", () => {});
    if (this.#refuses || this.#target === 0) {
      client.resetAndDestroy();
      return;
    }
    client.setNoDelay(true);
    const server = connect({ port: this.#target, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    server.on("error", () => {});
    const reset = () => this.#reset(connection);
    const inspector = this.#inspector();
    const connection: Connection = {
      client,
      server,
      ways: [
        new OneWay(client, server, this.#to, inspector.request, reset),
        new OneWay(server, client, this.#from, inspector.reply, reset),
      ],
    };
    this.#connections.add(connection);
    client.on("close", () => this.#sideClosed(connection, this.#to, client, server));
    server.on("close", () => this.#sideClosed(connection, this.#from, server, client));
  }

  /**
   * A regular close leaves the other direction open; a reset is passed on, unless the link is a black hole.
   */
  #sideClosed(connection: Connection, way: Condition, closed: Socket, other: Socket): void {
    if (other.destroyed) {
      this.#connections.delete(connection);
      return;
    }
    const broken = closed.errored !== null || !closed.readableEnded;
    if (broken && !way.blackHole) this.#reset(connection);
    else if (closed.readableEnded) other.once("close", () => this.#connections.delete(connection));
  }

  #reset(connection: Connection): void {
    this.#connections.delete(connection);
    connection.client.resetAndDestroy();
    connection.server.resetAndDestroy();
  }

  /** Tracks which cut of a connection waits for its reply. */
  #inspector(): { request: Inspect; reply: Inspect } {
    let armed: Cut["when"] | null = null;
    return {
      request: (piece) => {
        const cut = this.#cuts.find(
          ({ matching, left }) => left > 0 && (matching === undefined || piece.includes(matching)),
        );
        if (cut === undefined || armed !== null) return null;
        cut.left -= 1;
        armed = cut.when;
        return armed === "request" ? 0 : null;
      },
      reply: (piece) => {
        if (armed === null) return null;
        return { request: 0, before: 0, during: piece.length >> 1, after: piece.length }[armed];
      },
    };
  }
}
