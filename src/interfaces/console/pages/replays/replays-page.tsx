import { REPLAY_SHOWN, REPLAYS } from "../../../../operations/views/replays.ts";
import { get, type Replay } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Result } from "../parts/fields.tsx";
import { List, type ListDefinition } from "../parts/list.tsx";
import { Answered, PageHead } from "../parts/page.tsx";
import { RemedyShown } from "../parts/remedies.tsx";

export const ReplaysPage = ({ rest: [id] }: { rest: readonly string[] }) =>
  id !== undefined ? (
    <ReplayPage id={id} />
  ) : (
    <>
      <PageHead
        title="Replays"
        says={
          <>
            Runs part of the log again: safely, after live traffic, with the same event ids. Start one with{" "}
            <code>invoice-relay replay</code>.
          </>
        }
      />
      <List list={ALL} />
    </>
  );

const LIST_LIMIT = 200;

const ALL: ListDefinition<Replay> = {
  of: REPLAYS,
  read: async (_given, _cursor, signal) => ({
    items: (await get("/replays", { query: { limit: LIST_LIMIT } }, signal)).replays,
  }),
};

/** A replay: its progress, its wait, the refusals of SNS; with buttons to stop or continue it. */
function ReplayPage({ id }: { id: string }) {
  const answer = useAnswer("/replays/{id}", { path: { id } });
  return (
    <>
      <PageHead title="Replay" above={{ to: "replays", name: "Replays" }}>
        {answer.data !== null &&
          REPLAY_SHOWN.next?.(answer.data).map((next) => <RemedyShown key={next.operation} of={next} />)}
      </PageHead>
      <Answered answer={answer} what="the replay">
        {(shown) => <Result of={shown} view={REPLAY_SHOWN} />}
      </Answered>
    </>
  );
}
