import { CALLBACK, CALLBACKS } from "../../../../operations/views/callbacks.ts";
import { get, type ListedCallback, post } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { countText } from "../kit/text.ts";
import { Result } from "../parts/fields.tsx";
import { List, type ListDefinition, RowActs, type RowsAct } from "../parts/list.tsx";
import { fieldsOf } from "../parts/operations.ts";
import { Answered, Id, PageHead } from "../parts/page.tsx";

const listed = (always: { verdict?: "refused" } = {}): ListDefinition<ListedCallback> => ({
  of: CALLBACKS,
  read: (given, cursor, signal) =>
    get("/callbacks", { query: { ...given, ...always, cursor: cursor ?? undefined } }, signal),
});

const ALL: ListDefinition<ListedCallback> = {
  ...listed(),
  filters: fieldsOf("listCallbacks", ["verdict", "from", "to", "reference", "invoiceId", "source"]),
};

/** Reads callbacks as if their check had held. */
const READ_AGAIN: RowsAct<ListedCallback> = {
  operation: "startReplay",
  title: "Read again",
  isMain: true,
  says:
    "Read callbacks as if the check had held, and ask the provider about the invoices named there, once the " +
    "settings are right; invoices that it does not confirm stay without an event.",
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
};

/** Callbacks with a right token that failed a check of the settings: recorded, and asked nothing. */
export const REFUSED: ListDefinition<ListedCallback> = {
  ...listed({ verdict: "refused" }),
  of: {
    ...CALLBACKS,
    one: "refused callback",
    none: "No callback was refused.",
    why: "Callbacks that fail a configured check of signature, header or address are kept and listed here.",
  },
  acts: [READ_AGAIN],
};

export const CallbacksPage = ({ rest: [id] }: { rest: readonly string[] }) =>
  id !== undefined ? (
    <CallbackPage id={id} />
  ) : (
    <>
      <PageHead title="Callbacks" says="Everything that was sent to the callback URL, as it came." />
      <List list={ALL} />
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
        {answer.data?.verdict === "refused" && <RowActs acts={[READ_AGAIN]} rows={[answer.data]} />}
      </PageHead>
      <Answered answer={answer} what="the callback">
        {(callback) => <Result of={callback} view={CALLBACK} />}
      </Answered>
    </>
  );
}
