import type { Harness } from "../support/relay.ts";

/** How often a test reads again, in ms. */
export const WAIT = { interval: 20 };

export const confirmation = async (harness: Harness, id: string) =>
  (await harness.query("select * from confirmation where invoice_id = $1", [id]))[0];

export const timesAsked = (harness: Harness, id: string) =>
  harness.provider.requests.filter((path) => path.endsWith(id)).length;

/** Lets the ladder's next step be due now, instead of waiting for it. */
export const hurry = (harness: Harness, id: string) =>
  harness.query("update confirmation set due_at = now() where invoice_id = $1 and state = 'due'", [id]);

export const openAlarms = (harness: Harness) =>
  harness.query<{ name: string; subject: string; detail: string }>(
    "select name, subject, detail from alarm where cleared_at is null",
  );
