import type { InputHTMLAttributes } from "preact";
import { useEffect, useState } from "preact/hooks";
import { liveStatus } from "../api/live.ts";
import { useAnswer } from "../api/use-answer.ts";
import { query, setQuery } from "../kit/router.tsx";
import { visibleText } from "../kit/text.ts";
import { timeGiven, timeInInput } from "../kit/time.ts";
import { HiddenShown, Icon } from "./values.tsx";
import { wordOf } from "./words.ts";

export type Choices = readonly (readonly [value: string, word: string])[];

export interface Filter {
  /** In the address, and for the admin API. */
  name: string;
  label: string;
  /** source, collection, alarm: a choice of those that the relay knows, and of those that are open. */
  kind: "text" | "date" | "time" | "choice" | "source" | "collection" | "alarm";
  /** Of a choice: value and word; "" for any stands before them. */
  choices?: Choices;
  placeholder?: string;
}

/** What stands in the address for these filters. */
export const givenFilters = (filters: readonly Filter[]): Record<string, string> =>
  Object.fromEntries(
    filters.flatMap(({ name }) => {
      const value = query.value.get(name);
      return value ? [[name, value]] : [];
    }),
  );

/** States to choose from, in their words. */
export const choicesOf = (states: readonly string[]): Choices =>
  states.map((state) => [state, wordOf(state)] as const);

/** Filters that stand in the address, so that a link keeps them. Text counts on Enter, or when one leaves it. */
export function FilterBar({ filters, label }: { filters: readonly Filter[]; label: string }) {
  const set = filters.filter(({ name }) => query.value.has(name));
  // On a phone they would stand before what one came to see.
  const [isOpen, setOpen] = useState(false);
  return (
    <search class={isOpen ? "fields filters is-open" : "fields filters"} aria-label={label}>
      <button type="button" class="button phone-only" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Filters{set.length > 0 && ` (${set.length})`}
      </button>
      {filters.map((filter) => (
        <FilterField key={filter.name} filter={filter} />
      ))}
      {set.length > 0 && (
        <button
          type="button"
          class="button is-quiet"
          onClick={() => setQuery(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          <Icon name="close" />
          Clear
        </button>
      )}
    </search>
  );
}

const TYPES = { text: "text", date: "date", time: "datetime-local" } as const;

function FilterField({ filter: { name, label, kind, choices = [], placeholder = "" } }: { filter: Filter }) {
  const given = query.value.get(name) ?? "";
  // A time is chosen in the zone that times are shown in; in the address it is the same for whoever opens it.
  const at = kind === "time" ? new Date(given) : null;
  const shown = at === null || Number.isNaN(+at) ? given : timeInInput(at);
  const [value, setValue] = useState(shown);
  useEffect(() => setValue(shown), [shown]);
  const apply = (next: string) =>
    setQuery({ [name]: (kind === "time" && timeGiven(next)?.toISOString()) || next.trim() });
  const choice = { label, name, value: given, onChange: apply };
  if (kind === "choice") return <Choice {...choice} choices={choices} />;
  if (kind === "source") return <SourceChoice {...choice} />;
  if (kind === "collection") return <CollectionChoice {...choice} />;
  if (kind === "alarm") return <AlarmChoice {...choice} />;
  return (
    <Input
      label={label}
      type={TYPES[kind]}
      name={name}
      value={value}
      onInput={setValue}
      placeholder={placeholder}
      onChange={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && apply(event.currentTarget.value)}
    />
  );
}

interface InputProps
  extends Omit<
    InputHTMLAttributes<HTMLInputElement>,
    "label" | "type" | "value" | "onInput" | "list" | "role"
  > {
  label: string;
  /** Beside the label: what it is for, what holds without it. */
  hint?: string;
  type?: "text" | "date" | "datetime-local" | "number";
  value: string;
  onInput: (value: string) => void;
}

/** A field of one line; what would not be seen of what is in it is shown beneath. */
export const Input = ({ label, hint, type = "text", value, onInput, ...rest }: InputProps) => (
  <label class="field">
    <span>
      {label} {hint !== undefined && <small>{hint}</small>}
    </span>
    <input
      {...({ ...rest, type } as InputHTMLAttributes<HTMLInputElement>)}
      value={value}
      autoComplete="off"
      spellcheck={false}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
    <HiddenShown text={value} />
  </label>
);

interface TextInputProps extends Pick<InputProps, "label" | "hint" | "value" | "onInput"> {
  isWide?: boolean;
  isRequired?: boolean;
  maxLength?: number;
}

/** A field of several lines. */
export const TextInput = ({
  label,
  hint,
  value,
  onInput,
  isWide,
  isRequired = false,
  maxLength,
}: TextInputProps) => (
  <label class={isWide ? "field is-wide" : "field"}>
    <span>
      {label} <small>{hint}</small>
    </span>
    <textarea
      rows={2}
      spellcheck={false}
      required={isRequired}
      maxLength={maxLength}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
    <HiddenShown text={value} />
  </label>
);

interface ChoiceProps {
  label: string;
  name?: string;
  value: string;
  /** What stands for none of them; null where one of them is always chosen. */
  any?: string | null;
  choices: Choices;
  onChange: (value: string) => void;
}

/**
 * A field with values to choose from, or none of them: "". Others may have named them: they stand encoded
 * where they are not seen.
 */
export const Choice = ({ label, name, value, any = "any", choices, onChange }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select
      name={name}
      value={encodeURIComponent(value)}
      onChange={(event) => onChange(decodeURIComponent(event.currentTarget.value))}
    >
      {any !== null && <option value="">{any}</option>}
      {choices.map(([choice, word]) => (
        <option key={choice} value={encodeURIComponent(choice)}>
          {visibleText(word)}
        </option>
      ))}
      {value !== "" && choices.every(([choice]) => choice !== value) && (
        <option value={encodeURIComponent(value)}>{visibleText(value)}</option>
      )}
    </select>
  </label>
);

type AskedProps = Omit<ChoiceProps, "choices" | "any">;

/** The relay's sources; nothing to choose where there is one. */
export function SourceChoice(props: AskedProps) {
  const names = useAnswer("/settings", {}).data?.sources.map(({ name }) => name) ?? [];
  if (names.length < 2 && props.value === "") return null;
  return <Choice {...props} choices={names.map((name) => [name, name] as const)} />;
}

/** The alarms that are open. */
function AlarmChoice(props: AskedProps) {
  const open = liveStatus.value?.openAlarms ?? [];
  return <Choice {...props} choices={open.map(({ name, title }) => [name, title] as const)} />;
}

/** The collections that payments came in lately, of all sources. */
export function CollectionChoice(props: AskedProps) {
  const items = useAnswer("/collections", {}).data?.items ?? [];
  const names = [...new Set(items.map(({ name }) => name))];
  return <Choice {...props} choices={names.map((name) => [name, name] as const)} />;
}
