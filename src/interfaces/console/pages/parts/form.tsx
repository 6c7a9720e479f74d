import type { InputHTMLAttributes } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiProblem, sources } from "../api/client.ts";
import { query, setQuery } from "../kit/router.tsx";
import { visibleText } from "../kit/text.ts";
import { timeGiven, timeInInput } from "../kit/time.ts";
import { Button } from "./values.tsx";
import { wordOf } from "./words.ts";

type Choices = readonly (readonly [value: string, word: string])[];

/** A field of a form or a filter of a list: its name, and the values it takes. */
export interface FormField {
  /** Of a filter in the address, and for the admin API. */
  name: string;
  label: string;
  /** time: in the viewer's zone; lines: several; source: a choice of those that the relay knows. */
  kind: "text" | "date" | "time" | "lines" | "choice" | "source";
  /** Beside the label: what it is for, what holds without it. */
  hint?: string;
  choices?: Choices;
  /** Of a choice of states. */
  states?: readonly string[];
  /** Shown where one points at it: what it means. */
  about?: string;
  /** One of a choice is always chosen. */
  isChosen?: true;
  input?: Pick<InputHTMLAttributes<HTMLInputElement>, "max" | "maxLength" | "required">;
}

/** Values filled in, by the fields' names. */
export type Values = Readonly<Record<string, string>>;

/** Holds what is filled in. */
export function useValues(first: Values = {}) {
  const [values, setValues] = useState(first);
  return {
    values,
    onInput: (name: string, value: string) => setValues((last) => ({ ...last, [name]: value })),
  };
}

interface FieldsProps {
  of: readonly FormField[];
  values: Values;
  onInput: (name: string, value: string) => void;
}

export const Fields = ({ of: fields, values, onInput }: FieldsProps) => (
  <>
    {fields.map((field) => (
      <Filled
        key={field.name}
        field={field}
        value={values[field.name] ?? ""}
        onInput={(value) => onInput(field.name, value)}
      />
    ))}
  </>
);

interface FilledProps {
  field: FormField;
  value: string;
  onInput: (value: string) => void;
  /** Called when one leaves what was typed, or presses Enter. */
  onDone?: (value: string) => void;
}

const TYPES = { text: "text", date: "date", time: "datetime-local", lines: "" } as const;

function Filled({ field, value, onInput, onDone }: FilledProps) {
  const { name, label, kind, hint, input } = field;
  if (!(kind in TYPES)) return <Choice field={field} value={value} onInput={onDone ?? onInput} />;
  const typed = {
    ...input,
    name,
    value,
    spellcheck: false,
    autoComplete: "off",
    onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
  };
  const done = (event: Event) => onDone?.((event.currentTarget as HTMLInputElement).value);
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: it stands inside, in either form.
    <label class="field" title={field.about}>
      <span>
        {label} {hint !== undefined && <small>{hint}</small>}
      </span>
      {kind === "lines" ? (
        <textarea rows={2} {...(typed as object)} />
      ) : (
        <input
          {...({ ...typed, type: TYPES[kind as keyof typeof TYPES] } as object)}
          onChange={done}
          onKeyDown={(event) => event.key === "Enter" && done(event)}
        />
      )}
    </label>
  );
}

const named = (names: readonly string[]): Choices => [...new Set(names)].map((name) => [name, name]);

/** Others may have named the values: they stand encoded. Of one source there is nothing to choose. */
function Choice({ field, value, onInput }: FilledProps) {
  const { name, label, kind } = field;
  const choices =
    (kind === "source" ? named(sources.value.map(({ name }) => name)) : field.choices) ??
    field.states?.map((one) => [one, wordOf(one)] as const) ??
    [];
  if (kind === "source" && choices.length < 2 && value === "") return null;
  const isKnown = value === "" || choices.some(([choice]) => choice === value);
  return (
    <label class="field" title={field.about}>
      <span>{label}</span>
      <select
        name={name}
        value={encodeURIComponent(value)}
        onChange={(event) => onInput(decodeURIComponent(event.currentTarget.value))}
      >
        {!field.isChosen && <option value="">any</option>}
        {[...choices, ...(isKnown ? [] : named([value]))].map(([choice, word]) => (
          <option key={choice} value={encodeURIComponent(choice)}>
            {visibleText(word)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The values in the address for these filters. */
export const givenFilters = (filters: readonly FormField[]): Record<string, string> =>
  Object.fromEntries(
    filters.flatMap(({ name }) => {
      const value = query.value.get(name);
      return value ? [[name, value]] : [];
    }),
  );

/** Filters that stand in the address, so that a link keeps them. Text counts on Enter, or when one leaves it. */
export function FilterBar({ filters, label }: { filters: readonly FormField[]; label: string }) {
  const set = filters.filter(({ name }) => query.value.has(name));
  // On a phone they would hide the list below.
  const [isWide] = useState(innerWidth > 900);
  return (
    <details open={isWide}>
      <summary class="quiet">Filters{set.length > 0 && ` (${set.length})`}</summary>
      <search class="fields" aria-label={label}>
        {filters.map((filter) => (
          <FilterField key={filter.name} filter={filter} />
        ))}
        {set.length > 0 && (
          <Button
            is="is-quiet"
            onClick={() => setQuery(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
          >
            Clear
          </Button>
        )}
      </search>
    </details>
  );
}

function FilterField({ filter }: { filter: FormField }) {
  const { name, kind } = filter;
  const given = query.value.get(name) ?? "";
  // A time is chosen in the viewer's zone; in the address it is the same for every reader.
  const at = kind === "time" ? new Date(given) : null;
  const shown = at === null || Number.isNaN(+at) ? given : timeInInput(at);
  const [value, setValue] = useState(shown);
  useEffect(() => setValue(shown), [shown]);
  const apply = (next: string) => setQuery({ [name]: (kind === "time" && timeGiven(next)) || next.trim() });
  return <Filled field={filter} value={value} onInput={setValue} onDone={apply} />;
}

/** Something that is sent: whether it is under way, and what kept it. */
export function useTask() {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  /** @returns whether it was done. */
  const run = async (task: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true);
    setProblem(null);
    try {
      await task();
      return true;
    } catch (thrown) {
      setProblem(ApiProblem.of(thrown));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}
