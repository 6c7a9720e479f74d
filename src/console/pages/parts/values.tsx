import { indentedJson } from "../../../kit/indented-json.ts";
import { spanText } from "../../../kit/time.ts";
import { now } from "../api/live.ts";
import { zone } from "../kit/look.ts";
import { Link } from "../kit/router.tsx";
import { moneyText, shortId, visiblePieces, visibleText } from "../kit/text.ts";
import { clockText, fullTime, shortTime } from "../kit/time.ts";
import { type Tone, toneOf, wordOf } from "./words.ts";

/** An amount, its digits aligned; a dash where there is none. */
export function Money({ amount }: { amount: string | null }) {
  if (amount === null) return <None />;
  return <span class="money">{visibleText(moneyText(amount))}</span>;
}

/** Where there is nothing to show. */
export function None({ says = "none" }: { says?: string }) {
  return (
    <span class="none">
      <span aria-hidden="true">–</span>
      <span class="unseen">{says}</span>
    </span>
  );
}

interface OutsideProps {
  /** Text that somebody else wrote: a payer, a provider, a stranger; a dash where there is none. */
  text: string | null;
  /** Line feeds and tabs are layout; else they are shown as escapes, too. */
  lines?: boolean;
}

/** Such text with nothing hidden in it: what would not be seen stands as its escape, and nothing turns its surroundings. */
export function Outside({ text, lines = false }: OutsideProps) {
  if (text === null) return <None />;
  return (
    <bdi class="outside">
      {visiblePieces(text, { lines }).map((piece) =>
        "text" in piece ? (
          piece.text
        ) : (
          <span class="escape" title={piece.name}>
            {piece.escape}
          </span>
        ),
      )}
    </bdi>
  );
}

/** Beneath a field: what stands in it, where something in that would not be seen; else nothing. */
export function HiddenShown({ text }: { text: string }) {
  if (visiblePieces(text, { lines: true }).every((piece) => "text" in piece)) return null;
  return (
    <small>
      It says: <Outside text={text} lines />
    </small>
  );
}

/** short: the clock, and the day where it is another; clock: with milliseconds; full: everything. */
export type TimeStyle = "short" | "clock" | "full";

/**
 * A time in the zone that was chosen; pointing at it shows it whole in UTC, and `u` turns all of them.
 * @param at ISO 8601; a dash where there is none.
 */
export function Time({ at, as = "short" }: { at: string | null; as?: TimeStyle }) {
  if (at === null) return <None />;
  const date = new Date(at);
  if (Number.isNaN(+date)) return <span>{at}</span>;
  const text =
    as === "clock"
      ? clockText(date, zone.value, { ms: true })
      : as === "full"
        ? fullTime(date, zone.value)
        : shortTime(date, zone.value, new Date());
  const other = zone.value === "UTC" ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  return (
    <time class="time" dateTime={at} title={fullTime(date, other)}>
      {text}
    </time>
  );
}

/** How long ago, as of now. */
export function Ago({ at }: { at: string }) {
  const ms = now.value - Date.parse(at);
  return (
    <time class="time" dateTime={at} title={fullTime(new Date(at), "UTC")}>
      {ms < 1_000 ? "just now" : `${spanText(ms)} ago`}
    </time>
  );
}

/** A verdict or state in its word and colour; a dash where there is none. @param as another word for it. */
export function Badge({ state, tone, as }: { state: string | null; tone?: Tone; as?: string }) {
  if (state === null) return <None />;
  return <span class={`badge is-${tone ?? toneOf(state)}`}>{as ?? wordOf(state)}</span>;
}

/** The beginning of an id; the whole one is a click away, or pointed at. */
export const ShortId = ({ id }: { id: string }) => <code title={visibleText(id)}>{shortId(id)}</code>;

interface PaymentLinkProps {
  invoiceId: string | null;
  /** What is shown where nobody knows the invoice. */
  eventId?: string | null;
}

/** The beginning of an invoice's id, which leads to its payment. */
export function PaymentLink({ invoiceId, eventId = null }: PaymentLinkProps) {
  if (invoiceId === null) return eventId === null ? <None /> : <ShortId id={eventId} />;
  return (
    <Link to={`payments/${invoiceId}`}>
      <ShortId id={invoiceId} />
    </Link>
  );
}

/** A payment by its reference, else by its id. */
export const PaymentName = ({ reference, invoiceId }: { reference: string | null; invoiceId: string }) =>
  reference === null ? <ShortId id={invoiceId} /> : <Outside text={reference} />;

/** What machines wrote to each other; JSON over several lines. */
export const Raw = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which takes a focus by keyboard.
  <pre class="sheet raw" tabIndex={0}>
    <Outside text={indentedJson(text)} lines />
  </pre>
);
