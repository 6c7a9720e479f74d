import type { CallbackShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { numberOf } from "../kit/text.ts";
import { Facts, type Field, fullTimeField, textField } from "../parts/fields.tsx";
import { List, RowActs } from "../parts/list.tsx";
import { Answered, Copy, Id, PageHead, Section } from "../parts/page.tsx";
import { Badge, Outside, Raw, Time } from "../parts/values.tsx";
import { CALLBACKS, Fate, READ_AGAIN } from "./callback-lists.tsx";

const FIELDS: readonly Field<CallbackShown>[] = [
  fullTimeField("Received", "receivedAt"),
  {
    name: "Request",
    show: ({ method, path, query }) => `${method} ${path}${query && `?${query}`}`,
  },
  textField("From", "remoteAddress"),
  textField("Source", "source"),
  { name: "Verdict", show: (callback) => <Fate callback={callback} /> },
  {
    name: "Checked",
    show: ({ verdict, receivedAt }) =>
      verdict === "refused" ? (
        <>
          when it came, at <Time at={receivedAt} as="full" />; nobody was asked about what it names
        </>
      ) : null,
  },
  { name: "Body", show: ({ bytes }) => (bytes === null ? "erased" : numberOf(bytes, "byte")) },
];

export const CallbacksPage = ({ rest: [id] }: { rest: readonly string[] }) =>
  id !== undefined ? (
    <CallbackPage id={id} key={id} />
  ) : (
    <>
      <PageHead title="Callbacks" says="Everything that was sent to the callback URL, as it came." />
      <List list={CALLBACKS} />
    </>
  );

function CallbackPage({ id }: { id: string }) {
  const answer = useAnswer("/callbacks/{id}", { path: { id } });
  return (
    <>
      <PageHead
        title="Callback"
        above={{ to: "callbacks", name: "Callbacks" }}
        says={<Id id={id} of="callback" />}
      >
        {answer.data?.verdict === "refused" && (
          <RowActs acts={[READ_AGAIN]} rows={[answer.data]} onDone={answer.reload} />
        )}
      </PageHead>
      <Answered answer={answer} what="the callback">
        {(callback) => (
          <>
            <Facts of={callback} fields={FIELDS} />
            <Ids callback={callback} />
            <Body callback={callback} />
            <Section title="Headers">
              <Facts
                of={callback}
                fields={callback.headers.map(([name, value]) => ({ name, show: () => value }))}
              />
            </Section>
          </>
        )}
      </Answered>
    </>
  );
}

function Ids({ callback: { ids, verdict: own } }: { callback: CallbackShown }) {
  return (
    <Section title="Ids found in it">
      {ids.length === 0 && <p class="quiet">None: no part of it looks like an invoice’s id.</p>}
      <ul>
        {ids.map(({ invoiceId, foundBy, state, verdict }) => (
          <li key={invoiceId} class="row">
            <Link to={`payments/${invoiceId}`}>
              <code>{invoiceId}</code>
            </Link>
            <span class="quiet">
              found in <Outside text={foundBy ?? "an unknown place"} />
            </span>
            <Badge
              state={
                state === "dead"
                  ? "dead"
                  : (verdict ?? state ?? (own === "refused" ? "not_asked_about" : "unknown_invoice"))
              }
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Body({ callback: { text, body, erasedAt, erasedDigest } }: { callback: CallbackShown }) {
  return (
    <Section
      title="Body"
      aside={
        text && (
          <span class="row">
            <Copy text={text} what="the body as text" />
            <small>
              its bytes in base64 <Copy text={body} what="the bytes in base64" />
            </small>
          </span>
        )
      }
    >
      {erasedAt !== null ? (
        <p class="quiet">
          Erased <Time at={erasedAt} />
          {erasedDigest !== null && (
            <>
              ; its SHA-256 was <code>{erasedDigest}</code>
            </>
          )}
        </p>
      ) : text ? (
        <Raw text={text} />
      ) : (
        <p class="quiet">It had none.</p>
      )}
    </Section>
  );
}
