import { signal } from "@preact/signals";
import { post } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { zone } from "../kit/look.ts";
import { timeGiven } from "../kit/time.ts";
import { ActButton } from "../parts/acts.tsx";
import { Choice, Input } from "../parts/filters.tsx";
import { Answered, Section } from "../parts/page.tsx";
import { type Upstream, UpstreamBadge, UpstreamWhy } from "../parts/upstream.tsx";
import { Outside } from "../parts/values.tsx";

/** Each source and topic, whether it is paused, and the way to pause it or let it go on. */
export function Upstreams() {
  const answer = useAnswer("/upstreams", {});
  const settings = useAnswer("/settings", {}).data;
  const sourceOf = (topic: string) =>
    settings?.sources.find(({ topicArn, testTopicArn }) => topicArn === topic || testTopicArn === topic)
      ?.name;
  return (
    <Section title="Paused or open">
      <Answered answer={answer} what="sources and topics">
        {({ sources, topics }) => (
          <ul class="sheet settings-upstreams">
            {sources.map((upstream) => (
              <Row
                key={upstream.name}
                upstream={upstream}
                work="confirm"
                source={upstream.name}
                onDone={answer.reload}
              />
            ))}
            {topics.map((upstream) => (
              <Row
                key={upstream.name}
                upstream={upstream}
                work="publish"
                source={sourceOf(upstream.name)}
                onDone={answer.reload}
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
  work: "confirm" | "publish";
  /** undefined where nobody knows whose it is. */
  source: string | undefined;
  onDone: () => void;
}

function Row({ upstream, work, source, onDone }: RowProps) {
  const what = work === "confirm" ? `asking the provider of ${source}` : `sending to the topics of ${source}`;
  return (
    <li class="spread settings-upstream">
      <div class="settings-upstream-what">
        <p>
          <b>
            <Outside text={upstream.name} />
          </b>{" "}
          <UpstreamBadge upstream={upstream} />
        </p>
        <UpstreamWhy upstream={upstream} />
      </div>
      {source !== undefined && (
        <div class="row">
          {upstream.state !== "closed" && (
            <ActButton
              operation="resume"
              title="Resume"
              label={`Resume ${what}`}
              icon="play"
              question={`Resume ${what}?`}
              says="It goes on at once, whatever holds it: a pause, a refusal or a fault."
              action="Resume"
              run={async (reason) => {
                await post("/resume", { body: { work, source, reason } });
                onDone();
                return `Resumed ${what}.`;
              }}
            />
          )}
          {upstream.state !== "paused" && (
            <ActButton
              operation="pause"
              title="Pause"
              label={`Pause ${what}`}
              icon="pause"
              onAsk={() => {
                end.value = "60";
                ownEnd.value = "";
              }}
              question={`Pause ${what}?`}
              says="Callbacks are recorded all the same; nothing is lost, it only waits."
              fields={<EndFields />}
              action="Pause"
              run={async (reason) => {
                const until = endOfPause()?.toISOString();
                await post("/pause", { body: { work, source, reason, until } });
                onDone();
                return `Paused ${what}.`;
              }}
            />
          )}
        </div>
      )}
    </li>
  );
}

/** When a pause ends by itself, in minutes, as one chooses it. */
const ENDS = [
  ["15", "15 minutes"],
  ["60", "1 hour"],
  ["240", "4 hours"],
  ["own", "At a time of your own"],
  ["never", "When somebody resumes it"],
] as const;

/** What is chosen; of an input of type datetime-local, when it is a time of one's own. */
const end = signal("60");
const ownEnd = signal("");

/** null for a pause without an end. */
function endOfPause(): Date | null {
  if (end.value === "never") return null;
  return end.value === "own" ? timeGiven(ownEnd.value) : new Date(Date.now() + Number(end.value) * 60_000);
}

const EndFields = () => (
  <>
    <Choice
      label="Ends"
      value={end.value}
      any={null}
      choices={ENDS}
      onChange={(chosen) => {
        end.value = chosen;
      }}
    />
    {end.value === "own" && (
      <Input
        label="At"
        hint={zone.value}
        type="datetime-local"
        required
        value={ownEnd.value}
        onInput={(value) => {
          ownEnd.value = value;
        }}
      />
    )}
  </>
);
