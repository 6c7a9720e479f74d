import type { Plan } from "../api/types.ts";
import { Outside } from "../parts/outside.tsx";
import { Section } from "../parts/page-head.tsx";
import { PaymentLink } from "../parts/payment-link.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { countOf } from "./replay-words.ts";

/** What a dry run found: how many, the first of them, and the way to start. */
export function PlanShown({ plan, onStart }: { plan: Plan; onStart: () => void }) {
  const { kind, matching, withNewIds, first } = plan;
  return (
    <Section
      title={matching === 0 ? "Nothing matches" : `It would take ${countOf(kind, matching)}`}
      aside={
        matching > 0 && (
          <button type="button" class="button is-primary" onClick={onStart}>
            Start the replay
          </button>
        )
      }
    >
      {withNewIds !== null && (
        <p>In {countOf("callbacks", withNewIds)} of them are ids that nobody asks about yet.</p>
      )}
      {first.length > 0 && (
        <Table
          caption="The first of them"
          columns={COLUMNS}
          rows={first}
          keyOf={({ invoiceIds, eventId, callbackId }) => `${eventId ?? callbackId ?? invoiceIds[0]}`}
        />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Plan["first"][number]>[] = [
  {
    head: "Payment",
    cell: ({ invoiceIds: [id = null] }) => <PaymentLink invoiceId={id} />,
    phone: "lead",
  },
  { head: "At", cell: ({ at }) => <Time at={at} />, phone: "side" },
  { head: "About", cell: ({ about }) => <Outside text={about} />, kind: "wide" },
  { head: "Source", cell: ({ source }) => <Outside text={source} /> },
];
