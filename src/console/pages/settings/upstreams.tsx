import { useState } from "preact/hooks";
import { post } from "../api/client.ts";
import { may } from "../api/session.ts";
import type { Upstream } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Badge } from "../parts/badge.tsx";
import { confirm } from "../parts/confirm-dialog.tsx";
import { Icon } from "../parts/icon.tsx";
import { Outside } from "../parts/outside.tsx";
import { Section } from "../parts/page-head.tsx";
import { Answered } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { PauseDialog, type Pausing } from "./pause-dialog.tsx";

/** Each source and topic, whether it is paused, and the way to pause it or let it go on. */
export function Upstreams() {
  const answer = useAnswer("/upstreams", {});
  const settings = useAnswer("/settings", {}).data;
  const [pausing, setPausing] = useState<Pausing | null>(null);
  const sourceOf = (topic: string) =>
    settings?.sources.find(({ topicArn, testTopicArn }) => topicArn === topic || testTopicArn === topic)
      ?.name;
  return (
    <>
      <Section title="Paused or open">
        <Answered answer={answer} what="sources and topics">
          {({ sources, topics }) => (
            <ul class="settings-upstreams">
              {sources.map((source) => (
                <Row
                  key={source.name}
                  upstream={source}
                  pausing={{
                    work: "confirm",
                    source: source.name,
                    what: `asking the provider of ${source.name}`,
                  }}
                  onPause={setPausing}
                  onDone={answer.reload}
                />
              ))}
              {topics.map((topic) => {
                const source = sourceOf(topic.name);
                return (
                  <Row
                    key={topic.name}
                    upstream={topic}
                    pausing={
                      source === undefined
                        ? null
                        : { work: "publish", source, what: `sending to the topics of ${source}` }
                    }
                    onPause={setPausing}
                    onDone={answer.reload}
                  />
                );
              })}
            </ul>
          )}
        </Answered>
      </Section>
      {pausing !== null && (
        <PauseDialog pausing={pausing} onClose={() => setPausing(null)} onDone={answer.reload} />
      )}
    </>
  );
}

interface RowProps {
  upstream: Upstream;
  /** null where nobody knows whose it is. */
  pausing: Pausing | null;
  onPause: (pausing: Pausing) => void;
  onDone: () => void;
}

function Row({ upstream, pausing, onPause, onDone }: RowProps) {
  const { name, state, pausedAt, pausedUntil, pauseReason, lastError, opensAt } = upstream;
  const resume = ({ work, source, what }: Pausing) =>
    confirm({
      title: `Resume ${what}?`,
      says: "It goes on at once, whatever holds it: a pause, a refusal or a fault.",
      action: "Resume",
      run: async (reason) => {
        await post("/resume", { body: { work, source, reason } });
        onDone();
        return "It goes on.";
      },
    });
  return (
    <li class="settings-upstream">
      <div class="settings-upstream-what">
        <p>
          <b>
            <Outside text={name} />
          </b>{" "}
          <Badge state={state} />
        </p>
        <p class="settings-upstream-why">
          {state === "paused" && (
            <>
              {pauseReason !== null && <Outside text={`${pauseReason.replace(/[.\s]+$/, "")}.`} />}
              {pausedAt !== null && (
                <>
                  {" "}
                  Since <Time at={pausedAt} as="full" />,{" "}
                </>
              )}
              {pausedUntil === null ? (
                "until somebody resumes it"
              ) : (
                <>
                  until <Time at={pausedUntil} as="full" />
                </>
              )}
              .
            </>
          )}
          {state !== "paused" && state !== "closed" && lastError !== null && (
            <Outside text={`${lastError.replace(/[.\s]+$/, "")}.`} />
          )}
          {state === "backing_off" && opensAt !== null && (
            <>
              {" "}
              Tried again <Time at={opensAt} />.
            </>
          )}
        </p>
      </div>
      {pausing !== null && (
        <div class="actions">
          {state !== "closed" && may("resume") && (
            <button
              type="button"
              class="button"
              aria-label={`Resume ${pausing.what}`}
              onClick={() => resume(pausing)}
            >
              <Icon name="play" />
              Resume
            </button>
          )}
          {state !== "paused" && may("pause") && (
            <button
              type="button"
              class="button"
              aria-label={`Pause ${pausing.what}`}
              onClick={() => onPause(pausing)}
            >
              <Icon name="pause" />
              Pause
            </button>
          )}
        </div>
      )}
    </li>
  );
}
