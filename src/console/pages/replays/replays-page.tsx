import { get } from "../api/client.ts";
import { may } from "../api/session.ts";
import type { Replay } from "../api/types.ts";
import { zone } from "../kit/look.ts";
import { Link } from "../kit/router.tsx";
import { stateField, textField, timeField } from "../parts/fields.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { Empty, PageHead } from "../parts/page.tsx";
import { Outside } from "../parts/values.tsx";
import { NewReplay } from "./new-replay.tsx";
import { ReplayPage, ReplayProgress } from "./replay-page.tsx";
import { filterWords, KINDS } from "./replay-words.ts";

/** What ran or runs again from the log, and the way to begin. */
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
      <List list={REPLAYS} />
    </>
  );
}

const REPLAYS: ListDefinition<Replay> = {
  what: "replays",
  caption: "Replays, the newest first",
  fields: [
    { name: "What", show: ({ kind }) => KINDS[kind].title, phone: "lead" },
    stateField("State", "state", { phone: "side" }),
    { name: "Progress", show: (replay) => <ReplayProgress replay={replay} /> },
    {
      name: "Of",
      show: ({ filters }) => <Outside text={filterWords({ ...filters }, zone.value)} />,
      kind: "wide",
    },
    textField("By", "requestedBy"),
    timeField("Asked for", "requestedAt"),
  ],
  keyOf: ({ id }) => id,
  to: ({ id }) => `replays/${id}`,
  read: async (_given, _cursor, signal) => ({
    items: (await get("/replays", { query: { limit: 100 } }, signal)).replays,
  }),
  isUnderWay: ({ state }) => state === "running",
  empty: (
    <Empty title="Nothing was replayed yet.">
      <p>
        When a consumer lost events, a key was wrong for an hour, or callbacks could not be read: run that
        part of the log again. The dry run says first what it would take.
      </p>
    </Empty>
  ),
};
