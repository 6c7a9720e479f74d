import { get, may, post, type Replay, type ShownReplay } from "../api/client.ts";
import { useAnswer, usePolled } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { capital, countText } from "../kit/text.ts";
import { ActButton } from "../parts/acts.tsx";
import {
  countField,
  Facts,
  type Field,
  fullTimeField,
  stateField,
  Table,
  textField,
  timeField,
} from "../parts/fields.tsx";
import { List, type ListDefinition, readSteps } from "../parts/list.tsx";
import { Answered, Id, PageHead, Section } from "../parts/page.tsx";
import { Badge, Outside, PaymentLink } from "../parts/values.tsx";
import { countOf, filterWords, KINDS, NewReplay } from "./new-replay.tsx";

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
    { name: "Of", show: ({ filters }) => filterWords(filters), kind: "wide" },
    textField("By", "requestedBy"),
    timeField("Asked for", "requestedAt"),
  ],
  keyOf: ({ id }) => id,
  to: ({ id }) => `replays/${id}`,
  read: readSteps(async (_given, limit, signal) => ({
    items: (await get("/replays", { query: { limit } }, signal)).replays,
  })),
  isUnderWay: ({ state }) => state === "running",
  empty: [
    "Nothing was replayed yet.",
    "When a consumer lost events, a key was wrong for an hour, or callbacks could not be read: run that part of the log again. The dry run says first what it would take.",
  ],
};

/** One replay: how far it is, what it waits for, what SNS refused; to be stopped, or to go on. */
function ReplayPage({ id }: { id: string }) {
  const answer = useAnswer("/replays/{id}", { path: { id } });
  const replay = answer.data?.replay;
  usePolled(replay?.state === "running", answer);
  const act = replay && ACTS[replay.state];
  return (
    <>
      <PageHead
        title={replay === undefined ? "Replay" : KINDS[replay.kind].title}
        above={{ to: "replays", name: "Replays" }}
        says={replay && <Outside text={capital(filterWords(replay.filters))} />}
      >
        {act && (
          <ActButton
            {...act}
            run={async (reason) => {
              await post(`/replays/{id}/${act.verb}`, { path: { id }, body: { reason } });
              answer.reload();
              return act.done;
            }}
          />
        )}
      </PageHead>
      <Answered answer={answer} what="the replay">
        {({ replay: shown, refusals }) => (
          <>
            <Progress replay={shown} />
            {refusals.length > 0 && (
              <Section title="What SNS refused">
                <Table
                  caption="Events that SNS refused"
                  fields={REFUSAL_FIELDS}
                  rows={refusals}
                  keyOf={({ eventId, source }) => `${source} ${eventId}`}
                />
              </Section>
            )}
          </>
        )}
      </Answered>
    </>
  );
}

const STOP = {
  verb: "cancel",
  operation: "cancelReplay",
  title: "Stop",
  icon: "pause",
  question: "Stop this replay?",
  says: "What it has done stays done. It can be resumed where it stopped.",
  done: "The replay was stopped.",
} as const;

const RESUME = {
  verb: "resume",
  operation: "resumeReplay",
  title: "Resume",
  icon: "play",
  isMain: true,
  question: "Resume this replay?",
  says: "It goes on where it stopped; what it has done is not done again.",
  done: "The replay goes on.",
} as const;

const ACTS = { running: STOP, cancelled: RESUME, failed: RESUME, done: undefined };

const FIELDS: readonly Field<Replay>[] = [
  { name: "Accepted by SNS", show: ({ kind, sent }) => (kind === "events" ? countText(sent) : null) },
  {
    name: "Confirmations opened",
    show: ({ kind, opened }) => (kind === "events" ? null : countText(opened)),
  },
  countField("Refused", "refused"),
  {
    name: "Goes to",
    show: ({ kind, target }) =>
      kind !== "events" ? "the provider" : target.kind === "other_topic" ? target.topicArn : "their topics",
  },
  { name: "At most", show: ({ rate }) => `${countText(rate)} a second` },
  textField("Asked for by", "requestedBy"),
  fullTimeField("Asked for", "requestedAt"),
  fullTimeField("Begun", "startedAt"),
  fullTimeField("Ended", "finishedAt"),
  { name: "Id", show: ({ id }) => <Id id={id} of="replay" /> },
];

const REFUSAL_FIELDS: readonly Field<ShownReplay["refusals"][number]>[] = [
  {
    name: "Payment",
    show: ({ invoiceId, eventId }) => <PaymentLink invoiceId={invoiceId} eventId={eventId} />,
    phone: "lead",
  },
  textField("Why", "error", { kind: "wide" }),
];

function Progress({ replay }: { replay: Replay }) {
  const { state, waitsFor, lastError } = replay;
  return (
    <div class="sheet stack">
      <p class="row">
        <Badge state={state} />
        <ReplayProgress replay={replay} />
      </p>
      {waitsFor !== null && state === "running" && (
        <p class="toned is-wait">
          Waiting: <Outside text={waitsFor} />
        </p>
      )}
      {lastError !== null && (
        <p class="toned is-bad">
          <Outside text={lastError} />
        </p>
      )}
      <Facts of={replay} fields={FIELDS} />
    </div>
  );
}

function ReplayProgress({ replay }: { replay: Replay }) {
  return (
    <span class="stack quiet">
      <progress
        aria-label="Progress"
        value={replay.matching === 0 ? 1 : replay.handled}
        max={replay.matching || 1}
      />
      <span>
        {countText(replay.handled)} of {countOf(replay.kind, replay.matching)}
      </span>
    </span>
  );
}
