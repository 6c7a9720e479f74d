import { useState } from "preact/hooks";
import { ApiProblem, post } from "../api/client.ts";
import { may } from "../api/session.ts";
import type { Plan } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go } from "../kit/router.tsx";
import { ActButton } from "../parts/acts.tsx";
import { type Field, textField, timeField } from "../parts/fields.tsx";
import { Empty, PageHead, Problem, Section } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { PaymentLink } from "../parts/values.tsx";
import { type Draft, EMPTY, ReplayFields, requestOf } from "./replay-fields.tsx";
import { countOf, KINDS } from "./replay-words.ts";

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
      <form class="stack replay-form" onSubmit={(event) => void tryDry(event)}>
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
