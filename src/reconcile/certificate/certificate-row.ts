import { type Kysely, type RawBuilder, sql } from "kysely";
import {
  type AlarmChange,
  alarmsGiven,
  CLEARED,
  type EndedAlarm,
  selectCleared,
} from "../../alarms/alarms.ts";
import { type Columns, integer, json, numeric, text } from "../../database/columns.ts";
import { interval, isTooFarAhead } from "../../database/moments.ts";
import { nullable, type RowOf, returned, type Slots, Statement } from "../../database/statement.ts";
import type { Tables } from "../../database/tables.ts";
import { newId } from "../../kit/new-id.ts";
import { LeasedRows, leaseEnd } from "../../work/leased-rows.ts";
import { givingBack } from "../give-back.ts";
import type { PaidWindow } from "../list/list-period.ts";
import type { Certificate } from "./certificate.ts";
import { type Progress, SETTLING_MS } from "./kept-reading.ts";
import { forgetListed } from "./listed-row.ts";

// All statements on `certificate`: due → claimed → done. Rows of the daily run have a day. One made on
// request is claimed by the process that was asked, and continues where a process that died left off.

export const certificateLeases = new LeasedRows("certificate", "id");

/** A daily certificate waits an hour after midnight for late payments, and no longer after a fault. */
export const CERTIFICATE_BACK_OFF = { firstMs: 60_000, capMs: SETTLING_MS };

/** Certificates that wait for longer than that are due at once (G11). */
export const bringForwardCertificates = (db: Kysely<Tables>): Promise<number> =>
  certificateLeases.bringForward(db, isTooFarAhead(sql`due_at`, interval(CERTIFICATE_BACK_OFF.capMs)));

const CLAIMED = {
  id: returned.uuid,
  leaseToken: returned.uuid,
  windowFrom: returned.time,
  windowTo: returned.time,
  faults: returned.integer,
  deep: returned.boolean,
  progress: nullable(returned.json<Progress>()),
};

type Row = RowOf<typeof CLAIMED>;

/** A certificate whose lease this worker holds. */
export type ClaimedCertificate = Omit<Row, "windowFrom" | "windowTo"> & { window: PaidWindow };

/**
 * A statement that claims the certificate that `candidate` selects.
 * @param from the time that it has to cover at least; null for its own period.
 */
export const claiming = <Given>(
  candidate: (slots: Slots<Given>) => RawBuilder<unknown>,
  from: (slots: Slots<Given>) => RawBuilder<unknown> = () => sql`null::timestamptz`,
) =>
  new Statement(
    CLAIMED,
    (slots: Slots<Given & { leaseMs: number }>) => sql`
      update certificate set state = 'claimed', lease_token = ${slots.value(() => newId())},
        claimed_until = ${leaseEnd(slots.value(({ leaseMs }) => leaseMs))},
        window_from = least(window_from, ${from(slots)})
      where id = (${candidate(slots)})
      returning id, lease_token as "leaseToken", window_from as "windowFrom",
        window_to as "windowTo", faults, deep, progress`,
  );

export function claimedOf([row]: readonly Row[]): ClaimedCertificate | null {
  if (row === undefined) return null;
  const { windowFrom, windowTo, ...claimed } = row;
  return { ...claimed, window: { from: windowFrom, to: windowTo } };
}

export interface AskedFor {
  source: string;
  window: PaidWindow;
  collectionIds: readonly string[];
  deep: boolean;
}

const claimingLeft = claiming(
  ({ value }: Slots<AskedFor>) => sql`
    select id from certificate
    where source = ${value(({ source }) => source)} and day is null and deep = ${value(({ deep }) => deep)}
      and collection_ids = ${value(({ collectionIds }) => collectionIds)}::uuid[]
      and window_from = ${value(({ window }) => window.from)}
      and window_to = ${value(({ window }) => window.to)}
      and (state = 'due' or (state = 'claimed' and claimed_until < clock_timestamp()))
      and created_at > clock_timestamp() - interval '1 day'
    order by created_at desc limit 1 for update skip locked`,
);

const claimingMade = claiming(
  ({ value }: Slots<{ id: string }>) =>
    sql`select id from certificate where id = ${value(({ id }) => id)} for update`,
);

/** Claims a certificate on request: continues an unfinished one, or creates it. */
export async function claimAskedFor(
  db: Kysely<Tables>,
  asked: AskedFor,
  leaseMs: number,
): Promise<ClaimedCertificate> {
  const left = claimedOf(await claimingLeft.execute(db, { ...asked, leaseMs }));
  if (left !== null) return left;
  const id = newId();
  const { source, window, collectionIds, deep } = asked;
  await db
    .insertInto("certificate")
    .values({
      id,
      source,
      window_from: window.from,
      window_to: window.to,
      collection_ids: [...collectionIds],
      deep,
    })
    .execute();
  const made = claimedOf(await claimingMade.execute(db, { id, leaseMs }));
  if (made === null) throw new Error("a certificate that was just made is gone");
  return made;
}

