import { useCallback } from "preact/hooks";
import { get } from "../api/client.ts";
import type { CertificateShown } from "../api/types.ts";
import { usePages } from "../api/use-pages.ts";
import { Badge } from "../parts/badge.tsx";
import { LongList } from "../parts/long-list.tsx";
import { Money } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { PaymentLink } from "../parts/payment-link.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { wordsOfNone } from "./day-state.ts";
import { reasonWords } from "./reason-words.ts";

type Difference = CertificateShown["differences"][number];

interface DifferenceListProps {
  certificateId: string;
  day: string;
  /** How many gaps and differences the certificate counts on this day, named or not. */
  counted: number;
}

/** What is not the same in all three places on one day: gaps first. */
export function DifferenceList({ certificateId, day, counted }: DifferenceListProps) {
  const ask = useCallback(
    async (cursor: string | null, signal?: AbortSignal) => {
      const { differences, next } = await get(
        "/certificates/{id}",
        { path: { id: certificateId }, query: { day, limit: 100, after: Number(cursor ?? 0) } },
        signal,
      );
      return { items: differences, next: next === null ? null : String(next), searchedTo: null };
    },
    [certificateId, day],
  );
  const list = usePages<Difference>(`${certificateId} ${day}`, ask);
  return (
    <LongList list={list} what="differences" empty={<p>{wordsOfNone(counted)}</p>}>
      {(items) => (
        <Table
          caption="Differences of the day, gaps first"
          columns={COLUMNS}
          rows={items}
          keyOf={({ invoiceId, eventId, reason }) => `${invoiceId} ${eventId} ${reason}`}
        />
      )}
    </LongList>
  );
}

const WEIGHTS = { gap: "bad", difference: "wait", note: "plain" } as const;

const COLUMNS: readonly Column<Difference>[] = [
  {
    head: "Payment",
    cell: ({ invoiceId, eventId }) => <PaymentLink invoiceId={invoiceId} eventId={eventId} />,
    phone: "lead",
  },
  { head: "Amount", cell: ({ amount }) => <Money amount={amount} />, kind: "number" },
  {
    head: "Weight",
    cell: ({ weight }) => <Badge state={weight} tone={WEIGHTS[weight]} as={weight} />,
    phone: "side",
  },
  {
    head: "Why",
    cell: ({ reason, detail }) => (
      <span class="difference-why">
        <b>{reasonWords(reason)}</b>
        <Outside text={detail} />
      </span>
    ),
    kind: "wide",
  },
];
