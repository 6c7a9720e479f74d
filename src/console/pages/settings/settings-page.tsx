import { get } from "../api/client.ts";
import { may } from "../api/session.ts";
import type { AuditEntry } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { textField, timeField } from "../parts/fields.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { Empty, PageHead, Tabs } from "../parts/page.tsx";
import { Outside, ShortId } from "../parts/values.tsx";
import { SettingsShownPart } from "./settings-shown.tsx";
import { Upstreams } from "./upstreams.tsx";

/** What is on, off and paused; and who did what, and why. */
export function SettingsPage({ rest: [tab] }: { rest: readonly string[] }) {
  const isAudit = tab === "audit" && may("readAuditLog");
  return (
    <>
      <PageHead title="Settings & audit" />
      <Tabs
        label="Settings or audit"
        tabs={[
          { to: "settings", title: "Settings" },
          ...(may("readAuditLog") ? [{ to: "settings/audit", title: "Audit log" }] : []),
        ]}
        current={isAudit ? "settings/audit" : "settings"}
      />
      {isAudit ? (
        <List list={CHANGES} />
      ) : (
        <>
          <Upstreams />
          <SettingsShownPart />
        </>
      )}
    </>
  );
}

const PAGE = 100;

/** Who changed what by hand, when and why; the newest first. */
const CHANGES: ListDefinition<AuditEntry> = {
  what: "changes",
  caption: "Changes by hand, the newest first",
  filters: [
    { name: "actor", label: "Who", kind: "text", placeholder: "admin:ada" },
    { name: "action", label: "What", kind: "text", placeholder: "pause, dead.retry" },
    { name: "subject", label: "Which", kind: "text" },
    { name: "from", label: "From", kind: "time" },
    { name: "to", label: "Until", kind: "time" },
  ],
  fields: [
    timeField("At", "at", { phone: "side" }),
    textField("Who", "actor"),
    { name: "What", show: ({ action }) => <b>{action}</b>, phone: "lead" },
    { name: "Which", show: (change) => <Subject change={change} />, kind: "text" },
    {
      name: "Why",
      show: ({ detail: { reason } }) => <Outside text={typeof reason === "string" ? reason : null} />,
      kind: "wide",
    },
  ],
  keyOf: ({ id }) => String(id),
  async read(given, before, signal) {
    const query = { ...given, limit: PAGE, before: before === null ? undefined : Number(before) };
    const { entries } = await get("/audit", { query }, signal);
    const last = entries.at(-1);
    return { items: entries, next: last === undefined || entries.length < PAGE ? null : String(last.id) };
  },
  empty: (
    <Empty title="Nothing has been changed by hand.">
      <p>Each retry, release, pause, replay and erasure is written down here, with its reason.</p>
    </Empty>
  ),
};

function Subject({ change: { action, subject, invoiceId } }: { change: AuditEntry }) {
  if (invoiceId === null && !action.startsWith("replay.")) return <Outside text={subject} />;
  return (
    <Link to={invoiceId !== null ? `payments/${invoiceId}` : `replays/${encodeURIComponent(subject)}`}>
      <ShortId id={subject} />
    </Link>
  );
}
