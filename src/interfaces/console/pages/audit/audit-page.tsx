import { CHANGES } from "../../../../operations/views/alarms.ts";
import { type AuditEntry, get } from "../api/client.ts";
import { List, type ListDefinition } from "../parts/list.tsx";
import { fieldsOf } from "../parts/operations.ts";
import { PageHead } from "../parts/page.tsx";

export const AuditPage = () => (
  <>
    <PageHead title="Audit" says="Who changed what, when and why." />
    <List list={ALL} />
  </>
);

const PAGE = 100;

const ALL: ListDefinition<AuditEntry> = {
  of: CHANGES,
  filters: fieldsOf("readAuditLog", ["actor", "action", "subject", "from", "to"]),
  keyOf: ({ id }) => String(id),
  async read(given, before, signal) {
    const query = { ...given, limit: PAGE, before: before === null ? undefined : Number(before) };
    const { entries } = await get("/audit", { query }, signal);
    const last = entries.at(-1);
    return { items: entries, next: last === undefined || entries.length < PAGE ? null : String(last.id) };
  },
};
