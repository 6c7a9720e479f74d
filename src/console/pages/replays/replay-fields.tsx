import { VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { OWN_VERDICTS } from "../../../receive/log/own-verdict.ts";
import type { SettingsShown } from "../api/types.ts";
import { zone } from "../kit/zone.ts";
import { Choice } from "../parts/choice.tsx";
import { Told } from "../parts/told.tsx";
import { choicesOf } from "../parts/verdicts.ts";
import type { Draft } from "./read-form.ts";
import { KIND_NAMES, KINDS } from "./replay-words.ts";

interface ReplayFieldsProps {
  draft: Draft;
  onChange: (changes: Partial<Draft>) => void;
  /** What there is to choose from; null until it is known. */
  settings: SettingsShown | null;
}

/** What is run again, and which of it. */
export function ReplayFields({ draft, onChange, settings }: ReplayFieldsProps) {
  const topics = settings?.replayTopicArns ?? [];
  const sources = settings?.sources.map(({ name }) => name) ?? [];
  const field = (name: "from" | "to" | "collection" | "rate") => ({
    name,
    value: draft[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      <fieldset class="replay-kinds">
        <legend>What to run again</legend>
        {KIND_NAMES.map((kind) => (
          <label key={kind} class="replay-kind">
            <input
              type="radio"
              name="kind"
              checked={draft.kind === kind}
              onChange={() => onChange({ kind, verdict: "", topicArn: "" })}
            />
            <span>
              <b>{KINDS[kind].title}</b>
              <small>{KINDS[kind].about}</small>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="replay-filters">
        <label class="field">
          <span>
            From <small>{zone.value}</small>
          </span>
          <input type="datetime-local" {...field("from")} />
        </label>
        <label class="field">
          <span>
            Until <small>now when left out</small>
          </span>
          <input type="datetime-local" {...field("to")} />
        </label>
        <label class="field">
          <span>Collection</span>
          <input type="text" placeholder="any" {...field("collection")} />
          <Told text={draft.collection} />
        </label>
        <Choice
          label="Verdict"
          value={draft.verdict}
          onChange={(verdict) => onChange({ verdict: verdict as Draft["verdict"] })}
          choices={choicesOf(draft.kind === "callbacks" ? [...VERDICTS, ...OWN_VERDICTS] : VERDICTS)}
        />
        {sources.length > 1 && (
          <Choice
            label="Source"
            value={draft.source}
            onChange={(source) => onChange({ source })}
            choices={sources.map((one) => [one, one])}
          />
        )}
        {draft.kind === "events" && topics.length > 0 && (
          <Choice
            label="To the topic"
            value={draft.topicArn}
            any="its own"
            onChange={(topicArn) => onChange({ topicArn })}
            choices={topics.map((one) => [one, one])}
          />
        )}
        <label class="field">
          <span>At most a second</span>
          <input type="number" min={1} max={100_000} placeholder="as usual" {...field("rate")} />
        </label>
        <label class="field is-wide">
          <span>
            Invoice ids <small>one a line; all when left out</small>
          </span>
          <textarea
            rows={2}
            spellcheck={false}
            value={draft.invoiceIds}
            onInput={(event) => onChange({ invoiceIds: event.currentTarget.value })}
          />
          <Told text={draft.invoiceIds} />
        </label>
        {draft.kind === "callbacks" && (
          <label class="replay-tick">
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
