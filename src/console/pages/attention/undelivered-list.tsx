import type { ComponentChildren } from "preact";
import type { Undelivered } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { countText } from "../kit/money-text.ts";
import { Badge } from "../parts/badge.tsx";
import { Money } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { Answered } from "../parts/states.tsx";
import type { Column } from "../parts/table.tsx";
import { Ago } from "../parts/time.tsx";
import { type Act, ChoosingTable } from "./choosing-table.tsx";
import { keyOf, nameOf, SHOWN, type UndeliveredPath } from "./undelivered.ts";
import { useReloadAfter } from "./use-reload-after.ts";

interface UndeliveredListProps {
  path: UndeliveredPath;
  /** Below `/console/attention/`. */
  at: string;
  /** Of many: "dead letters". */
  what: string;
  acts: readonly Act<Undelivered>[];
  /** How many there are by the live status: another number reads the list again. */
  count: number | undefined;
  empty: ComponentChildren;
}

/** Dead letters or quarantine, the oldest first, to be chosen and decided. */
export function UndeliveredList({ path, at, what, acts, count, empty }: UndeliveredListProps) {
  const answer = useAnswer(`/${path}`, { query: { limit: SHOWN } });
  useReloadAfter(count, answer.reload);
  return (
    <Answered answer={answer} what={what}>
      {({ total, items }) =>
        items.length === 0 ? (
          empty
        ) : (
          <>
            <ChoosingTable
              caption={`${what}, the oldest first`}
              what={what}
              columns={path === "quarantine" ? COLUMNS : [KIND, ...COLUMNS]}
              rows={items}
              total={total}
              keyOf={keyOf}
              nameOf={nameOf}
              to={(item) =>
                `attention/${at}/${item.eventId ?? item.invoiceId}?source=${encodeURIComponent(item.source)}`
              }
              acts={acts}
              onDone={answer.reload}
            />
            {total > items.length && (
              <p class="list-end">
                The oldest {countText(items.length)} of {countText(total)} {what}.
              </p>
            )}
          </>
        )
      }
    </Answered>
  );
}

const KIND: Column<Undelivered> = {
  head: "What",
  cell: ({ kind }) => <Badge state="dead" as={kind === "event" ? "event" : "confirmation"} />,
  phone: "side",
};

const COLUMNS: readonly Column<Undelivered>[] = [
  {
    head: "Payment",
    cell: ({ reference, invoiceId }) =>
      reference === null ? <code>{invoiceId.slice(0, 8)}…</code> : <Outside text={reference} />,
    phone: "lead",
  },
  { head: "Total", cell: ({ amount }) => <Money amount={amount} />, kind: "number" },
  { head: "Collection", cell: ({ collection }) => <Outside text={collection} /> },
  { head: "Since", cell: ({ since }) => <Ago at={since} /> },
  { head: "Why", cell: ({ error }) => <Outside text={error} />, kind: "wide" },
];
