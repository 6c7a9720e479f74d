import type { InputHTMLAttributes } from "preact";
import { useEffect, useState } from "preact/hooks";
import { query, setQuery } from "../kit/router.tsx";
import { timeGiven } from "../kit/time.ts";
import { Icon } from "./icon.tsx";
import { HiddenShown } from "./values.tsx";
import { wordOf } from "./words.ts";

type Choices = readonly (readonly [value: string, word: string])[];

export interface Filter {
  /** In the address, and for the admin API. */
  name: string;
  label: string;
  kind: "text" | "date" | "time" | "choice";
  /** Of a choice: value and word; "" for any stands before them. */
  choices?: Choices;
  placeholder?: string;
}

/** What stands in the address for these filters; times are chosen in the zone that they are shown in. */
export function givenFilters(filters: readonly Filter[]): Record<string, string> {
  const given = filters.flatMap(({ name, kind }) => {
    const value = query.value.get(name);
    return value ? [[name, (kind === "time" && timeGiven(value)?.toISOString()) || value]] : [];
  });
  return Object.fromEntries(given);
}

/** States to choose from, in their words. */
export const choicesOf = (states: readonly string[]): Choices =>
  states.map((state) => [state, wordOf(state)] as const);

/** Filters that stand in the address, so that a link keeps them. Text counts on Enter, or when one leaves it. */
export function FilterBar({ filters, label }: { filters: readonly Filter[]; label: string }) {
  const set = filters.filter(({ name }) => query.value.has(name));
  // On a phone they would stand before what one came to see.
  const [isOpen, setOpen] = useState(false);
  return (
    <search class={isOpen ? "filters is-open" : "filters"} aria-label={label}>
      <button
        type="button"
        class="button filters-toggle"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
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
  const [value, setValue] = useState(given);
  useEffect(() => setValue(given), [given]);
  const apply = (next: string) => setQuery({ [name]: next.trim() });
  if (kind === "choice")
    return <Choice label={label} name={name} value={given} choices={choices} onChange={apply} />;
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

/** A field with values to choose from, or none of them: "". */
export const Choice = ({ label, name, value, any = "any", choices, onChange }: ChoiceProps) => (
  <label class="field">
    <span>{label}</span>
    <select name={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {any !== null && <option value="">{any}</option>}
      {choices.map(([choice, word]) => (
        <option key={choice} value={choice}>
          {word}
        </option>
      ))}
    </select>
  </label>
);
