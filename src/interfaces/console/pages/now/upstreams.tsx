import { post, sources, type Upstream } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { ActButton } from "../parts/acts.tsx";
import { Answered, Section } from "../parts/page.tsx";
import { Badge, Outside, Time } from "../parts/values.tsx";

type Work = "confirm" | "publish";

/** Each source and topic, whether it is paused, and the way to pause it or let it go on. */
export function Upstreams() {
  const answer = useAnswer("/upstreams", {});
  return (
    <Section title="Provider and topics">
      <Answered answer={answer} what="sources and topics">
        {({ sources: providers, topics }) => (
          <ul class="sheet lined">
            {providers.map((upstream) => (
              <Shown key={upstream.name} {...{ upstream }} what="Provider, source" work="confirm" />
            ))}
            {topics.map((upstream) => (
              <Shown key={upstream.name} {...{ upstream }} what="Topic" work="publish" />
            ))}
            {providers.length + topics.length === 0 && (
              <li class="quiet">No source or topic has been used yet.</li>
            )}
          </ul>
        )}
      </Answered>
    </Section>
  );
}

/** How it does, why nothing goes there, and until when. */
function Shown({ upstream, what, work }: { upstream: Upstream; what: string; work: Work }) {
  const { name, state, pausedAt, pauseReason, lastError, opensAt } = upstream;
  const isPaused = state === "paused";
  const reasons = [pauseReason, isPaused ? null : lastError].filter((reason) => reason !== null);
  return (
    <li class="spread">
      <div class="grow">
        <p>
          <small>{what}</small> <Outside text={name.split(":").at(-1) ?? name} />{" "}
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
      </div>
      <Ways {...{ upstream, work }} />
    </li>
  );
}

/** Nothing where the settings name it no longer. */
function Ways({ upstream: { name, state }, work }: { upstream: Upstream; work: Work }) {
  const source = sources.value.find((one) =>
    work === "confirm" ? one.name === name : one.topicArns.includes(name),
  )?.name;
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
      return `${done} ${traffic}.`;
    },
  });
  return (
    <div class="row">
      {state !== "closed" && <ActButton {...way("resume", "Resume", "Resumed")} />}
      {state !== "paused" && <ActButton {...way("pause", "Pause", "Paused")} />}
    </div>
  );
}
