import {
  DEAD_DISMISSED,
  DEAD_LETTER,
  DEAD_LETTERS,
  QUARANTINE,
  QUARANTINE_DISMISSED,
  RELEASED,
  RETRIED,
} from "../../../../operations/views/undelivered.ts";
import { get, type Undelivered } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { query } from "../kit/router.tsx";
import { Result } from "../parts/fields.tsx";
import { type ListDefinition, RowActs, type RowsAct } from "../parts/list.tsx";
import { fieldsOf, perform } from "../parts/operations.ts";
import { Answered, PageHead } from "../parts/page.tsx";

const idOf = ({ eventId, invoiceId }: Undelivered) => eventId ?? invoiceId;

/** Decides about some items. */
const decision = (operation: string, title: string, view: typeof RETRIED): RowsAct<Undelivered> => ({
  ...{ operation, title, isMain: title !== "Dismiss" },
  async run(items, reason) {
    let count = 0;
    // An id may be known to several sources: each call says of which.
    for (const [source, own] of Map.groupBy(items, (item) => item.source))
      count += (await perform<{ count: number }>(operation, { ids: own.map(idOf), source, reason })).count;
    return view.says?.({ dryRun: false, count, items: [] }) ?? "";
  },
});

/** Of lists without pages: what is decided about makes way for the rest. */
export const LIST_LIMIT = 200;

const pageOf = (list: string) => (item: Undelivered) =>
  `attention/${list}/${idOf(item)}?source=${encodeURIComponent(item.source)}`;

export const DEAD: ListDefinition<Undelivered> = {
  of: DEAD_LETTERS,
  to: pageOf("dead"),
  filters: fieldsOf("listDead", ["kind", "collection", "source"]),
  read: (given, _, signal) => get("/dead-letters", { query: { ...given, limit: LIST_LIMIT } }, signal),
  acts: [decision("retryDead", "Retry", RETRIED), decision("dismissDead", "Dismiss", DEAD_DISMISSED)],
};

export const HELD: ListDefinition<Undelivered> = {
  of: QUARANTINE,
  to: pageOf("quarantine"),
  filters: fieldsOf("listQuarantine", ["collection", "source"]),
  read: (given, _, signal) => get("/quarantine", { query: { ...given, limit: LIST_LIMIT } }, signal),
  acts: [
    decision("releaseQuarantine", "Release", RELEASED),
    decision("dismissQuarantine", "Dismiss", QUARANTINE_DISMISSED),
  ],
};

const LISTS = {
  dead: ["Dead letter", "Dead letters", "/dead-letters/{id}", DEAD],
  quarantine: ["In quarantine", "Quarantine", "/quarantine/{id}", HELD],
} as const;

/** An item with all facts that help to decide about it. @param id an invoice's or an event's. */
export function UndeliveredPage({ list, id }: { list: keyof typeof LISTS; id: string }) {
  const [title, above, path, { acts = [] }] = LISTS[list];
  const answer = useAnswer(path, {
    path: { id },
    query: { source: query.value.get("source") ?? undefined },
  });
  return (
    <>
      <PageHead title={title} above={{ to: `attention/${list}`, name: above }}>
        <RowActs acts={acts} rows={answer.data?.items ?? []} />
      </PageHead>
      <Answered answer={answer} what="it">
        {(found) => <Result of={found} view={DEAD_LETTER} />}
      </Answered>
    </>
  );
}
