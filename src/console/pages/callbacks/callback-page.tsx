import type { CallbackShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { countText, numberOf } from "../kit/text.ts";
import { Facts, type Field, fullTimeField, textField } from "../parts/fields.tsx";
import { List, RowActs } from "../parts/list.tsx";
import { Answered, Copy, Id, PageHead, Section } from "../parts/page.tsx";
import { Badge, Outside, Time } from "../parts/values.tsx";
import { CALLBACKS, Fate, READ_AGAIN } from "./callback-lists.tsx";
import { markedText } from "./marked-text.ts";

/** The most bytes that are written out; the whole of them can be copied. */
const BYTE_LIMIT = 4_096;

const BYTES_ARE = {
  as_came: "Its bytes, as they came over the wire",
  masked: "Its bytes, as they came over the wire but for callback tokens, which are masked",
  text: "The bytes of this text: those that came hold a callback token where it cannot be masked",
};

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
  { name: "Cut", show: ({ cut }) => cut && JSON.stringify(cut) },
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

function Ids({ callback: { ids, readings, verdict: own } }: { callback: CallbackShown }) {
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
        {readings.map(({ replayId, readAt, foundBy, invoiceIds }) => (
          <li key={replayId} class="quiet">
            Read again <Time at={readAt} />: {invoiceIds.length} found in <Outside text={foundBy} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Body({ callback }: { callback: CallbackShown }) {
  const { text, body, bodyIs, ids, erasedAt, erasedDigest } = callback;
  if (erasedAt !== null)
    return (
      <Section title="Body">
        <p class="quiet">
          Erased <Time at={erasedAt} />
          {erasedDigest !== null && (
            <>
              ; its SHA-256 was <code>{erasedDigest}</code>
            </>
          )}
        </p>
      </Section>
    );
  const bytes = bytesOf(body);
  return (
    <>
      <Section
        title="Body"
        aside={text !== null && text !== "" && <Copy text={text} what="the body as text" />}
      >
        {text === null || text === "" ? (
          <p class="quiet">It had none.</p>
        ) : (
          <pre class="sheet raw">
            {markedText(text, ids).map((part) =>
              part.isId ? (
                <mark key={part.at}>{part.text}</mark>
              ) : (
                <Outside key={part.at} text={part.text} lines />
              ),
            )}
          </pre>
        )}
      </Section>
      {bytes.length > 0 && (
        <details>
          <summary>{BYTES_ARE[bodyIs]}</summary>
          <pre class="sheet raw is-hex">{hexLines(bytes.subarray(0, BYTE_LIMIT)).join("\n")}</pre>
          {bytes.length > BYTE_LIMIT && (
            <p class="quiet">
              The first {countText(BYTE_LIMIT)} of {countText(bytes.length)}.
            </p>
          )}
          <p>
            All of them in base64: <Copy text={body} what="the bytes in base64" />
          </p>
        </details>
      )}
    </>
  );
}

const WIDTH = 16;

/** Base64 as bytes; none where it is no base64. */
function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** Sixteen bytes a line: offset, hex, and what is printable ASCII of them. */
function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += WIDTH) {
    const part = [...bytes.subarray(at, at + WIDTH)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex.padEnd(WIDTH * 3 - 1)}  ${text}`);
  }
  return lines;
}
