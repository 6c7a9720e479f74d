import type { CallbackShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { countText } from "../kit/text.ts";
import { Facts, type Field, textField, timeField } from "../parts/fields.tsx";
import { Copy, Id } from "../parts/notices.tsx";
import { Answered, PageHead, Section } from "../parts/page.tsx";
import { Badge, Outside, Time } from "../parts/values.tsx";

/** The most bytes that are written out; the whole of them can be copied. */
const BYTE_LIMIT = 4_096;

const BYTES_ARE = {
  as_came: "Its bytes, as they came over the wire",
  masked: "Its bytes, as they came over the wire but for callback tokens, which are masked",
  text: "The bytes of this text: those that came hold a callback token where it cannot be masked",
};

const FIELDS: readonly Field<CallbackShown>[] = [
  timeField("Received", "receivedAt", { as: "full" }),
  {
    name: "Request",
    show: ({ method, path, query }) => <Outside text={`${method} ${path}${query && `?${query}`}`} />,
  },
  textField("From", "remoteAddress"),
  textField("Source", "source"),
  { name: "Verdict", show: ({ verdict }) => <Badge state={verdict ?? "pending"} /> },
  { name: "Body", show: ({ bytes }) => (bytes === null ? "erased" : `${countText(bytes)} bytes`) },
  { name: "Cut", show: ({ cut }) => cut && <Outside text={JSON.stringify(cut)} /> },
];

/** One callback as it came, and what was made of it. */
export function CallbackPage({ id }: { id: string }) {
  const answer = useAnswer("/callbacks/{id}", { path: { id } });
  return (
    <>
      <PageHead
        title="Callback"
        above={{ to: "callbacks", name: "Callbacks" }}
        says={<Id id={id} of="callback" />}
      />
      <Answered answer={answer} what="the callback">
        {(callback) => (
          <>
            <Facts of={callback} fields={FIELDS} />
            <Ids callback={callback} />
            <Body callback={callback} />
            <Section title="Headers">
              <Facts
                of={callback}
                fields={callback.headers.map(([name, value]) => ({
                  name,
                  show: () => <Outside text={value} />,
                }))}
              />
            </Section>
          </>
        )}
      </Answered>
    </>
  );
}

function Ids({ callback: { ids, readings } }: { callback: CallbackShown }) {
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
            <Badge state={state === "dead" ? "dead" : (verdict ?? state ?? "pending")} />
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
        <details class="raw-bytes">
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

/** A part of a body: an id that was found there, or what stands between them. */
interface Part {
  at: number;
  text: string;
  isId: boolean;
}

const UUID_LENGTH = 36;

/**
 * A body cut where ids were found in it.
 * @param ids `at`: where each begins, in UTF-16 units; null stands elsewhere.
 */
function markedText(text: string, ids: readonly { at: number | null; invoiceId: string }[]): Part[] {
  const starts = [...new Set(ids.flatMap(({ at }) => (at === null ? [] : [at])))].sort(
    (one, other) => one - other,
  );
  const parts: Part[] = [];
  let end = 0;
  for (const at of starts) {
    if (at < end || at + UUID_LENGTH > text.length) continue;
    if (at > end) parts.push({ at: end, text: text.slice(end, at), isId: false });
    parts.push({ at, text: text.slice(at, at + UUID_LENGTH), isId: true });
    end = at + UUID_LENGTH;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end), isId: false });
  return parts;
}
