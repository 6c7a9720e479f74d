import { post } from "../api/client.ts";
import { may } from "../api/session.ts";
import type { Replay, ShownReplay } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { capital } from "../kit/capital.ts";
import { countText } from "../kit/money-text.ts";
import { zone } from "../kit/zone.ts";
import { Badge } from "../parts/badge.tsx";
import { confirm } from "../parts/confirm-dialog.tsx";
import { Id } from "../parts/copy.tsx";
import { Icon } from "../parts/icon.tsx";
import { Outside } from "../parts/outside.tsx";
import { Facts, PageHead, Section } from "../parts/page-head.tsx";
import { PaymentLink } from "../parts/payment-link.tsx";
import { Answered } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { targetWords } from "./replay.ts";
import { ReplayProgress } from "./replay-progress.tsx";
import { filterWords, KINDS } from "./replay-words.ts";
import { usePolled } from "./use-polled.ts";

/** One replay: how far it is, what it waits for, what SNS refused; to be stopped, or to go on. */
export function ReplayShown({ id }: { id: string }) {
  const answer = useAnswer("/replays/{id}", { path: { id } });
  const replay = answer.data?.replay;
  usePolled(replay?.state === "running", answer.reload);
  const change = (verb: "cancel" | "resume") =>
    confirm({
      title: verb === "cancel" ? "Stop this replay?" : "Resume this replay?",
      says:
        verb === "cancel"
          ? "What it has done stays done. It can be resumed where it stopped."
          : "It goes on where it stopped; what it has done is not done again.",
      action: verb === "cancel" ? "Stop" : "Resume",
      run: async (reason) => {
        await post(`/replays/{id}/${verb}`, { path: { id }, body: { reason } });
        answer.reload();
        return verb === "cancel" ? "The replay was stopped." : "The replay goes on.";
      },
    });
  return (
    <>
      <PageHead
        title={replay === undefined ? "Replay" : KINDS[replay.kind].title}
        above={{ to: "replays", name: "Replays" }}
        says={replay && <Outside text={capital(filterWords({ ...replay.filters }, zone.value))} />}
      >
        {replay?.state === "running" && may("cancelReplay") && (
          <button type="button" class="button" onClick={() => change("cancel")}>
            <Icon name="pause" />
            Stop
          </button>
        )}
        {(replay?.state === "cancelled" || replay?.state === "failed") && may("resumeReplay") && (
          <button type="button" class="button is-primary" onClick={() => change("resume")}>
            <Icon name="play" />
            Resume
          </button>
        )}
      </PageHead>
      <Answered answer={answer} what="the replay">
        {(shown) => (
          <>
            <Progress replay={shown.replay} />
            {shown.refusals.length > 0 && <Refusals refusals={shown.refusals} />}
          </>
        )}
      </Answered>
    </>
  );
}

function Progress({ replay }: { replay: Replay }) {
  const { state, waitsFor, lastError, startedAt, finishedAt } = replay;
  return (
    <div class="sheet">
      <p class="replay-state">
        <Badge state={state} as={state === "cancelled" ? "stopped" : state} />
        <ReplayProgress replay={replay} />
      </p>
      {waitsFor !== null && state === "running" && (
        <p class="replay-waits">
          Waiting: <Outside text={waitsFor} />
        </p>
      )}
      {lastError !== null && (
        <p class="replay-error">
          <Outside text={lastError} />
        </p>
      )}
      <Facts
        facts={[
          replay.kind === "events"
            ? ["Accepted by SNS", countText(replay.sent)]
            : ["Confirmations opened", countText(replay.opened)],
          ["Refused", countText(replay.refused)],
          ["Goes to", <Outside text={targetWords(replay)} />],
          ["At most", `${countText(replay.rate)} a second`],
          ["Asked for by", <Outside text={replay.requestedBy} />],
          ["Asked for", <Time at={replay.requestedAt} as="full" />],
          ["Begun", <Time at={startedAt} as="full" />],
          ["Ended", <Time at={finishedAt} as="full" />],
          ["Id", <Id id={replay.id} of="replay" />],
        ]}
      />
    </div>
  );
}

function Refusals({ refusals }: Pick<ShownReplay, "refusals">) {
  return (
    <Section title="What SNS refused">
      <Table
        caption="Events that SNS refused"
        columns={[
          {
            head: "Payment",
            cell: ({ invoiceId, eventId }) => <PaymentLink invoiceId={invoiceId} eventId={eventId} />,
            phone: "lead",
          },
          { head: "Why", cell: ({ error }) => <Outside text={error} />, kind: "wide" },
        ]}
        rows={refusals}
        keyOf={({ eventId, source }) => `${source} ${eventId}`}
      />
    </Section>
  );
}
