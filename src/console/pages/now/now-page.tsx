import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { spanText } from "../../../kit/time.ts";
import { liveActivity, liveStatus, noteStatus, proof, useLive } from "../api/live.ts";
import type { Activity, Status } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { countText } from "../kit/text.ts";
import { FirstCallback } from "../parts/first-callback.tsx";
import { Loading, PageHead, Problem, Section } from "../parts/page.tsx";
import { Ago } from "../parts/values.tsx";
import { Headline } from "./headline.tsx";
import { History } from "./history.tsx";
import { JustNow, Upstreams } from "./just-now.tsx";

/** Whether everything is well, and what happens now. */
export function NowPage() {
  // Read once for the first look; from then on the relay sends them.
  const readStatus = useAnswer("/status", {});
  const readActivity = useAnswer("/activity", { query: { minutes: 60 } });
  useEffect(() => {
    if (readStatus.data !== null) noteStatus(readStatus.data);
  }, [readStatus.data]);
  useLive();
  const { value: status } = liveStatus;
  const activity = liveActivity.value ?? readActivity.data;
  const problem = status === null ? readStatus.problem : null;
  return (
    <div class="now">
      <PageHead title="Now" />
      {problem !== null && <Problem problem={problem} retry={readStatus.reload} />}
      {status === null && proof.value === null && problem === null && <Loading what="how it does" />}
      <Headline />
      {status !== null && activity !== null && (
        <div class={proof.value?.isFresh === false ? "now-grid is-old" : "now-grid"}>
          <div>
            {status.lastCallbackAt === null && activity.latency === null && <FirstCallback />}
            <History minutes={activity.minutes} />
            <Figures activity={activity} status={status} />
          </div>
          <div class="now-side">
            <JustNow />
            <Upstreams upstreams={activity.upstreams} />
          </div>
        </div>
      )}
    </div>
  );
}

/** Work that has been open for this long stands out, in s: as long as the status needs to call a person. */
const LONG_SECONDS = 120;

/** How long a payment takes, and how long what is open has waited. */
function Figures({ activity: { latency, oldest }, status }: { activity: Activity; status: Status }) {
  const share = (name: string, ms: number | undefined) => (
    <Figure name={name}>{ms === undefined ? "–" : spanText(ms)}</Figure>
  );
  const age = (name: string, seconds: number) => (
    <Figure name={name} isLong={seconds > LONG_SECONDS}>
      {seconds === 0 ? "none" : spanText(seconds * 1_000)}
    </Figure>
  );
  return (
    <div class="figures">
      <Section
        title="From callback to event"
        aside={latency !== null && <small>the last {countText(latency.payments)}</small>}
      >
        <dl class="figure-row">
          {share("half within", latency?.p50Ms)}
          {share("95 % within", latency?.p95Ms)}
          {share("99 % within", latency?.p99Ms)}
        </dl>
      </Section>
      <Section title="Oldest open work">
        <dl class="figure-row">
          {age("to be confirmed", oldest.confirmationSeconds)}
          {age("to be published", oldest.eventSeconds)}
          <Figure name="last callback">
            {status.lastCallbackAt === null ? "never" : <Ago at={status.lastCallbackAt} />}
          </Figure>
        </dl>
      </Section>
    </div>
  );
}

interface FigureProps {
  name: string;
  isLong?: boolean;
  children: ComponentChildren;
}

const Figure = ({ name, isLong = false, children }: FigureProps) => (
  <div>
    <dt>{name}</dt>
    <dd class={isLong ? "toned is-bad" : ""}>{children}</dd>
  </div>
);
