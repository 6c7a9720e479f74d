import { useState } from "preact/hooks";
import { post } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { may } from "../api/session.ts";
import type { Plan } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go } from "../kit/router.tsx";
import { confirm } from "../parts/confirm-dialog.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Problem } from "../parts/states.tsx";
import { PlanShown } from "./plan-shown.tsx";
import { type Draft, EMPTY, requestOf } from "./read-form.ts";
import { ReplayFields } from "./replay-fields.tsx";
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
      setProblem(error instanceof ApiProblem ? error : new ApiProblem(0, String(error)));
    } finally {
      setAsking(false);
    }
  };
  const start = () =>
    confirm({
      title: `${KINDS[draft.kind].title}: ${countOf(draft.kind, plan?.matching ?? 0)}?`,
      says: "It runs behind live traffic, and can be stopped and resumed.",
      action: "Start the replay",
      run: async (reason) => {
        const { replay } = await post("/replays", { body: { ...requestOf(draft), reason } });
        if (replay === null) return "Nothing matches any more; nothing was started.";
        go(`replays/${replay.id}`);
        return "The replay was started.";
      },
    });
  return (
    <>
      <PageHead
        title="New replay"
        above={above}
        says="The dry run changes nothing and says what it would take."
      />
      <form class="replay-form" onSubmit={(event) => void tryDry(event)}>
        <ReplayFields draft={draft} onChange={change} settings={settings} />
        <div class="actions">
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
