import { useState } from "preact/hooks";
import { VERDICTS } from "../../../confirm/queue/confirmation.ts";
import { OWN_VERDICTS } from "../../../receive/log/own-verdict.ts";
import { ApiProblem, post } from "../api/client.ts";
import { may } from "../api/session.ts";
import type { Plan, ReplayRequest, SettingsShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { zone } from "../kit/look.ts";
import { go } from "../kit/router.tsx";
import { timeGiven } from "../kit/time.ts";
import { ActButton } from "../parts/acts.tsx";
import { type Field, Table, textField, timeField } from "../parts/fields.tsx";
import { Choice, CollectionChoice, choicesOf, Input, SourceChoice, TextInput } from "../parts/filters.tsx";
import { Empty, PageHead, Problem, Section } from "../parts/page.tsx";
import { PaymentLink } from "../parts/values.tsx";
import { countOf, KIND_NAMES, KINDS, type ReplayKind } from "./replay-words.ts";

/** Choose what, see what it would take, then start it: in this order. */
export function NewReplay() {
  const settings = useAnswer("/settings", {}).data;
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [plan, setPlan] = useState<Plan | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [isAsking, setAsking] = useState(false);
  const above = { to: "replays", name: "Replays" };
  if (!may("startReplay"))
    return (
      <>
        <PageHead title="New replay" above={above} />
        <Empty title="A replay takes a token of role operate." />
      </>
    );

  const change = (changes: Partial<Draft>) => {
    setDraft({ ...draft, ...changes });
    // It was made for something else.
    setPlan(null);
  };
  const tryDry = async (event: Event) => {
    event.preventDefault();
    setAsking(true);
    setProblem(null);
    try {
      const { plan: made } = await post("/replays", { body: { ...requestOf(draft), dryRun: true } });
      setPlan(made);
    } catch (error) {
      setPlan(null);
      setProblem(ApiProblem.of(error));
    } finally {
      setAsking(false);
    }
  };
  const start = async (reason: string | undefined) => {
    const { replay } = await post("/replays", { body: { ...requestOf(draft), reason } });
    if (replay === null) return "Nothing matches any more; nothing was started.";
    go(`replays/${replay.id}`);
    return "The replay was started.";
  };
  return (
    <>
      <PageHead
        title="New replay"
        above={above}
        says="The dry run changes nothing and says what it would take."
      />
      <form class="stack" style={{ "--gap": "var(--s5)" }} onSubmit={(event) => void tryDry(event)}>
        <ReplayFields draft={draft} onChange={change} settings={settings} />
        <div class="row">
          <button type="submit" class={plan === null ? "button is-primary" : "button"} disabled={isAsking}>
            {isAsking ? "Counting…" : "Dry run"}
          </button>
        </div>
      </form>
      {problem !== null && <Problem problem={problem} />}
      <div role="status">{plan !== null && <PlanShown plan={plan} onStart={start} />}</div>
    </>
  );
}

/** What a dry run found: how many, the first of them, and the way to start. */
function PlanShown({
  plan,
  onStart,
}: {
  plan: Plan;
  onStart: (reason: string | undefined) => Promise<string>;
}) {
  const { kind, matching, withNewIds, first } = plan;
  return (
    <Section
      title={matching === 0 ? "Nothing matches" : `It would take ${countOf(kind, matching)}`}
      aside={
        matching > 0 && (
          <ActButton
            operation="startReplay"
            title="Start the replay"
            isMain
            question={`${KINDS[kind].title}: ${countOf(kind, matching)}?`}
            says="It runs behind live traffic, and can be stopped and resumed."
            action="Start the replay"
            run={onStart}
          />
        )
      }
    >
      {withNewIds !== null && (
        <p>In {countOf("callbacks", withNewIds)} of them are ids that nobody asks about yet.</p>
      )}
      {first.length > 0 && (
        <Table
          caption="The first of them"
          fields={FIELDS}
          rows={first}
          keyOf={({ invoiceIds, eventId, callbackId }) => `${eventId ?? callbackId ?? invoiceIds[0]}`}
        />
      )}
    </Section>
  );
}

const FIELDS: readonly Field<Plan["first"][number]>[] = [
  { name: "Payment", show: ({ invoiceIds: [id = null] }) => <PaymentLink invoiceId={id} />, phone: "lead" },
  timeField("At", "at", { phone: "side" }),
  textField("About", "about", { kind: "wide" }),
  textField("Source", "source"),
];

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
      <fieldset class="columns" style={{ "--least": "16rem", "--gap": "var(--s3)" }}>
        <legend>What to run again</legend>
        {KIND_NAMES.map((kind) => (
          <label key={kind} class="sheet kind">
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
      <div class="fields">
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
