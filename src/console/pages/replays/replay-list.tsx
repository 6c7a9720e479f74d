import { may } from "../api/session.ts";
import type { Replay } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { zone } from "../kit/zone.ts";
import { Badge } from "../parts/badge.tsx";
import { Outside } from "../parts/outside.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Answered, Empty } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { ReplayProgress } from "./replay-progress.tsx";
import { filterWords, KINDS } from "./replay-words.ts";
import { usePolled } from "./use-polled.ts";

const SHOWN = 100;

/** All of them, the newest first; those under way move. */
export function ReplayList() {
  const answer = useAnswer("/replays", { query: { limit: SHOWN } });
  usePolled(answer.data?.replays.some(({ state }) => state === "running") ?? false, answer.reload);
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
      <Answered answer={answer} what="replays">
        {({ replays }) =>
          replays.length === 0 ? (
            <Empty title="Nothing was replayed yet.">
              <p>
                When a consumer lost events, a key was wrong for an hour, or callbacks could not be read: run
                that part of the log again. The dry run says first what it would take.
              </p>
            </Empty>
          ) : (
            <Table
              caption="Replays, the newest first"
              columns={COLUMNS}
              rows={replays}
              keyOf={({ id }) => id}
              to={({ id }) => `replays/${id}`}
            />
          )
        }
      </Answered>
    </>
  );
}

const COLUMNS: readonly Column<Replay>[] = [
  { head: "What", cell: ({ kind }) => KINDS[kind].title, phone: "lead" },
  {
    head: "State",
    cell: ({ state }) => <Badge state={state} as={state === "cancelled" ? "stopped" : state} />,
    phone: "side",
  },
  { head: "Progress", cell: (replay) => <ReplayProgress replay={replay} /> },
  {
    head: "Of",
    cell: ({ filters }) => <Outside text={filterWords({ ...filters }, zone.value)} />,
    kind: "wide",
  },
  { head: "By", cell: ({ requestedBy }) => <Outside text={requestedBy} /> },
  { head: "Asked for", cell: ({ requestedAt }) => <Time at={requestedAt} /> },
];
