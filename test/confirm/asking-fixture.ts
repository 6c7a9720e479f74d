import type { Surroundings } from "../support/relay.ts";

/** Patience for what happens by itself, in ms. */
export const WAIT = { interval: 20 };

export const confirmation = async (around: Surroundings, id: string) =>
  (await around.query("select * from confirmation where invoice_id = $1", [id]))[0];

export const timesAsked = (around: Surroundings, id: string) =>
  around.provider.requests.filter((path) => path.endsWith(id)).length;

/** Lets the ladder's next step be due now, instead of waiting for it. */
export const hurry = (around: Surroundings, id: string) =>
  around.query("update confirmation set due_at = now() where invoice_id = $1 and state = 'due'", [id]);

export const openAlarms = (around: Surroundings) =>
  around.query<{ name: string; subject: string; detail: string }>(
    "select name, subject, detail from alarm where cleared_at is null",
  );
