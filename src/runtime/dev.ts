import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { readSettings } from "../platform/config/index.ts";
import {
  type Database,
  databaseClock,
  nullable,
  returned,
  type Slots,
  Statement,
} from "../platform/database/index.ts";
import { faultOf } from "../platform/errors/index.ts";
import {
  createSampleInvoice,
  type LocalEnvironmentOptions,
  type ReceivedMessage,
  startLocalEnvironment,
  writeLocalSettings,
} from "./dev-environment.ts";

interface DevOptions
  extends Pick<LocalEnvironmentOptions, "environment" | "database" | "log" | "remark" | "signal"> {
  /** Called with what just happened, in order. */
  tell: (happening: Happening) => void;
}

/** The ports of `npm start`; free ones where they are taken. */
const PORTS = { relay: 4000, collectionService: 4001, sns: 4002, postgres: 4003 };

/** Other programs use the name PORT too: a value that is no port was meant for one of them. */
function wantedPort(given: string | undefined, remark: (text: string) => void): number {
  try {
    return given === undefined ? PORTS.relay : readSettings({ PORT: given }).PORT;
  } catch {
    remark(`PORT is no port here: the relay takes ${PORTS.relay}.`);
    return PORTS.relay;
  }
}

/** `npm start`: everything on this machine, kept in DATA_DIR, with an invoice to pay. */
export async function startDev({ tell, ...options }: DevOptions) {
  const { environment, log, remark } = options;
  const dataDir = resolve(readSettings({ DATA_DIR: environment.DATA_DIR }).DATA_DIR);
  await using starting = new AsyncDisposableStack();
  let happenings: Awaited<ReturnType<typeof watchHappenings>> | null = null;
  const local = await startLocalEnvironment({
    ...options,
    dataDir,
    durable: true,
    reconciles: true,
    ports: { ...PORTS, relay: wantedPort(environment.PORT, remark) },
    onMessage: (message) => happenings?.received(message),
  });
  starting.defer(() => local.stop());
  const watched = await watchHappenings({ db: local.db, log, tell });
  starting.defer(() => watched.stop());
  happenings = watched;
  const settingsFile = await writeLocalSettings(dataDir, local.environment);
  const sample = await createSampleInvoice(local);
  const running = starting.move();
  return { local, dataDir, settingsFile, sample, stop: () => running.disposeAsync() };
}

export type RunningDev = Awaited<ReturnType<typeof startDev>>;

/** Something that just happened to an invoice. */
export interface Happening {
  at: Date;
  what: "callback" | "asked" | "confirmed" | "published" | "received";
  /** null for a callback that names none. */
  invoiceId: string | null;
  says: string;
  /** Of `received`: the event, as text. */
  event?: string;
}

const LOOK_EVERY_MS = 100;
/** A row may become visible a little later than the time in it says. */
const LOOK_BACK_MS = 10_000;
/** A message without a publication here, such as one sent by hand, is shown after this long. */
const NO_PUBLICATION_MS = 2_000;
const BATCH_LIMIT = 200;

/** Watches the relay's tables and reports the events since its start, in the order of time. For local use. */
async function watchHappenings({ db, log, tell }: Pick<DevOptions, "log" | "tell"> & { db: Database }) {
  const startedAt = await databaseClock(db);
  const told = new Map<string, number>();
  const waiting: ReceivedMessage[] = [];
  const stopping = new AbortController();

  function tellReceived(isDue: (message: ReceivedMessage) => boolean): void {
    for (const message of waiting.filter(isDue)) {
      waiting.splice(waiting.indexOf(message), 1);
      tell({ ...whatWasReceived(message), at: message.at });
    }
  }

  async function look(): Promise<void> {
    for (const { key, messageId, ...happening } of await selectHappenings.execute(db, { startedAt })) {
      if (told.has(key)) continue;
      told.set(key, Date.now());
      tell(happening);
      if (messageId !== null) tellReceived((message) => message.messageId === messageId);
    }
    tellReceived(({ messageId, at }) => told.has(messageId) || Date.now() - +at > NO_PUBLICATION_MS);
    for (const [key, at] of told) if (Date.now() - at > 2 * LOOK_BACK_MS) told.delete(key);
  }

  const run = async () => {
    while (!stopping.signal.aborted) {
      await look().catch((error: unknown) => log.debug(faultOf(error), "could not look"));
      await delay(LOOK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    await look().catch(() => undefined);
  };
  const running = run();
  return {
    /** The subscriber got a message; it is printed after its publication. */
    received: (message: ReceivedMessage) => void waiting.push(message),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function whatWasReceived({ message }: ReceivedMessage): Omit<Happening, "at"> {
  const subject = /"subject":"([^"]+)"/.exec(message)?.[1] ?? null;
  return { what: "received", invoiceId: subject, says: "the subscriber has the event", event: message };
}

const FOUND = {
  what: returned.text<Happening["what"]>(),
  key: returned.text(),
  at: returned.time,
  invoiceId: nullable(returned.uuid),
  messageId: nullable(returned.text()),
  says: returned.text(),
} as const;

// No column holds the time of a repeated request: the time when it is seen is near enough.
const selectHappenings = new Statement(FOUND, ({ value }: Slots<{ startedAt: string }>) => {
  const since = sql`greatest(${value(({ startedAt }) => startedAt)}::timestamptz,
    clock_timestamp() - ${LOOK_BACK_MS}::float8 * interval '1 ms')`;
  const joiningInvoice = sql`
    left join invoice on invoice.source = asked.source and invoice.id = asked.invoice_id`;
  return sql`
    select 'callback' as what, id::text as key, received_at as at, invoice_ids[1] as "invoiceId",
      null as "messageId",
      method || ' recorded, then answered' || case
        when verdict is not null then '; it names no invoice (' || verdict || ')'
        when cardinality(invoice_ids) > 1 then '; it names ' || cardinality(invoice_ids) || ' invoices'
        else '' end as says
    from callback where received_at >= ${since}
    union all
    select 'asked', asked.invoice_id || ' ' || requests || ' ' || attempt || ' ' || asked.faults,
      clock_timestamp(),
      asked.invoice_id, null,
      case when asked.faults > 0
        then 'the provider could not be asked: ' || coalesce(last_error, 'no reason was kept')
        when invoice.id is null then 'the provider does not know it yet'
        else 'the provider still says ' || invoice.status
        end || '; it will be asked again at ' || to_char(due_at, 'HH24:MI:SS') || ' UTC'
    from confirmation as asked ${joiningInvoice}
    where asked.state = 'due' and (attempt > 0 or asked.faults > 0) and requested_at >= ${since}
    union all
    select 'confirmed', asked.invoice_id || ' decided ' || settled_at, settled_at, asked.invoice_id, null,
      'asked the provider: ' || coalesce(invoice.status, 'it does not know it')
        || ', so the verdict is ' || coalesce(verdict, asked.state)
    from confirmation as asked ${joiningInvoice}
    where asked.state in ('done', 'dead') and settled_at >= ${since}
    union all
    select 'published', message_id, publication.published_at, event.invoice_id, message_id,
      'SNS accepted ' || event.type || ' as message ' || message_id
    from publication join event on event.source = publication.source and event.id = publication.event_id
    where publication.published_at >= ${since}
    order by 3 limit ${BATCH_LIMIT}`;
});
