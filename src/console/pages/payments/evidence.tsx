import type { InvoiceEvidence } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { countText } from "../kit/text.ts";
import { Facts, type Field } from "../parts/fields.tsx";
import { Copy, Id } from "../parts/notices.tsx";
import { Section } from "../parts/page.tsx";
import { Badge, None, Outside, Raw, Time } from "../parts/values.tsx";

type Claim = InvoiceEvidence["claims"][number];

/** What callbacks claimed beside what the provider answered; nothing of the left side is believed. */
export function Claims({ claims, leftOut }: Pick<InvoiceEvidence, "claims" | "leftOut">) {
  if (claims.length === 0) return null;
  return (
    <Section title="Claim and answer" aside={<small>Only the id is taken from a claim</small>}>
      {claims.map((claim, index) => (
        <details key={claim.callbackId} open={index === 0}>
          <summary>
            Callback of <Time at={claim.receivedAt} /> <Differences claim={claim} />
          </summary>
          <Compared claim={claim} />
          <p>
            <Link to={`callbacks/${claim.callbackId}`}>The callback as it came</Link>
          </p>
        </details>
      ))}
      {leftOut.claims > 0 && (
        <p class="quiet">{`${leftOut.claims} more of the newest five: too large to be compared here`}</p>
      )}
    </Section>
  );
}

function Differences({ claim: { compared } }: { claim: Claim }) {
  const count = compared.filter(({ same }) => same === false).length;
  if (compared.length === 0) return null;
  return count === 0 ? (
    <Badge state="equal" as="nothing differs" />
  ) : (
    <Badge state="not_equal" as={`${count} ${count === 1 ? "field differs" : "fields differ"}`} />
  );
}

function Compared({ claim: { compared, text, erasedAt } }: { claim: Claim }) {
  if (erasedAt !== null) return <p class="quiet">Its body was erased.</p>;
  if (compared.length === 0)
    return text === null || text === "" ? <p class="quiet">It had no body.</p> : <Raw text={text} />;
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">The callback claimed</th>
          <th scope="col">The provider answered</th>
        </tr>
      </thead>
      <tbody>
        {compared.map(({ field, claimed, answered, same }) => (
          <tr key={field} class={same === false ? "is-bad" : ""}>
            <th scope="row">
              <Outside text={field} />
              {same === false && <span class="unseen"> differs</span>}
            </th>
            <td>
              <Outside text={claimed} />
            </td>
            <td>{answered === null ? <None says="not in the answer" /> : <Outside text={answered} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type SentEvent = InvoiceEvidence["events"][number];

const EVENT_FIELDS: readonly Field<SentEvent>[] = [
  { name: "Event", show: ({ id }) => <Id id={id} of="event" /> },
  {
    name: "Type and state",
    show: ({ type, state }) => (
      <>
        {type} <Badge state={state} />
      </>
    ),
  },
];

const publicationField = (publication: SentEvent["publications"][number]): Field<SentEvent> => ({
  name: publication.replayId === null ? "MessageId" : "MessageId (replay)",
  show: () => (
    <>
      <Id id={publication.messageId} of="message" />
      <small class="block">
        <Outside text={publication.topicArn} />, <Time at={publication.publishedAt} />
      </small>
    </>
  ),
});

/** Each event as it was sent, and what SNS called it. */
export function Events({ events }: Pick<InvoiceEvidence, "events">) {
  return (
    <Section title="Event as sent">
      {events.length === 0 && <p class="quiet">No event was made.</p>}
      {events.map((event) => (
        <div key={`${event.source} ${event.id}`}>
          <Facts of={event} fields={[...EVENT_FIELDS, ...event.publications.map(publicationField)]} />
          <div class="cornered">
            <Copy text={event.payload} what="the event exactly as sent" />
            <Raw text={event.payload} />
          </div>
        </div>
      ))}
    </Section>
  );
}

/** Whether its rows are in the tree that an outsider can check. */
export const InLedger = ({ ledger }: Pick<InvoiceEvidence, "ledger">) => (
  <Section title="In the ledger">
    {ledger.map(({ source, size, rows, leaves, differing }) => (
      <p key={source} class="line">
        <Badge
          state="ledger"
          tone={differing > 0 ? "bad" : leaves < rows ? "move" : "good"}
          as={differing > 0 ? `${differing} changed since` : `${leaves} of ${rows} rows`}
        />
        <span>
          of source <Outside text={source} />, in a tree of {countText(size)} leaves
          {leaves < rows && "; a new row gets its leaf within minutes"}
        </span>
      </p>
    ))}
  </Section>
);
