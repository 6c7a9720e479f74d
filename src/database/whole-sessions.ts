import { randomUUID } from "node:crypto";
import { RelayError } from "../kit/errors.ts";
import type { Secret } from "../kit/secret.ts";
import { within } from "../kit/waiting.ts";
import { RelayClient } from "./relay-client.ts";

/** How long a message from one session to another may take, in ms. */
const ARRIVES_MS = 5_000;

/**
 * Refuses a database behind a pooler that hands a session to somebody else after each transaction: what a
 * session sets would be gone or another's, and wake-ups would not arrive. Tested with a message: one session
 * listens, another notifies.
 * @throws RelayError, or the database's error when it cannot be reached.
 */
export async function requireWholeSessions(url: Secret): Promise<void> {
  const open = () =>
    new RelayClient({
      connectionString: url.reveal(),
      application_name: "invoice-relay start",
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
  const [listener, speaker] = [open(), open()];
  const channel = `invoice_relay_${randomUUID().replaceAll("-", "")}`;
  const { promise: arrived, resolve } = Promise.withResolvers<true>();
  listener.on("notification", (message) => message.channel === channel && resolve(true));
  for (const client of [listener, speaker]) client.on("error", () => undefined);
  try {
    await Promise.all([listener.connect(), speaker.connect()]);
    await listener.query(`listen ${channel}`);
    await speaker.query(`notify ${channel}`);
    if (await within(arrived, ARRIVES_MS, false)) return;
    // A message lost to a broken connection proves nothing; in that case this throws.
    await Promise.all([listener, speaker].map((client) => client.query("select 1")));
  } finally {
    await Promise.all([listener, speaker].map((client) => client.end().catch(() => undefined)));
  }
  throw new RelayError(
    "DATABASE_URL leads to a pooler that hands each session on after a transaction (PgBouncer: pool_mode = " +
      "transaction), and a message from one session did not reach another. Connect to Postgres directly, " +
      "or through a pooler that keeps sessions (pool_mode = session).",
  );
}
