import { messageOf } from "../../kit/errors.ts";
import type { Logger } from "../../kit/log.ts";
import type { ServerProcess } from "./server-process.ts";

export interface StandingServerOptions {
  log: Logger | undefined;
  /** Starts another in its place. */
  spawn(): Promise<ServerProcess>;
}

/** A Postgres that is started again at the same address when anything but `stop()` ended it. */
export class StandingServer {
  readonly #options: StandingServerOptions;
  readonly #watching: Promise<void>;
  #server: ServerProcess;
  #stopping = false;

  constructor(first: ServerProcess, options: StandingServerOptions) {
    this.#server = first;
    this.#options = options;
    this.#watching = this.#watch();
  }

  /** Resolves when it is gone for good. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#server.stop();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { log, spawn } = this.#options;
    for (;;) {
      await this.#server.ended;
      if (this.#stopping) return;
      log?.warn({ pid: this.#server.pid }, "embedded Postgres ended; it is started again");
      try {
        this.#server = await spawn();
      } catch (error) {
        log?.error({ error: messageOf(error) }, "embedded Postgres cannot be started again");
        return;
      }
      if (this.#stopping) await this.#server.stop();
    }
  }
}
