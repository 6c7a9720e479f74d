import { hashOfKey } from "../load-seed.ts";
import type { InvoiceType, ServiceDatabase } from "../service-tables.ts";

export interface ApiKey {
  readonly name: string;
  /** A Live key makes Live invoices, a Test key Test invoices. */
  readonly type: InvoiceType;
}

/** The keys of one running service, by the hash of the key. They change with the seed only, so at a start. */
export class ApiKeys {
  readonly #byHash: ReadonlyMap<string, ApiKey>;

  private constructor(byHash: ReadonlyMap<string, ApiKey>) {
    this.#byHash = byHash;
  }

  static async load(db: ServiceDatabase): Promise<ApiKeys> {
    const rows = await db.selectFrom("api_key").selectAll().orderBy("name").execute();
    return new ApiKeys(
      new Map(rows.map(({ name, type, sha256 }) => [sha256.toString("hex"), { name, type }])),
    );
  }

  /**
   * Whose key this is. It is looked up by its hash, so that no timing tells how much of a guess was right.
   */
  find(key: string | undefined): ApiKey | undefined {
    return key === undefined ? undefined : this.#byHash.get(hashOfKey(key).toString("hex"));
  }

  list(): ApiKey[] {
    return [...this.#byHash.values()];
  }
}
