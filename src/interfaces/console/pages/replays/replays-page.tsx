import { REPLAY_SHOWN, REPLAYS } from "../../../../operations/views/replays.ts";
import { get, may, type Replay } from "../api/client.ts";
import { useAnswer, usePolled } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Result } from "../parts/fields.tsx";
import { List, type ListDefinition, readSteps } from "../parts/list.tsx";
import { Answered, PageHead } from "../parts/page.tsx";
import { Remedies } from "../parts/remedies.tsx";
import { KINDS, NewReplay } from "./new-replay.tsx";

export function ReplaysPage({ rest: [which] }: { rest: readonly string[] }) {
  if (which !== undefined) return which === "new" ? <NewReplay /> : <ReplayPage key={which} id={which} />;
  return (
    <>
      <PageHead
        title="Replays"
        says="Runs part of the log again: safely, after live traffic, with the same event ids."
      >
        {may("startReplay") && (
          <Link to="replays/new" class="button is-primary">
            New replay
          </Link>
        )}
      </PageHead>
      <List list={ALL} />
    </>
  );
}

const ALL: ListDefinition<Replay> = {
  of: REPLAYS,
  read: readSteps(async (_given, limit, signal) => ({
    items: (await get("/replays", { query: { limit } }, signal)).replays,
  })),
  isUnderWay: ({ state }) => state === "running",
};

/** A replay: its progress, its wait, the refusals of SNS; with buttons to stop or continue it. */
function ReplayPage({ id }: { id: string }) {
  const answer = useAnswer("/replays/{id}", { path: { id } });
  const replay = answer.data?.replay;
  usePolled(replay?.state === "running", answer);
  return (
    <>
      <PageHead
        title={replay === undefined ? "Replay" : KINDS[replay.kind].title}
        above={{ to: "replays", name: "Replays" }}
      >
        {answer.data !== null && (
          <Remedies of={REPLAY_SHOWN.next?.(answer.data) ?? []} onDone={answer.reload} />
        )}
      </PageHead>
      <Answered answer={answer} what="the replay">
        {(shown) => <Result of={shown} view={REPLAY_SHOWN} />}
      </Answered>
    </>
  );
}
