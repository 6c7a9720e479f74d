import { useState } from "preact/hooks";
import { PLAN } from "../../../../operations/views/replays.ts";
import { VERDICTS } from "../../../../pipeline/confirm/queue/confirmation.ts";
import { type Plan, post, type ReplayRequest } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go } from "../kit/router.tsx";
import { numberOf } from "../kit/text.ts";
import { ActButton } from "../parts/acts.tsx";
import { Result } from "../parts/fields.tsx";
import { Fields, type FormField, useTask, useValues, type Values } from "../parts/form.tsx";
import { fieldsOf, readForm } from "../parts/operations.ts";
import { PageHead, Problem, Section } from "../parts/page.tsx";
import { Button } from "../parts/values.tsx";

/** The effect of each kind of replay, for the choice. */
export const KINDS = {
  events: {
    title: "Publish again",
    about: "Sends events to their topic once more, with the same id. For consumers that lost something.",
  },
  confirmations: {
    title: "Ask again",
    about: "Asks the provider about invoices once more. Newly paid invoices are published.",
  },
  callbacks: {
    title: "Read again",
    about: "Reads callbacks of the log once more, for ids that were not found, or that were refused.",
  },
} as const;

type ReplayKind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as ReplayKind[];

const countOf = (kind: ReplayKind, count: number): string => numberOf(count, kind.slice(0, -1), kind);

/** Choose what, see what it would take, then start it: in this order. */
export function NewReplay() {
  const topics = useAnswer("/settings", {}).data?.replayTopicArns ?? [];
  const [kind, setKind] = useState<ReplayKind>("events");
  const { values, onInput } = useValues();
  const [plan, setPlan] = useState<Plan | null>(null);
  const { isBusy, problem, run } = useTask();
  const request = requestOf(kind, values);
  const isToTopic = kind === "events" && topics.length > 0;
  const fields = [...filtersOf(kind), ...(isToTopic ? [topicField(topics)] : []), ...RATE];
  const tryDry = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      setPlan(null);
      setPlan((await post("/replays", { body: { ...request, dryRun: true } })).plan);
    });
  };
  const start = async (reason: string | undefined) => {
    const { replay } = await post("/replays", { body: { ...request, reason } });
    if (replay === null) return "Nothing matches any more; nothing was started.";
    go(`replays/${replay.id}`);
    return "The replay was started.";
  };
  return (
    <>
      <PageHead
        title="New replay"
        above={{ to: "replays", name: "Replays" }}
        says="The dry run changes nothing and shows the extent."
      />
      {/* A plan was made for what stood in the fields then. */}
      <form class="stack" style={{ "--gap": "var(--s5)" }} onSubmit={tryDry} onInput={() => setPlan(null)}>
        <fieldset class="columns" style={{ "--least": "16rem", "--gap": "var(--s3)" }}>
          <legend>Kind of replay</legend>
          {KIND_NAMES.map((one) => (
            <label key={one} class="sheet kind">
              <input
                type="radio"
                name="kind"
                checked={kind === one}
                onChange={() => {
                  setKind(one);
                  onInput("verdict", "");
                }}
              />
              <span>
                <b class="block">{KINDS[one].title}</b>
                <small class="block">{KINDS[one].about}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <div class="fields">
          <Fields of={fields} values={values} onInput={onInput} />
        </div>
        <div class="row">
          <Button is={plan === null ? "is-primary" : ""} disabled={isBusy}>
            {isBusy ? "Counting…" : "Dry run"}
          </Button>
        </div>
      </form>
      {problem !== null && <Problem problem={problem} />}
      <div role="status">
        {plan !== null && (
          <Section
            title={plan.matching === 0 ? "Nothing matches" : `It would take ${countOf(kind, plan.matching)}`}
            aside={
              plan.matching > 0 && (
                <ActButton
                  operation="startReplay"
                  title="Start the replay"
                  isMain
                  question={`${KINDS[kind].title}: ${countOf(kind, plan.matching)}?`}
                  says="It runs behind live traffic, and can be stopped and resumed."
                  run={start}
                />
              )
            }
          >
            <Result of={plan} view={{ lists: PLAN.lists ?? [] }} />
          </Section>
        )}
      </div>
    </>
  );
}

const FILTERS = ["from", "to", "collection", "verdict", "source", "invoiceIds"];

function filtersOf(kind: ReplayKind): readonly FormField[] {
  const own = kind === "callbacks" ? ["refused"] : [];
  return fieldsOf("startReplay", [...FILTERS, ...own]).map((field) =>
    // Verdicts that only callbacks have do not select invoices.
    field.name === "verdict" && kind !== "callbacks" ? { ...field, states: VERDICTS } : field,
  );
}

const RATE = fieldsOf("startReplay", ["rate"]);

/** Where events go. */
const topicField = (topics: readonly string[]): FormField => ({
  name: "topicArn",
  label: "To the topic",
  kind: "choice",
  any: "its own",
  choices: topics.map((one) => [one, one]),
});

/** The request's body, without reason and dryRun. */
function requestOf(kind: ReplayKind, values: Values): ReplayRequest {
  const { topicArn } = values;
  return {
    ...{ kind, filters: readForm(filtersOf(kind), values), ...readForm(RATE, values) },
    ...(kind === "events" && topicArn && { target: { kind: "other_topic", topicArn } }),
  };
}
