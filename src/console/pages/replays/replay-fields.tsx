import { VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { OWN_VERDICTS } from "../../../receive/log/own-verdict.ts";
import type { ReplayRequest, SettingsShown } from "../api/types.ts";
import { zone } from "../kit/look.ts";
import { timeGiven } from "../kit/time.ts";
import { Choice, CollectionChoice, choicesOf, Input, SourceChoice, TextInput } from "../parts/filters.tsx";
import { KIND_NAMES, KINDS, type ReplayKind } from "./replay-words.ts";

type ReplayFilters = NonNullable<ReplayRequest["filters"]>;

interface ReplayFieldsProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  /** What there is to choose from; null until it is known. */
  settings: SettingsShown | null;
}

/** What is run again, and which of it. */
export function ReplayFields({ draft, onChange, settings }: ReplayFieldsProps) {
  const topics = settings?.replayTopicArns ?? [];
  const field = (name: "from" | "to" | "rate" | "invoiceIds") => ({
    value: draft[name],
    onInput: (value: string) => onChange({ [name]: value }),
  });
  return (
    <>
      <fieldset class="replay-kinds">
        <legend>What to run again</legend>
        {KIND_NAMES.map((kind) => (
          <label key={kind} class="sheet replay-kind">
            <input
              type="radio"
              name="kind"
              checked={draft.kind === kind}
              onChange={() => onChange({ kind, verdict: "", topicArn: "" })}
            />
            <span>
              <b class="block">{KINDS[kind].title}</b>
              <small class="block">{KINDS[kind].about}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="replay-filters">
        <Input label="From" hint={zone.value} type="datetime-local" {...field("from")} />
        <Input label="Until" hint="now when left out" type="datetime-local" {...field("to")} />
        <CollectionChoice
          label="Collection"
          value={draft.collection}
          onChange={(collection) => onChange({ collection })}
        />
        <Choice
          label="Verdict"
          value={draft.verdict}
          onChange={(verdict) => onChange({ verdict: verdict as Draft["verdict"] })}
          choices={choicesOf(draft.kind === "callbacks" ? [...VERDICTS, ...OWN_VERDICTS] : VERDICTS)}
        />
        <SourceChoice label="Source" value={draft.source} onChange={(source) => onChange({ source })} />
        {draft.kind === "events" && topics.length > 0 && (
          <Choice
            label="To the topic"
            value={draft.topicArn}
            any="its own"
            onChange={(topicArn) => onChange({ topicArn })}
            choices={topics.map((one) => [one, one])}
          />
        )}
        <Input
          label="At most a second"
          type="number"
          min={1}
          max={100_000}
          placeholder="as usual"
          {...field("rate")}
        />
        <TextInput label="Invoice ids" hint="one a line; all when left out" isWide {...field("invoiceIds")} />
        {draft.kind === "callbacks" && (
          <label class="line is-wide">
            <input
              type="checkbox"
              checked={draft.refused}
              onChange={(event) => onChange({ refused: event.currentTarget.checked })}
            />
            Refused ones, too: as if the check had held
          </label>
        )}
      </div>
    </>
  );
}

/** What is filled in, as it stands in the fields: times of inputs of type datetime-local, "" for nothing. */
export const EMPTY = {
  kind: "events" as ReplayKind,
  from: "",
  to: "",
  invoiceIds: "",
  collection: "",
  verdict: "" as NonNullable<ReplayFilters["verdict"]> | "",
  source: "",
  refused: false,
  topicArn: "",
  rate: "",
};

export type Draft = typeof EMPTY;

/** The request's body, without reason and dryRun. */
export function requestOf(draft: Draft) {
  const { kind, collection, verdict, source, topicArn, rate } = draft;
  const ids = draft.invoiceIds.split(/[\s,;]+/).filter(Boolean);
  return {
    kind,
    filters: {
      from: timeGiven(draft.from)?.toISOString(),
      to: timeGiven(draft.to)?.toISOString(),
      invoiceIds: ids.length > 0 ? ids : undefined,
      collection: collection || undefined,
      verdict: verdict || undefined,
      source: source || undefined,
      refused: (kind === "callbacks" && draft.refused) || undefined,
    },
    target: kind === "events" && topicArn !== "" ? { kind: "other_topic" as const, topicArn } : undefined,
    rate: rate === "" ? undefined : Number(rate),
  };
}
