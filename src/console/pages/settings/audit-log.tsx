import { useCallback } from "preact/hooks";
import { get } from "../api/client.ts";
import type { AuditEntry } from "../api/types.ts";
import { usePages } from "../api/use-pages.ts";
import { momentOf } from "../kit/input-time.ts";
import { Link, query } from "../kit/router.tsx";
import { type Filter, FilterBar } from "../parts/filter-bar.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Outside } from "../parts/outside.tsx";
import { Empty } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";

const PAGE = 100;

const FILTERS: readonly Filter[] = [
  { name: "actor", label: "Who", kind: "text", placeholder: "admin:ada" },
  { name: "action", label: "What", kind: "text", placeholder: "pause, dead.retry" },
  { name: "subject", label: "Which", kind: "text" },
  { name: "from", label: "From", kind: "time" },
  { name: "to", label: "Until", kind: "time" },
];

/** Who changed what by hand, when and why; the newest first. */
export function AuditLog() {
  const value = (name: string) => query.value.get(name) ?? undefined;
  const filters = JSON.stringify({
    actor: value("actor"),
    action: value("action"),
    subject: value("subject"),
    from: momentOf(value("from") ?? "")?.toISOString(),
    to: momentOf(value("to") ?? "")?.toISOString(),
  });
  const ask = useCallback(
    async (cursor: string | null, signal?: AbortSignal) => {
      const before = cursor === null ? undefined : Number(cursor);
      const query = { ...JSON.parse(filters), before, limit: PAGE };
      const { entries } = await get("/audit", { query }, signal);
      const last = entries.at(-1);
      const next = last === undefined || entries.length < PAGE ? null : String(last.id);
      return { items: entries, next, searchedTo: null };
    },
    [filters],
  );
  const list = usePages<AuditEntry>(filters, ask);
  return (
    <>
      <FilterBar filters={FILTERS} label="Filter the audit log" />
      <LongList
        list={list}
        what="changes"
        empty={
          <Empty title="Nothing has been changed by hand.">
            <p>Each retry, release, pause, replay and erasure is written down here, with its reason.</p>
          </Empty>
        }
      >
        {(entries) => (
          <Table
            caption="Changes by hand, the newest first"
            columns={COLUMNS}
            rows={entries}
            keyOf={({ id }) => String(id)}
          />
        )}
      </LongList>
    </>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: "At", cell: ({ at }) => <Time at={at} />, phone: "side" },
  { head: "Who", cell: ({ actor }) => <Outside text={actor} /> },
  { head: "What", cell: ({ action }) => <b>{action}</b>, phone: "lead" },
  {
    head: "Which",
    cell: ({ action, subject, invoiceId }) => {
      const place = invoiceId !== null ? `payments/${invoiceId}` : placeOf(action, subject);
      return place === null ? (
        <span class="audit-subject">
          <Outside text={subject} />
        </span>
      ) : (
        <Link to={place}>
          <code>{subject.slice(0, 8)}…</code>
        </Link>
      );
    },
    kind: "text",
  },
  {
    head: "Why",
    cell: ({ detail: { reason } }) => <Outside text={typeof reason === "string" ? reason : null} />,
    kind: "wide",
  },
];

const placeOf = (action: string, subject: string): string | null =>
  action.startsWith("replay.") ? `replays/${encodeURIComponent(subject)}` : null;
