import { SHOWN_VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { OWN_VERDICTS, whyRefused } from "../../../receive/log/own-verdict.ts";
import { type CallbackShown, get, type ListedCallback, post } from "../api/client.ts";
import { liveStatus } from "../api/live.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { capital, countText, numberOf, theyAre } from "../kit/text.ts";
import { countField, Facts, type Field, fullTimeField, textField, timeField } from "../parts/fields.tsx";
import { choicesOf } from "../parts/form.tsx";
import { List, type ListDefinition, RowActs, type RowsAct } from "../parts/list.tsx";
import { Answered, Copy, Id, PageHead, Section } from "../parts/page.tsx";
import { Badge, None, Outside, Raw, ShortId, Time } from "../parts/values.tsx";

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

const FIELDS: readonly Field<CallbackShown>[] = [
  fullTimeField("Received", "receivedAt"),
  { name: "Request", show: ({ method, path, query }) => `${method} ${path}${query && `?${query}`}` },
  textField("From", "remoteAddress"),
  textField("Source", "source"),
  { name: "Verdict", show: (callback) => <Fate callback={callback} /> },
  { name: "Body", show: ({ bytes }) => (bytes === null ? "erased" : numberOf(bytes, "byte")) },
];

export const CallbacksPage = ({ rest: [id] }: { rest: readonly string[] }) =>
  id !== undefined ? (
    <CallbackPage id={id} key={id} />
  ) : (
    <>
      <PageHead title="Callbacks" says="Everything that was sent to the callback URL, as it came." />
      <List list={CALLBACKS} />
    </>
  );

function CallbackPage({ id }: { id: string }) {
  const answer = useAnswer("/callbacks/{id}", { path: { id } });
  return (
    <>
      <PageHead
        title="Callback"
        above={{ to: "callbacks", name: "Callbacks" }}
        says={<Id id={id} of="callback" />}
      >
        {answer.data?.verdict === "refused" && (
          <RowActs acts={[READ_AGAIN]} rows={[answer.data]} onDone={answer.reload} />
        )}
      </PageHead>
      <Answered answer={answer} what="the callback">
        {(callback) => (
          <>
            <Facts of={callback} fields={FIELDS} />
            <Ids callback={callback} />
            <Body callback={callback} />
            <Section title="Headers">
              <Facts
                of={callback}
                fields={callback.headers.map(([name, value]) => ({ name, show: () => value }))}
              />
            </Section>
          </>
        )}
      </Answered>
    </>
  );
}

function Ids({ callback: { ids, verdict: own } }: { callback: CallbackShown }) {
  return (
    <Section title="Ids found in it">
      {ids.length === 0 && <p class="quiet">None: no part of it looks like an invoice’s id.</p>}
      <ul>
        {ids.map(({ invoiceId, foundBy, state, verdict }) => (
          <li key={invoiceId} class="row">
            <Link to={`payments/${invoiceId}`}>
              <code>{invoiceId}</code>
            </Link>
            <span class="quiet">
              found in <Outside text={foundBy ?? "an unknown place"} />
            </span>
            <Badge
              state={
                state === "dead"
                  ? "dead"
                  : (verdict ?? (own === "refused" ? "not_asked_about" : "unknown_invoice"))
              }
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Body({ callback: { text, body, erasedAt, erasedDigest } }: { callback: CallbackShown }) {
  return (
    <Section
      title="Body"
      aside={
        text && (
          <span class="row">
            <Copy text={text} what="the body as text" />
            <small>
              its bytes in base64 <Copy text={body} what="the bytes in base64" />
            </small>
          </span>
        )
      }
    >
      {erasedAt !== null ? (
        <p class="quiet">
          Erased <Time at={erasedAt} />
          {erasedDigest !== null && (
            <>
              ; its SHA-256 was <code>{erasedDigest}</code>
            </>
          )}
        </p>
      ) : text ? (
        <Raw text={text} />
      ) : (
        <p class="quiet">It had none.</p>
      )}
    </Section>
  );
}
