import type { CallInput, OperationAt } from "../../../api/calls.ts";
import {
  DEAD_LETTERS,
  DISMISS_DEAD,
  DISMISS_QUARANTINE,
  QUARANTINE,
  RELEASE,
  RETRY_DEAD,
  UNDELIVERED,
} from "../../../operate/views/undelivered.ts";
import { postLines, type Undelivered } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go, query } from "../kit/router.tsx";
import type { OnProgress } from "../parts/acts.tsx";
import { Result } from "../parts/fields.tsx";
import type { FormField } from "../parts/form.tsx";
import { type ListDefinition, RowActs, type RowsAct, readCounted } from "../parts/list.tsx";
import { Answered, PageHead } from "../parts/page.tsx";

type DecisionPath =
  | "/dead-letters/retry"
  | "/dead-letters/dismiss"
  | "/quarantine/release"
  | "/quarantine/dismiss";

const idOf = ({ eventId, invoiceId }: Undelivered) => eventId ?? invoiceId;

/** Decides about some, or about all that nobody dismissed. */
function decision(
  path: DecisionPath,
  operation: string,
  title: string,
  { summary, view }: typeof RETRY_DEAD,
): RowsAct<Undelivered> {
  const decide = async (
    choice: CallInput<OperationAt<"post", DecisionPath>>["body"],
    reason: string | undefined,
    onProgress: OnProgress = () => undefined,
  ) => (await postLines(path, { body: { ...choice, reason } }, onProgress)).count;
  const said = (count: number) => view.says?.({ dryRun: false, count, items: [] }) ?? "";
  return {
    ...{ operation, title, says: summary, isMain: title !== "Dismiss" },
    async run(items, reason) {
      let count = 0;
      // An id may be known to several sources: each call says of which.
      for (const [source, own] of Map.groupBy(items, (item) => item.source))
        count += await decide({ ids: own.map(idOf), source }, reason);
      return said(count);
    },
    runAll: async (reason, given, _, onProgress) =>
      said(await decide({ filters: given }, reason, onProgress)),
  };
}

const FILTERS: readonly FormField[] = [
  { name: "collection", label: "Collection", kind: "collection" },
  { name: "source", label: "Source", kind: "source" },
];

const pageOf = (list: string) => (item: Undelivered) =>
  `attention/${list}/${idOf(item)}?source=${encodeURIComponent(item.source)}`;

export const DEAD: ListDefinition<Undelivered> = {
  of: DEAD_LETTERS,
  to: pageOf("dead"),
  filters: [
    {
      name: "kind",
      label: "What",
      kind: "choice",
      choices: ["confirmation", "event"].map((kind) => [kind, `${kind}s`]),
    },
    ...FILTERS,
  ],
  read: readCounted("/dead-letters"),
  acts: [
    decision("/dead-letters/retry", "retryDead", "Retry", RETRY_DEAD),
    decision("/dead-letters/dismiss", "dismissDead", "Dismiss", DISMISS_DEAD),
  ],
  figure: ({ dead }) => dead.confirmations + dead.events,
};

export const HELD: ListDefinition<Undelivered> = {
  of: QUARANTINE,
  to: pageOf("quarantine"),
  filters: FILTERS,
  read: readCounted("/quarantine"),
  acts: [
    decision("/quarantine/release", "releaseQuarantine", "Release", RELEASE),
    decision("/quarantine/dismiss", "dismissQuarantine", "Dismiss", DISMISS_QUARANTINE),
  ],
  figure: (status) => status.quarantined,
};

const LISTS = {
  dead: ["Dead letter", "Dead letters", "/dead-letters/{id}", DEAD],
  quarantine: ["In quarantine", "Quarantine", "/quarantine/{id}", HELD],
} as const;

/** One of them with all that helps to decide about it. @param id an invoice's or an event's. */
export function UndeliveredPage({ list, id }: { list: keyof typeof LISTS; id: string }) {
  const [title, above, path, { acts = [] }] = LISTS[list];
  const answer = useAnswer(path, {
    path: { id },
    query: { source: query.value.get("source") ?? undefined },
  });
  return (
    <>
      <PageHead title={title} above={{ to: `attention/${list}`, name: above }}>
        <RowActs acts={acts} rows={answer.data?.items ?? []} onDone={() => go(`attention/${list}`)} />
      </PageHead>
      <Answered answer={answer} what="it">
        {(found) => <Result of={found} view={UNDELIVERED} />}
      </Answered>
    </>
  );
}
