import { toldVerdict } from "../../../confirm/queue/confirmation.ts";
import { may } from "../api/session.ts";
import type { UndeliveredEvidence } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go, Link, query } from "../kit/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { confirm } from "../parts/confirm-dialog.tsx";
import { Id } from "../parts/copy.tsx";
import { indented } from "../parts/indented.ts";
import { Money } from "../parts/money.tsx";
import { Outside } from "../parts/outside.tsx";
import { Facts, PageHead, Section } from "../parts/page-head.tsx";
import { Answered } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { DEAD_LETTER_ACTS, QUARANTINE_ACTS } from "./undelivered-acts.ts";

const LISTS = {
  dead: { title: "Dead letter", above: "Dead letters", path: "/dead-letters/{id}", acts: DEAD_LETTER_ACTS },
  quarantine: {
    title: "In quarantine",
    above: "Quarantine",
    path: "/quarantine/{id}",
    acts: QUARANTINE_ACTS,
  },
} as const;

/** One of them with all that helps to decide about it. @param id an invoice's or an event's. */
export function UndeliveredShown({ list, id }: { list: keyof typeof LISTS; id: string }) {
  const { title, above, path, acts } = LISTS[list];
  const answer = useAnswer(path, {
    path: { id },
    query: { source: query.value.get("source") ?? undefined },
  });
  const ask = (act: (typeof acts)[number]) =>
    confirm({
      title: `${act.title} it?`,
      says: act.says(1),
      action: act.title,
      run: async (reason) => {
        const said = await act.run(answer.data?.items ?? [], reason);
        go(`attention/${list}`);
        return said;
      },
    });
  return (
    <>
      <PageHead title={title} above={{ to: `attention/${list}`, name: above }}>
        {acts
          .filter(({ operation }) => may(operation) && answer.data !== null)
          .map((act) => (
            <button
              key={act.title}
              type="button"
              class={act.isMain ? "button is-primary" : "button"}
              onClick={() => ask(act)}
            >
              {act.title}
            </button>
          ))}
      </PageHead>
      <Answered answer={answer} what="it">
        {({ items }) => items.map((item) => <Shown key={item.source} item={item} />)}
      </Answered>
    </>
  );
}

function Shown({ item }: { item: UndeliveredEvidence }) {
  const { confirmation, event, callbacks } = item;
  return (
    <>
      <div class="sheet">
        <p class="given-up">
          {item.error === null ? "No reason was written down." : <Outside text={item.error} />}
        </p>
        <Facts
          facts={[
            ["Payment", <Link to={`payments/${item.invoiceId}`}>its whole story</Link>],
            ["Invoice", <Id id={item.invoiceId} of="invoice" />],
            ...(item.eventId === null ? [] : [["Event", <Id id={item.eventId} of="event" />] as const]),
            ["Reference", <Outside text={item.reference} />],
            ["Collection", <Outside text={item.collection} />],
            ["Total", <Money amount={item.amount} />],
            ["Source", <Outside text={item.source} />],
            ["Since", <Time at={item.since} as="full" />],
            ["Tries", String(item.attempts)],
            [
              "Verdict",
              <Badge state={confirmation === null ? "pending" : (toldVerdict(confirmation) ?? "pending")} />,
            ],
            ...(item.dismissedAt === null
              ? []
              : [["Dismissed", <Time at={item.dismissedAt} as="full" />] as const]),
          ]}
        />
      </div>
      {confirmation?.lastAnswer && (
        <Section title="The answer that could not be used">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which takes a focus by keyboard. */}
          <pre class="raw" tabIndex={0}>
            <Outside text={indented(confirmation.lastAnswer)} lines />
          </pre>
        </Section>
      )}
      {event !== null && (
        <Section title="The event that is not sent">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: as above. */}
          <pre class="raw" tabIndex={0}>
            <Outside text={indented(event.payload)} lines />
          </pre>
        </Section>
      )}
      <Section title="Callbacks about it">
        {callbacks.length === 0 ? (
          <p>The log holds none.</p>
        ) : (
          <ul class="plain-list">
            {callbacks.map((callback) => (
              <li key={callback.id}>
                <Link to={`callbacks/${callback.id}`}>
                  <Time at={callback.receivedAt} as="full" />
                </Link>
                {callback.foundBy !== null && (
                  <>
                    , found at <Outside text={callback.foundBy} />
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  );
}
