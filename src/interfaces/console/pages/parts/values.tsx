import type { ButtonHTMLAttributes, ComponentChildren } from "preact";
import { indentedJson } from "../../../../platform/values/json.ts";
import { spanText } from "../../../../platform/values/time.ts";
import { sources } from "../api/client.ts";
import { moneyText, shortId, visiblePieces, visibleText } from "../kit/text.ts";
import { fullTime, now, shortTime } from "../kit/time.ts";
import { type Tone, toneOf, wordOf } from "./words.ts";

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
  const currency = own ?? sources.value.find(({ name }) => name === of)?.currency;
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

interface TimeProps {
  /** ISO 8601; a dash where there is none. */
  at: string | null;
  isWhole?: boolean;
}

/** In the viewer's zone; pointed at, whole in UTC. */
export function Time({ at, isWhole = false }: TimeProps) {
  if (at === null) return <None />;
  const date = new Date(at);
  return (
    <time class="time" dateTime={at} title={fullTime(date, "UTC")}>
      {isWhole ? fullTime(date) : shortTime(date)}
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

/** Text between machines; JSON over several lines. */
export const Raw = ({ text }: { text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which takes a focus by keyboard.
  <pre class="sheet raw" tabIndex={0}>
    <Outside text={indentedJson(text)} lines />
  </pre>
);

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "label"> {
  /** Read aloud in place of what is shown. */
  label?: string | undefined;
  /** is-primary, is-quiet: one thing to do above all, or below. */
  is?: string;
}

/** Without `onClick` it sends the form around it. */
export const Button = ({ children, label, is = "", ...rest }: ButtonProps) => (
  <button
    {...(rest as object)}
    type={rest.onClick === undefined ? "submit" : "button"}
    class={`button ${is}`}
    aria-label={label}
  >
    {children}
  </button>
);

/** A file of the admin API. @param path below `/admin/v1` */
export const Download = ({ path, children }: { path: string; children: ComponentChildren }) => (
  <a class="button" href={`/admin/v1${path}`} download>
    {children}
  </a>
);
