import type { CallbackShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { Copy, Id } from "../parts/copy.tsx";
import { Outside } from "../parts/outside.tsx";
import { Facts, PageHead, Section } from "../parts/page-head.tsx";
import { Answered } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { bytesOf, hexLines } from "./hex-lines.ts";
import { markedText } from "./marked-text.ts";

/** The most bytes that are written out; the whole of them can be copied. */
const MOST_BYTES = 4_096;

const BYTES_ARE = {
  as_came: "Its bytes, as they came over the wire",
  masked: "Its bytes, as they came over the wire but for callback tokens, which are masked",
  text: "The bytes of this text: those that came hold a callback token where it cannot be masked",
};

/** One callback as it came, and what was made of it. */
export function CallbackDetail({ id }: { id: string }) {
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
            <What callback={callback} />
            <Ids callback={callback} />
            <Body callback={callback} />
            <Headers headers={callback.headers} />
          </>
        )}
      </Answered>
    </>
  );
}

function What({ callback }: { callback: CallbackShown }) {
  const { receivedAt, method, path, query, remoteAddress, source, verdict, bytes, cut } = callback;
  return (
    <Facts
      facts={[
        ["Received", <Time key="at" at={receivedAt} as="full" />],
        ["Request", <Outside key="path" text={`${method} ${path}${query === "" ? "" : `?${query}`}`} />],
        ["From", <Outside text={remoteAddress} />],
        ["Source", <Outside key="source" text={source} />],
        ["Verdict", <Badge key="verdict" state={verdict ?? "pending"} />],
        ["Body", bytes === null ? "erased" : `${bytes.toLocaleString("en-US")} bytes`],
        ...(cut === null ? [] : [["Cut", <Outside key="cut" text={JSON.stringify(cut)} />] as const]),
      ]}
    />
  );
}

function Ids({ callback: { ids, readings } }: { callback: CallbackShown }) {
  return (
    <Section title="Ids found in it">
      {ids.length === 0 && <p class="quiet">None: no part of it looks like an invoice’s id.</p>}
      <ul class="found">
        {ids.map(({ invoiceId, foundBy, state, verdict }) => (
          <li key={invoiceId}>
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

function Body({
  callback: { text, body, bodyIs, ids, erasedAt, erasedDigest },
}: {
  callback: CallbackShown;
}) {
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
          <pre class="raw">
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
          <pre class="raw is-hex">{hexLines(bytes.subarray(0, MOST_BYTES)).join("\n")}</pre>
          {bytes.length > MOST_BYTES && (
            <p class="quiet">
              The first {MOST_BYTES.toLocaleString("en-US")} of {bytes.length.toLocaleString("en-US")}.
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

function Headers({ headers }: Pick<CallbackShown, "headers">) {
  return (
    <Section title="Headers">
      <Facts facts={headers.map(([name, value]) => [name, <Outside key={name} text={value} />])} />
    </Section>
  );
}
