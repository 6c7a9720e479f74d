import { post } from "../api/client.ts";
import type { Activity } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ActButton, endChosen, endFields } from "../parts/acts.tsx";
import type { Values } from "../parts/form.tsx";
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
            {upstreamsOf(upstreams).map(({ upstream, ...of }) => (
              <Row
                key={upstream.name}
                {...{ upstream, onDone, ...of }}
                source={of.work === "confirm" ? upstream.name : sourceOf(upstream.name)}
              />
            ))}
          </ul>
        )}
      </Answered>
    </Section>
  );
}

interface RowProps {
  upstream: Upstream;
  what: string;
  work: "confirm" | "publish";
  /** undefined where nobody knows whose it is. */
  source: string | undefined;
  onDone: () => void;
}

function Row({ upstream, what, work, source, onDone }: RowProps) {
  const traffic =
    work === "confirm" ? `asking the provider of ${source}` : `sending to the topics of ${source}`;
  const change =
    (verb: "pause" | "resume", done: string) => async (reason: string | undefined, values: Values) => {
      const until = verb === "pause" ? endChosen(values)?.toISOString() : undefined;
      await post(`/${verb}`, { body: { work, source, reason, ...(until !== undefined && { until }) } });
      onDone();
      return `${done} ${traffic}.`;
    };
  return (
    <li class="spread">
      <div class="grow">
        <UpstreamShown upstream={upstream} what={what} />
      </div>
      {source !== undefined && (
        <div class="row">
          {upstream.state !== "closed" && (
            <ActButton
              operation="resume"
              title="Resume"
              label={`Resume ${traffic}`}
              icon="play"
              question={`Resume ${traffic}?`}
              says="It goes on at once, whatever holds it: a pause, a refusal or a fault."
              run={change("resume", "Resumed")}
            />
          )}
          {upstream.state !== "paused" && (
            <ActButton
              operation="pause"
              title="Pause"
              label={`Pause ${traffic}`}
              icon="pause"
              question={`Pause ${traffic}?`}
              says="Callbacks are recorded all the same; nothing is lost, it only waits."
              fields={endFields("When somebody resumes it")}
              run={change("pause", "Paused")}
            />
          )}
        </div>
      )}
    </li>
  );
}

export type Upstream = Activity["upstreams"]["sources"][number];

/** Both kinds in one list, the provider's first. */
export const upstreamsOf = ({ sources, topics }: Activity["upstreams"]) => [
  ...sources.map((upstream) => ({ upstream, what: "Provider, source", work: "confirm" as const })),
  ...topics.map((upstream) => ({ upstream, what: "Topic", work: "publish" as const })),
];

/** A source or topic, how it does, and why. @param what which of them it is. */
export const UpstreamShown = ({ upstream, what }: { upstream: Upstream; what: string }) => (
  <>
    <p class="spread">
      <span>
        <small>{what}</small> <Outside text={upstream.name.split(":").at(-1) ?? upstream.name} />
      </span>
      <Badge state={upstream.state} {...(upstream.state === "refused" && { as: "refuses us" })} />
    </p>
    <UpstreamWhy upstream={upstream} />
  </>
);

/** Why nothing goes there, and until when; nothing where all does. */
function UpstreamWhy({ upstream }: { upstream: Upstream }) {
  const { state, pausedAt, pausedUntil, pauseReason, lastError, opensAt } = upstream;
  if (state === "closed") return null;
  const isPaused = state === "paused";
  const reasons = [pauseReason, isPaused ? null : lastError].filter((reason) => reason !== null);
  return (
    <p class="quiet">
      {reasons.map((reason) => (
        <Outside key={reason} text={`${reason.replace(/[.\s]+$/, "")}. `} />
      ))}
      {isPaused && pausedAt !== null && (
        <>
          Since <Time at={pausedAt} />,{" "}
          {pausedUntil === null ? (
            "until somebody resumes it"
          ) : (
            <>
              until <Time at={pausedUntil} />
            </>
          )}
          .
        </>
      )}
      {state === "backing_off" && opensAt !== null && (
        <>
          Tried again at <Time at={opensAt} />.
        </>
      )}
    </p>
  );
}
