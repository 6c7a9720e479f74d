import { useCallback } from "preact/hooks";
import { TOLD_VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { OWN_VERDICTS } from "../../../receive/log/own-verdict.ts";
import { get } from "../api/client.ts";
import type { ListedCallback } from "../api/types.ts";
import { usePages } from "../api/use-pages.ts";
import { momentOf } from "../kit/input-time.ts";
import { countText } from "../kit/money-text.ts";
import { query } from "../kit/router.tsx";
import { FirstCallback } from "../now/first-callback.tsx";
import { Badge } from "../parts/badge.tsx";
import { type Filter, FilterBar } from "../parts/filter-bar.tsx";
import { LongList } from "../parts/long-list.tsx";
import { None } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { verdictFilter } from "../parts/verdicts.ts";

const FILTERS: readonly Filter[] = [
  verdictFilter([...TOLD_VERDICTS, ...OWN_VERDICTS]),
  { name: "from", label: "Received from", kind: "time" },
  { name: "to", label: "Received before", kind: "time" },
  { name: "reference", label: "Reference", kind: "text" },
  { name: "invoiceId", label: "Invoice id", kind: "text" },
  { name: "remoteAddress", label: "Sender’s address", kind: "text" },
  { name: "foundBy", label: "Id found in", kind: "text", placeholder: "data.id" },
  { name: "source", label: "Source", kind: "text" },
];

const COLUMNS: readonly Column<ListedCallback>[] = [
  { head: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} />, phone: "lead" },
  { head: "Verdict", cell: ({ verdict }) => <Badge state={verdict ?? "pending"} />, phone: "side" },
  { head: "Reference", cell: ({ reference }) => <Outside text={reference} /> },
  { head: "Id found in", cell: ({ foundBy }) => <Outside text={foundBy} /> },
  {
    head: "Invoice",
    cell: ({ invoiceIds: [first, ...others] }) =>
      first === undefined ? (
        <None />
      ) : (
        <code>
          {others.length === 0 ? `${first.slice(0, 8)}…` : `${first.slice(0, 8)}… and ${others.length} more`}
        </code>
      ),
    phone: "away",
  },
  { head: "From", cell: ({ remoteAddress }) => <Outside text={remoteAddress} />, phone: "away" },
  {
    head: "Bytes",
    cell: ({ bytes }) => (bytes === null ? "erased" : countText(bytes)),
    kind: "number",
    phone: "away",
  },
];

/** Every callback that was recorded, the newest first. */
export function CallbackList() {
  const filters = Object.fromEntries(FILTERS.map(({ name, kind }) => [name, givenFor(name, kind)]));
  const key = JSON.stringify(filters);
  const ask = useCallback(
    (cursor: string | null, signal?: AbortSignal) => {
      return get("/callbacks", { query: { ...JSON.parse(key), cursor: cursor ?? undefined } }, signal);
    },
    [key],
  );
  const list = usePages(key, ask);
  return (
    <>
      <PageHead title="Callbacks" says="Everything that was sent to the callback URL, as it came." />
      <FilterBar filters={FILTERS} label="Filters of callbacks" />
      <LongList
        list={list}
        what="callbacks"
        empty={
          key === "" ? <FirstCallback /> : <Empty title="No callback is like this">Take a filter away.</Empty>
        }
      >
        {(items) => (
          <Table
            caption="Callbacks, the newest first"
            columns={COLUMNS}
            rows={items}
            keyOf={({ id }) => id}
            to={({ id }) => `callbacks/${id}`}
          />
        )}
      </LongList>
    </>
  );
}

/** A filter's value; times are chosen in the zone that they are shown in. */
function givenFor(name: string, kind: Filter["kind"]): string | null {
  const value = query.value.get(name);
  if (value === null || kind !== "time") return value;
  return momentOf(value)?.toISOString() ?? value;
}
