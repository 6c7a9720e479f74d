import type { BenchDatabase } from "./bench-database.ts";

/** One call of the admin API that a page makes. */
export interface ConsoleRead {
  page: string;
  what: string;
  /** Below /admin/v1; a POST where there is a body. */
  path: string;
  body?: unknown;
}

const DAY_MS = 86_400_000;
const dayOf = (moment: Date | number) => new Date(moment).toISOString().slice(0, 10);

/** What the pages ask for, each with different ids and times in every round. */
export async function consoleReads({ query }: BenchDatabase, rounds: number): Promise<ConsoleRead[][]> {
  const chosen = await query<{ id: string; at: Date; reference: string; email: string }>(
    `select id, paid_at as at, reference, document->>'payerEmail' as email from invoice
     order by md5(id::text) limit $1`,
    [rounds],
  );
  const [certificate] = await query<{ id: string }>("select id from certificate where gaps > 0");
  const [dead] = await query<{ id: string }>(
    "select invoice_id as id from confirmation where state = 'dead'",
  );
  const callbacks = await query<{ id: string }>(
    "select id from callback where found_by = 'data.id' order by md5(id::text) limit $1",
    [rounds],
  );
  return chosen.map((payment, round) =>
    readsOf({ ...payment, callback: callbacks[round]?.id, certificate: certificate?.id, dead: dead?.id }),
  );
}

interface Chosen {
  id: string;
  at: Date;
  reference: string;
  email: string;
  callback: string | undefined;
  certificate: string | undefined;
  dead: string | undefined;
}

function readsOf({ id, at, reference, email, callback, certificate, dead }: Chosen): ConsoleRead[] {
  const search = (what: string, body: object): ConsoleRead => ({
    ...{ page: "Payments", what, path: "/invoices/search", body: { limit: 50, ...body } },
  });
  const get = (page: string, what: string, path: string): ConsoleRead => ({ page, what, path });
  const [yearAgo, today] = [dayOf(Date.now() - 364 * DAY_MS), dayOf(Date.now())];
  const span = `from=${at.toISOString()}&to=${new Date(at.getTime() + DAY_MS).toISOString()}`;
  return [
    get("Now", "status", "/status"),
    get("Now", "activity of an hour", "/activity"),
    get("Now", "open alarms", "/alarms"),
    search("recent", {}),
    search("by id", { text: id }),
    search("by reference", { reference }),
    search("by e-mail", { email }),
    search("by amount", { amount: "1511.25" }),
    search("of a day", { from: dayOf(at), to: dayOf(at) }),
    search("of a collection", { collection: "Term 2" }),
    search("in quarantine", { verdict: "quarantined" }),
    get("Payments", "the story of one", `/invoices/${id}`),
    get("Payments", "the evidence of one", `/invoices/${id}/evidence`),
    get("Callbacks", "the newest", "/callbacks?limit=50"),
    get("Callbacks", "of a day", `/callbacks?limit=50&${span}`),
    get("Callbacks", "about an invoice", `/callbacks?invoiceId=${id}`),
    get("Callbacks", "with a reference", `/callbacks?reference=${reference}`),
    get("Callbacks", "refused ones", "/callbacks?verdict=refused&limit=50"),
    get("Callbacks", "from an address", "/callbacks?remoteAddress=198.51.100.7"),
    get("Callbacks", "one with its bytes", `/callbacks/${callback}`),
    get("Attention", "dead letters", "/dead-letters?limit=50"),
    get("Attention", "one dead letter", `/dead-letters/${dead}`),
    get("Attention", "quarantine", "/quarantine?limit=50"),
    get("Attention", "anomalies", "/alarms?name=invoice_anomaly&limit=50"),
    get("Completeness", "the calendar of a year", `/certificates/calendar?from=${yearAgo}&to=${today}`),
    get("Completeness", "a day with 10,000 gaps", `/certificates/${certificate}?limit=100`),
    get("Completeness", "certificates", "/certificates?limit=50"),
    get("Replays", "replays", "/replays?limit=50"),
    {
      ...{ page: "Replays", what: "dry run of a day's events", path: "/replays" },
      body: { kind: "events", dryRun: true, filters: { from: at, to: new Date(at.getTime() + DAY_MS) } },
    },
    get("Settings", "settings", "/settings"),
    get("Settings", "what is paused", "/upstreams"),
    get("Settings", "audit log", "/audit?limit=50"),
    get("Settings", "audit log of an action", "/audit?action=pause&limit=50"),
  ];
}