/** @returns whether the lease was still held; if not, nothing was written. */
export async function keepProgress(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedCertificate,
  progress: Progress,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("certificate")
    .set({ progress: JSON.stringify(progress) })
    .where("id", "=", id)
    .where("lease_token", "=", leaseToken)
    .where("state", "=", "claimed")
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const RESULT: Columns<Certificate> = {
  document: json((certificate) => JSON.stringify(certificate)),
  result: text(({ result }) => result),
  gaps: integer(({ gaps }) => gaps),
  differences: integer(({ differencesInAll }) => differencesInAll),
  paid: integer(({ total }) => total.paid.count),
  paid_amount: numeric(({ total }) => total.paid.amount),
  stored: integer(({ total }) => total.stored.count),
  stored_amount: numeric(({ total }) => total.stored.amount),
  published: integer(({ total }) => total.published.count),
  published_amount: numeric(({ total }) => total.published.amount),
};

/** Those whose lists were read: what was asked for may have changed since. As text, as an array of arrays. */
const READ: Columns<Certificate> = {
  read: text(({ collections }) => `{${collections.map(({ id }) => id).join(",")}}`),
};

const MADE = { ...RESULT, ...READ };

const setResult = sql.join([
  ...Object.keys(RESULT).map((column) => sql`${sql.id(column)} = made.${sql.id(column)}`),
  sql`collection_ids = made.read::uuid[]`,
]);

interface Finishing {
  id: string;
  leaseToken: string;
  certificate: Certificate;
  alarms: AlarmChange;
}

const finishing = new Statement(
  CLEARED,
  (slots: Slots<Finishing>) => sql`
    with moved as (
      update certificate set state = 'done', finished_at = clock_timestamp(), lease_token = null,
        claimed_until = null, last_error = null, progress = null, ${setResult}
      from ${slots.table("made", MADE, ({ certificate, id }) => [{ ...certificate, id }])}
      where id = ${slots.value(({ id }) => id)} and state = 'claimed'
        and lease_token = ${slots.value(({ leaseToken }) => leaseToken)}
      returning 1),
    ${alarmsGiven(slots, ({ alarms }) => alarms)}
    select ${selectCleared} from moved`,
);

/**
 * Stores the result together with the alarms that it raises or ends (G13).
 * @returns the alarms it ended; null when the lease was lost and nothing was written.
 */
export async function finishCertificate(
  db: Kysely<Tables>,
  { id, leaseToken }: ClaimedCertificate,
  certificate: Certificate,
  alarms: AlarmChange = {},
): Promise<EndedAlarm[] | null> {
  const [row] = await finishing.execute(db, { id, leaseToken, certificate, alarms });
  return row?.cleared ?? null;
}

const completing = new Statement(
  {},
  ({ value, table }: Slots<Certificate>) => sql`
    update certificate set state = 'done', finished_at = clock_timestamp(), ${setResult}
    from ${table("made", MADE, (certificate) => [certificate])}
    where id = ${value(({ id }) => id)}`,
);

/** Stores the certificate of one collection that was made from the same reading as the whole. */
export async function keepAlong(db: Kysely<Tables>, certificate: Certificate): Promise<void> {
  const { id, source, from, to, collections } = certificate;
  await sql`
    with made as (
      insert into certificate (id, source, window_from, window_to, collection_ids, deep)
      values (${id}, ${source}, ${from}::timestamptz, ${to}::timestamptz,
        ${collections.map((one) => one.id)}::uuid[], ${certificate.basis.deep !== false})
      returning id)
    select id from made`.execute(db);
  await completing.execute(db, certificate);
}

export const giveBackCertificate = givingBack("certificate");

/**
 * Deletes certificates made on request that were not finished within a day, with what was read for them, and
 * what a process that died left behind of finished ones.
 */
export async function forgetAbandoned(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const abandoned = await trx
      .deleteFrom("certificate")
      .where(
        sql<boolean>`day is null and state = 'due' and created_at < clock_timestamp() - interval '1 day'`,
      )
      .returning("id")
      .execute();
    for (const { id } of abandoned) await forgetListed(trx, id);
  });
  const left = await db
    .selectFrom("certificate")
    .select("id")
    .where(
      sql<boolean>`state = 'done' and finished_at < clock_timestamp() - interval '1 hour'
        and finished_at > clock_timestamp() - interval '1 day'
        and exists (select from listed_payment where certificate_id = certificate.id)`,
    )
    .execute();
  for (const { id } of left) await forgetListed(db, id);
}
