import { SHOWN_VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { OWN_VERDICTS, whyRefused } from "../../../receive/log/own-verdict.ts";
import { get, post } from "../api/client.ts";
import { liveStatus } from "../api/live.ts";
import type { ListedCallback } from "../api/types.ts";
import { capital, countText, theyAre } from "../kit/text.ts";
import { countField, textField, timeField } from "../parts/fields.tsx";
import { choicesOf } from "../parts/form.tsx";
import type { ListDefinition, RowsAct } from "../parts/list.tsx";
import { Badge, None, ShortId } from "../parts/values.tsx";

export const Fate = ({ callback: { verdict, failedCheck } }: { callback: ListedCallback }) => (
  <>
    {/* Without an answer yet, as the command line says it. */}
    <Badge state={verdict ?? "pending"} />
    {verdict === "refused" && <small> {whyRefused(failedCheck)}</small>}
  </>
);

const ROWS = {
  keyOf: ({ id }: ListedCallback) => id,
  news: () => liveStatus.value && (liveStatus.value.lastCallbackAt ?? ""),
  to: ({ id }: ListedCallback) => `callbacks/${id}`,
};

const read =
  (always: { verdict?: "refused" } = {}): ListDefinition<ListedCallback>["read"] =>
  (given, cursor, signal) =>
    get("/callbacks", { query: { ...given, ...always, cursor: cursor ?? undefined } }, signal);

export const CALLBACKS: ListDefinition<ListedCallback> = {
  ...ROWS,
  what: "callbacks",
  caption: "Callbacks, the newest first",
  filters: [
    {
      name: "verdict",
      label: "Verdict",
      kind: "choice",
      choices: choicesOf([...SHOWN_VERDICTS, ...OWN_VERDICTS]),
    },
    { name: "from", label: "Received from", kind: "time" },
    { name: "to", label: "Received before", kind: "time" },
    { name: "reference", label: "Reference", kind: "text" },
    { name: "invoiceId", label: "Invoice id", kind: "text" },
    { name: "remoteAddress", label: "Sender’s address", kind: "text" },
    { name: "foundBy", label: "Id found in", kind: "text", input: { placeholder: "data.id" } },
    { name: "source", label: "Source", kind: "source" },
  ],
  fields: [
    timeField("Received", "receivedAt", { phone: "lead" }),
    { name: "Verdict", show: (callback) => <Fate callback={callback} />, kind: "text", phone: "side" },
    textField("Reference", "reference"),
    textField("Id found in", "foundBy"),
    {
      name: "Invoice",
      show: ({ invoiceIds: [first, ...others] }) =>
        first === undefined ? (
          <None />
        ) : (
          <>
            <ShortId id={first} />
            {others.length > 0 && ` and ${others.length} more`}
          </>
        ),
      phone: "away",
    },
    textField("From", "remoteAddress", { phone: "away" }),
    {
      name: "Bytes",
      show: ({ bytes }) => (bytes === null ? "erased" : countText(bytes)),
      kind: "number",
      phone: "away",
    },
  ],
  read: read(),
  empty: ["No callback yet.", "Settings has the callback URL to create your invoices with."],
};

/** Reads callbacks as if their check had held. */
export const READ_AGAIN: RowsAct<ListedCallback> = {
  operation: "startReplay",
  title: "Read again",
  isMain: true,
  says: (count) =>
    `${theyAre(count)} read as if the check had held, and the provider is asked about the ` +
    "invoices named there. What it does not confirm stays without an event. For genuine callbacks, once the " +
    "settings are right.",
  async run(callbacks, reason) {
    const callbackIds = callbacks.map(({ id }) => id);
    const times = callbacks.map(({ receivedAt }) => Date.parse(receivedAt));
    // The log is in the order of time: the ids are looked for in this part of it only.
    const from = new Date(Math.min(...times)).toISOString();
    const to = new Date(Math.max(...times) + 1_000).toISOString();
    const filters = { refused: true, verdict: "refused" as const, callbackIds, from, to };
    await post("/replays", { body: { kind: "callbacks", filters, reason } });
    return `A replay reads ${countText(callbacks.length)} again.`;
  },
  async runAll(reason) {
    const filters = { refused: true, verdict: "refused" as const };
    await post("/replays", { body: { kind: "callbacks", filters, reason } });
    return "A replay reads all of them again.";
  },
};

/** Callbacks with a right token that failed a check of the settings: recorded, and asked nothing. */
export const REFUSED: ListDefinition<ListedCallback> = {
  ...ROWS,
  what: "refused callbacks",
  caption: "Refused callbacks, the newest first",
  fields: [
    timeField("Received", "receivedAt", { phone: "lead" }),
    { name: "Why it was refused", show: ({ failedCheck }) => capital(whyRefused(failedCheck)), kind: "wide" },
    textField("From", "remoteAddress", { phone: "side" }),
    textField("Reference", "reference"),
    countField("Bytes", "bytes", { phone: "away" }),
    textField("Source", "source"),
  ],
  read: read({ verdict: "refused" }),
  empty: [
    "No callback was refused.",
    "Those that fail a configured check of signature, header or address are kept and shown here.",
  ],
  acts: [READ_AGAIN],
  nameOf: ({ id, receivedAt }) => `the callback of ${receivedAt}, ${id}`,
};
