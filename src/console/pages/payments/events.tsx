import type { InvoiceEvidence } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Copy, Id } from "../parts/copy.tsx";
import { indented } from "../parts/indented.ts";
import { Outside } from "../parts/outside.tsx";
import { Facts, Section } from "../parts/page-head.tsx";
import { Time } from "../parts/time.tsx";

/** Each event as it was sent, and what SNS called it. */
export function Events({ events }: Pick<InvoiceEvidence, "events">) {
  return (
    <Section title="Event as sent">
      {events.length === 0 && <p class="quiet">No event was made.</p>}
      {events.map(({ source, id, type, state, payload, publications }) => (
        <div key={`${source} ${id}`} class="event">
          <Facts
            facts={[
              ["Event", <Id key="id" id={id} of="event" />],
              [
                "Type and state",
                <span key="state">
                  {type} <Badge state={state} />
                </span>,
              ],
              ...publications.map(
                ({ messageId, topicArn, publishedAt, replayId }) =>
                  [
                    replayId === null ? "MessageId" : "MessageId (replay)",
                    <div key={messageId}>
                      <Id id={messageId} of="message" />
                      <small class="block">
                        <Outside text={topicArn} />, <Time at={publishedAt} />
                      </small>
                    </div>,
                  ] as const,
              ),
            ]}
          />
          <div class="payload">
            <Copy text={payload} what="the event exactly as sent" />
            <pre class="raw">
              <Outside text={indented(payload)} lines />
            </pre>
          </div>
        </div>
      ))}
    </Section>
  );
}
