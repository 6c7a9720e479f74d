import { useCallback } from "preact/hooks";
import { get, post } from "../api/client.ts";
import type { ListedCallback } from "../api/types.ts";
import { usePages } from "../api/use-pages.ts";
import { countText } from "../kit/money-text.ts";
import { LongList } from "../parts/long-list.tsx";
import { None } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { Empty } from "../parts/states.tsx";
import type { Column } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { type Act, ChoosingTable } from "./choosing-table.tsx";

/** Callbacks with a right token that failed a check of the settings: recorded, and asked nothing. */
export function RefusedList() {
  const ask = useCallback(
    (cursor: string | null, signal?: AbortSignal) =>
      get("/callbacks", { query: { verdict: "refused", limit: 100, cursor: cursor ?? undefined } }, signal),
    [],
  );
  const list = usePages<ListedCallback>("refused", ask);
  return (
    <LongList
      list={list}
      what="refused callbacks"
      empty={
        <Empty title="No callback was refused.">
          <p>Those that fail a configured check of signature, header or address are kept and shown here.</p>
        </Empty>
      }
    >
      {(items) => (
        <ChoosingTable
          caption="Refused callbacks, the newest first"
          what="refused callbacks"
          columns={COLUMNS}
          rows={items}
          total={items.length}
          keyOf={({ id }) => id}
          nameOf={({ id, receivedAt }) => `the callback of ${receivedAt}, ${id}`}
          to={({ id }) => `callbacks/${id}`}
          acts={[READ_AGAIN]}
          onDone={list.reload}
        />
      )}
    </LongList>
  );
}

const READ_AGAIN: Act<ListedCallback> = {
  operation: "startReplay",
  title: "Read again",
  isMain: true,
  says: (count) =>
    `${count === 1 ? "It is" : "They are"} read as if the check had held, and the provider is asked about the ` +
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
};

const COLUMNS: readonly Column<ListedCallback>[] = [
  { head: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} />, phone: "lead" },
  { head: "From", cell: ({ remoteAddress }) => <Outside text={remoteAddress} />, phone: "side" },
  { head: "Reference", cell: ({ reference }) => <Outside text={reference} /> },
  {
    head: "Bytes",
    cell: ({ bytes }) => (bytes === null ? <None /> : countText(bytes)),
    kind: "number",
    phone: "away",
  },
  { head: "Source", cell: ({ source }) => <Outside text={source} /> },
];
