import { signal } from "@preact/signals";
import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { indentedJson } from "../../../../platform/values/json.ts";
import { spanText } from "../../../../platform/values/time.ts";
import { moneyText, shortId, visiblePieces, visibleText } from "../kit/text.ts";
import { clockText, fullTime, now, shortTime, zone } from "../kit/time.ts";
import { type Tone, toneOf, wordOf } from "./words.ts";

/** The currency of each source's amounts; none until the settings are read. */
export const currencies = signal<ReadonlyMap<string, string>>(new Map());

interface MoneyProps {
  amount: string | null;
  /** The source whose currency stands before it; without one, what is around it names the currency. */
  of?: string | undefined;
  /** The currency itself. */
  in?: string | undefined;
}

/** An amount, its digits aligned; a dash where there is none. */
export function Money({ amount, of = "", in: own }: MoneyProps) {
  if (amount === null) return <None />;
  const digits = visibleText(moneyText(amount));
  const currency = own ?? currencies.value.get(of);
  return <span class="money">{currency === undefined ? digits : `${currency} ${digits}`}</span>;
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
  /** Text from outside: a payer, a provider, a stranger; a dash where there is none. */
  text: string | null;
  /** Line feeds and tabs are layout; else they are shown as escapes, too. */
  lines?: boolean;
}

/** Such text with nothing hidden in it: invisible characters stand as escapes, and none turns the text beside it. */
export function Outside({ text, lines = false }: OutsideProps) {
  if (text === null) return <None />;
  return (
    <bdi class="outside">
      {visiblePieces(text, { lines }).map((piece) =>
        "text" in piece ? piece.text : <span class="escape">{piece.escape}</span>,
      )}
    </bdi>
  );
}

/** short: the clock, and the day where it is another; clock: with milliseconds; full: everything. */
type TimeStyle = "short" | "clock" | "full";

/** In the chosen zone; pointed at, whole in UTC. @param at ISO 8601; a dash where there is none. */
export function Time({ at, as = "short" }: { at: string | null; as?: TimeStyle }) {
  if (at === null) return <None />;
  const date = new Date(at);
  const text =
    as === "clock"
      ? clockText(date, zone.value, { ms: true })
      : as === "full"
        ? fullTime(date, zone.value)
        : shortTime(date, zone.value);
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

/** A payment by its reference, else by its id. */
export const PaymentName = ({ reference, invoiceId }: { reference: string | null; invoiceId: string }) =>
  reference === null ? <ShortId id={invoiceId} /> : <Outside text={reference} />;

/** Text between machines; JSON over several lines. */
export const Raw = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which takes a focus by keyboard.
  <pre class="sheet raw" tabIndex={0}>
    <Outside text={indentedJson(text)} lines />
  </pre>
);

/** Drawn on 20 × 20, in the colour of the text beside them. */
const PATHS = {
  pulse: "M2 10h4l2.2-5.5 3.6 11L14 10h4",
  payment: "M3 5.5h14v9H3zM3 8.5h14M6 12h3",
  inbox: "M3 11.5 5 4h10l2 7.5V16H3zM3 11.5h4l1 2h4l1-2h4",
  flag: "M5 17V3.5M5 4h9.5l-2 3.5 2 3.5H5",
  calendar: "M3.5 5h13v11.5h-13zM3.5 8.5h13M7 3v3.5M13 3v3.5M7.5 12.5l1.7 1.7 3.3-3.4",
  replay: "M4 10a6 6 0 1 0 2-4.5M4 3.5V7h3.5",
  dials: "M4 6h8M15 6h1M4 14h1M8 14h8M12.5 4v4M6.5 12v4",
  menu: "M3 6h14M3 10h14M3 14h14",
  close: "M5 5l10 10M15 5 5 15",
  copy: "M7 7h9v9H7zM4 13V4h9",
  check: "M4 10.5 8.2 15 16 6",
  search: "M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zM12.8 12.8 17 17",
  sun: "M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M4.3 15.7l1.4-1.4M14.3 5.7l1.4-1.4",
  moon: "M16.5 12A7 7 0 0 1 8 3.5 7 7 0 1 0 16.5 12z",
  screen: "M3 4.5h14v9H3zM7.5 16.5h5M10 13.5v3",
  leave: "M12 4H4v12h8M9 10h8M14 7l3 3-3 3",
  clock: "M10 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM10 6v4.2l2.8 1.6",
  warning: "M10 3.5 18 16.5H2zM10 8v4M10 14.2v.1",
  next: "M7.5 4.5 13 10l-5.5 5.5",
  back: "M12.5 4.5 7 10l5.5 5.5",
  download: "M10 3v9M6.5 9 10 12.5 13.5 9M4 16.5h12",
  pause: "M7 4.5v11M13 4.5v11",
  play: "M6.5 4.5v11l9-5.5z",
  person: "M10 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM4.5 16.5a5.5 5.5 0 0 1 11 0",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words: nothing is said by it alone. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "icon" | "label"> {
  children?: ComponentChildren;
  icon?: IconName | undefined;
  /** Heard, and shown where one points at a picture that stands alone. */
  label?: string | undefined;
  /** is-primary, is-quiet: one thing to do above all, or below. */
  is?: string;
}

/** Without `onClick` it sends the form around it. */
export const Button = ({ children, icon, label, is = "", ...rest }: ButtonProps) => (
  <button
    {...(rest as object)}
    type={rest.onClick === undefined ? "submit" : "button"}
    class={children === undefined ? `icon-button ${is}` : `button ${is}`}
    aria-label={label}
    title={children === undefined ? label : rest.title}
  >
    {icon !== undefined && <Icon name={icon} />}
    {children}
  </button>
);

/** A file of the admin API. @param path below `/admin/v1` */
export const Download = ({ path, children }: { path: string; children: ComponentChildren }) => (
  <a class="button" href={`/admin/v1${path}`} download>
    <Icon name="download" />
    {children}
  </a>
);
