import { sql } from "kysely";
import { type Database, query, returned, type Slots, Statement } from "../database/index.ts";
import { withoutCallbackTokens, withTextsMasked } from "../values/index.ts";
import { publicKeyOf, type Signed, type Signer } from "./signed.ts";
import type { KeysDocument } from "./verify-signed.ts";

// Public keys stay, so that what an older one signed can be checked.

const useKey = new Statement(
  { now: returned.time },
  ({ value }: Slots<Pick<Signer, "keyId" | "publicKey">>) => {
    const id = value(({ keyId }) => keyId);
    // Only rows that change are locked, so that signatures do not wait for each other.
    return sql`
      with turned as (
        update signing_key set retired_at = case when id = ${id} then null else clock_timestamp() end
        where (id = ${id}) = (retired_at is not null)),
      made as (
        insert into signing_key (id, public_key) values (${id}, ${value(({ publicKey }) => publicKey)})
        on conflict do nothing)
      select clock_timestamp() as now`;
  },
);

/**
 * Registers the key for those who check signatures; another one that was in use is retired. @returns Postgres'
 * clock.
 */
export async function registerKey(db: Database, signer: Signer): Promise<Date> {
  const [row] = await useKey.execute(db, signer);
  return row?.now ?? new Date();
}

/**
 * A document as it is issued: signed, or with `signature: null`. Call it in the transaction that keeps the
 * document, so that the document differs from one made later. Later views mask callback tokens, so a signed
 * document has none.
 */
export async function issue<Document extends object>(
  trx: Database,
  signer: Signer | null,
  document: Document,
): Promise<Signed<Document>> {
  const masked = withTextsMasked(document, withoutCallbackTokens) as Document;
  if (signer === null) return { ...masked, signature: null };
  return signer.sign(masked, await registerKey(trx, signer));
}

const selectKeys = query((db) => db.selectFrom("signing_key").selectAll().orderBy("created_at", "desc"));

/** The content of `/.well-known/invoice-relay-keys.json`: the newest first. */
export async function readKeys(db: Database): Promise<Omit<KeysDocument, "format"> & { format: string }> {
  const rows = await selectKeys(db).execute();
  return {
    format: "invoice-relay-keys:v1",
    keys: rows.map(({ id, public_key, created_at, retired_at }) => ({
      id,
      pem: publicKeyOf(public_key).export({ format: "pem", type: "spki" }).toString(),
      createdAt: created_at.toISOString(),
      retiredAt: retired_at?.toISOString() ?? null,
    })),
  };
}
