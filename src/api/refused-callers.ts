import { audit } from "../alarms/audit.ts";
import type { Database } from "../database/tables.ts";
import { networkOf, WrongTokens } from "../kit/addresses.ts";
import { faultOf } from "../kit/fault.ts";
import type { Logger } from "../kit/log.ts";
import type { Metrics } from "../kit/metrics.ts";
import { Paced } from "../kit/waiting.ts";

interface RefusedCallersOptions {
  db: Database;
  log: Logger;
  metrics: Metrics;
  wrongTokensPerMinute: number;
}

const SAID_EVERY_MS = 60_000;

const ADDRESS_LIMIT = 10;

/**
 * Calls of the admin API with a wrong token: counted, throttled, and reported once a minute, not for each
 * attempt.
 */
export class RefusedCallers {
  readonly #options: RefusedCallersOptions;
  readonly #wrongTokens: WrongTokens;
  readonly #paced = new Paced({ everyMs: SAID_EVERY_MS, act: () => void this.#tell() });
  #tries = 0;
  #addresses = new Set<string>();

  constructor(options: RefusedCallersOptions) {
    this.#options = options;
    this.#wrongTokens = new WrongTokens(options.wrongTokensPerMinute);
  }

  /** Counts an attempt. @returns whether its address has made too many in this minute. */
  isThrottled(address: string): boolean {
    const isThrottled = this.#wrongTokens.count(address, performance.now());
    this.#options.metrics.adminRefused.inc({ status: isThrottled ? 429 : 401 });
    this.#tries += 1;
    if (this.#addresses.size < ADDRESS_LIMIT) this.#addresses.add(networkOf(address));
    this.#paced.ask("admin");
    return isThrottled;
  }

  stop(): void {
    this.#paced.stop();
  }

  async #tell(): Promise<void> {
    const { db, log } = this.#options;
    const detail = { tries: this.#tries, addresses: [...this.#addresses] };
    this.#tries = 0;
    this.#addresses = new Set();
    log.warn(detail, "the admin API was called with a wrong token");
    const entry = { actor: "relay", action: "admin.refused", subject: "admin", invoiceId: null, detail };
    try {
      await audit(db, [entry]);
    } catch (error) {
      log.warn(faultOf(error), "an audit entry could not be written");
    }
  }
}
