import pg from "pg";
import { RelayClient } from "./relay-client.ts";

/**
 * A pool that knows its connections. Where one has stopped answering, those that are idle most likely have
 * too: they are ended at once, instead of each costing a caller its time-out.
 */
export class SessionPool extends pg.Pool {
  readonly #idle = new Set<RelayClient>();

  constructor(config: pg.PoolConfig) {
    super(config);
    this.on("connect", (client) => {
      // Between queries there is nobody to tell of an error, and an error event without a listener would end
      // the process. Whoever holds the client hears of it with the next query.
      client.on("error", () => undefined);
      if (client instanceof RelayClient) client.onAbandoned = () => this.#abandonIdle();
    });
    this.on("acquire", (client) => void this.#idle.delete(client as unknown as RelayClient));
    this.on("remove", (client) => void this.#idle.delete(client as unknown as RelayClient));
    this.on("release", (error, client) => {
      if (!error && client instanceof RelayClient) this.#idle.add(client);
    });
  }

  /** Asks every idle connection for a sign of life, and ends those that give none within `limitMs`. */
  async weedOut(limitMs: number): Promise<void> {
    await Promise.all(
      [...this.#idle].map(async (client) => {
        const timer = setTimeout(
          () => client.abandon(new Error("The connection gave no sign of life")),
          limitMs,
        );
        try {
          await client.query("select 1" as never);
        } catch {
          // It is gone, which is all that was asked.
        } finally {
          clearTimeout(timer);
        }
      }),
    );
  }

  #abandonIdle(): void {
    for (const client of [...this.#idle]) {
      this.#idle.delete(client);
      client.abandon(new Error("Another connection of this pool stopped answering"));
    }
  }
}
