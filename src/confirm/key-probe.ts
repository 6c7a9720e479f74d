import { type Kysely, sql } from "kysely";
import { v4 as uuidv4 } from "uuid";
import { CollectionApiError, type CollectionClient } from "../collection-api/index.ts";
import type { Alarms } from "../database/alarms.ts";
import type { Tables } from "../database/tables.ts";
import type { Source } from "../kit/sources.ts";

const FIRST_PROBE_MS = 5_000;
const SLOWEST_PROBE_MS = 60_000;

export interface KeyProbeOptions {
  db: Kysely<Tables>;
  alarms: Alarms;
  client: CollectionClient;
  source: Source;
  timeoutMs: number;
}

/**
 * Tells a refused question from a refused key: Get Collection is asked with the same key, and only if that is
 * refused too is the source paused, alarmed, and probed until the key works again. Without COLLECTION_IDS the
 * refused question is all there is to go by.
 */
export class KeyProbe {
  readonly #options: KeyProbeOptions;
  #probing = false;

  constructor(options: KeyProbeOptions) {
    this.#options = options;
  }

  /** A question was refused for its key. */
  async suspect(): Promise<void> {
    if (this.#probing) return;
    this.#probing = true;
    try {
      const [collectionId] = this.#options.source.collectionIds;
      if (
        collectionId === undefined ||
        (await this.#isRefused((signal) => this.#options.client.getCollection(collectionId, signal)))
      ) {
        await this.#pause();
      }
    } finally {
      this.#probing = false;
    }
  }

  /** Called while the source is paused; asks once the next probe is due, in whichever process comes first. */
  async probeWhenDue(): Promise<void> {
    const { db, source, client } = this.#options;
    const { rows } = await sql<{ invoiceId: string | null }>`
      update source set probe_at = clock_timestamp() + least(greatest(clock_timestamp() - paused_at, ${FIRST_PROBE_MS}::float8 * interval '1 ms'), ${SLOWEST_PROBE_MS}::float8 * interval '1 ms')
      where name = ${source.name} and paused_by = 'key_refused' and probe_at <= clock_timestamp()
      returning (select invoice_id from confirmation where source = ${source.name} and state = 'due' order by due_at limit 1) as "invoiceId"`.execute(
      db,
    );
    const [due] = rows;
    if (due === undefined) return;
    const [collectionId] = source.collectionIds;
    const refused = await this.#isRefused((options) =>
      collectionId === undefined
        ? client.getInvoice(due.invoiceId ?? uuidv4(), options)
        : client.getCollection(collectionId, options),
    );
    if (!refused) await this.#resume();
  }

  async #isRefused(
    call: (options: { retries: number; timeoutMs: number }) => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await call({ retries: 0, timeoutMs: this.#options.timeoutMs });
      return false;
    } catch (error) {
      return error instanceof CollectionApiError && ["key_refused", "wrong_key_kind"].includes(error.kind);
    }
  }

  async #pause(): Promise<void> {
    const { db, alarms, source } = this.#options;
    const { rows } = await sql`
      update source set paused_by = 'key_refused', paused_at = clock_timestamp(), probe_at = clock_timestamp() + ${FIRST_PROBE_MS}::float8 * interval '1 ms'
      where name = ${source.name} and paused_by is null returning name`.execute(db);
    if (rows.length === 0) return;
    const detail = `The provider refuses the key of source "${source.name}". Check it (COLLECTION_API_KEY, or the source's entry in SOURCES_FILE), and whether the provider allows this address. Questions wait; asking goes on by itself once the key works.`;
    await alarms.raise({ name: "source_paused", source: source.name, subject: source.name, detail });
  }

  async #resume(): Promise<void> {
    const { db, alarms, source } = this.#options;
    await sql`
      update source set paused_by = null, paused_at = null, probe_at = null
      where name = ${source.name} and paused_by = 'key_refused'`.execute(db);
    await alarms.clear({ name: "source_paused", source: source.name, subject: source.name });
  }
}
