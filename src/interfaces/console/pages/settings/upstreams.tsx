import { type Activity, post } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ActButton } from "../parts/acts.tsx";
import { Answered, Section } from "../parts/page.tsx";
import { Badge, Outside, Time } from "../parts/values.tsx";

/** Each source and topic, whether it is paused, and the way to pause it or let it go on. */
export function Upstreams() {
  const answer = useAnswer("/upstreams", {});
  const { reload: onDone } = answer;
  const settings = useAnswer("/settings", {}).data;
  const sourceOf = (topic: string) =>
    settings?.sources.find(({ topicArn, testTopicArn }) => topicArn === topic || testTopicArn === topic)
      ?.name;
  return (
    <Section title="Paused or open">
      <Answered answer={answer} what="sources and topics">
        {(upstreams) => (
          <ul class="sheet lined">
            {upstreamsOf(upstreams).map(({ upstream, what, work }) => (
              <li key={upstream.name} class="spread">
                <div class="grow">
                  <UpstreamShown upstream={upstream} what={what} />
                </div>
                <Ways
                  {...{ upstream, work, onDone }}
                  source={work === "confirm" ? upstream.name : sourceOf(upstream.name)}
                />
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </Section>
  );
}

interface WaysProps {
  upstream: Upstream;
  work: "confirm" | "publish";
  /** undefined where the source is unknown. */
  source: string | undefined;
  onDone: () => void;
}

function Ways({ upstream: { state }, work, source, onDone }: WaysProps) {
  if (source === undefined) return null;
  const traffic =
    work === "confirm" ? `asking the provider of ${source}` : `sending to the topics of ${source}`;
  const way = (verb: "pause" | "resume", title: string, done: string) => ({
    operation: verb,
    title,
    label: `${title} ${traffic}`,
    question: `${title} ${traffic}?`,
    async run(reason: string | undefined) {
      await post(`/${verb}`, { body: { work, source, reason } });
      onDone();
      return `${done} ${traffic}.`;
    },
  });
  return (
    <div class="row">
      {state !== "closed" && <ActButton {...way("resume", "Resume", "Resumed")} icon="play" />}
      {state !== "paused" && <ActButton {...way("pause", "Pause", "Paused")} icon="pause" />}
    </div>
  );
}

export type Upstream = Activity["upstreams"]["sources"][number];

/** Both kinds in one list, the provider's first. */
export const upstreamsOf = ({ sources, topics }: Activity["upstreams"]) => [
  ...sources.map((upstream) => ({ upstream, what: "Provider, source", work: "confirm" as const })),
  ...topics.map((upstream) => ({ upstream, what: "Topic", work: "publish" as const })),
];

/** A source or topic, how it does, why nothing goes there, and until when. @param what which of them it is. */
export function UpstreamShown({ upstream, what }: { upstream: Upstream; what: string }) {
  const { name, state, pausedAt, pauseReason, lastError, opensAt } = upstream;
  const isPaused = state === "paused";
  const reasons = [pauseReason, isPaused ? null : lastError].filter((reason) => reason !== null);
  return (
    <>
      <p class="spread">
        <span>
          <small>{what}</small> <Outside text={name.split(":").at(-1) ?? name} />
        </span>
        <Badge state={state} {...(state === "refused" && { as: "refuses us" })} />
      </p>
      {state !== "closed" && (
        <p class="quiet">
          {reasons.map((reason) => (
            <Outside key={reason} text={`${reason.replace(/[.\s]+$/, "")}. `} />
          ))}
          {isPaused && (
            <>
              Since <Time at={pausedAt} />, until resumed by hand.
            </>
          )}
          {state === "backing_off" && opensAt !== null && (
            <>
              Tried again at <Time at={opensAt} />.
            </>
          )}
        </p>
      )}
    </>
  );
}
