import { useEffect, useState } from "preact/hooks";
import { query, setQuery } from "../kit/router.tsx";
import { Choice } from "./choice.tsx";
import { Icon } from "./icon.tsx";
import { Told } from "./told.tsx";

export interface Filter {
  /** In the address, and for the admin API. */
  name: string;
  label: string;
  kind: "text" | "date" | "time" | "choice";
  /** Of a choice: value and word; "" for any stands before them. */
  choices?: readonly (readonly [value: string, word: string])[];
  placeholder?: string;
}

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

const TYPES = {
  text: { type: "text" },
  date: { type: "date" },
  time: { type: "datetime-local" },
} as const;

function FilterField({ filter }: { filter: Filter }) {
  const { name, label, kind, choices = [], placeholder } = filter;
  const given = query.value.get(name) ?? "";
  const [value, setValue] = useState(given);
  useEffect(() => setValue(given), [given]);
  const apply = (next: string) => setQuery({ [name]: next.trim() });
  if (kind === "choice")
    return <Choice label={label} name={name} value={given} choices={choices} onChange={apply} />;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        {...TYPES[kind]}
        name={name}
        value={value}
        placeholder={placeholder ?? ""}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setValue(event.currentTarget.value)}
        onChange={(event) => apply(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Enter" && apply(event.currentTarget.value)}
      />
      <Told text={value} />
    </label>
  );
}
