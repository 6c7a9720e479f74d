import { liveActivity, liveStatus } from "../api/live.ts";
import type { Status } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { visibleText } from "../kit/visible-text.ts";
import { PageHead, Section } from "../parts/page-head.tsx";
import { Loading, Problem } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { Figures } from "./figures.tsx";
import { FirstCallback } from "./first-callback.tsx";
import { headlineOf } from "./headline.ts";
import { JustNow } from "./just-now.tsx";
import { MinuteChart } from "./minute-chart.tsx";
import { Needs, OpenAlarms } from "./needs.tsx";
import { Upstreams } from "./upstreams.tsx";

/** Whether everything is well, and what happens now. */
export function NowPage() {
  // Read once for the first look; from then on the relay sends them.
  const readStatus = useAnswer("/status", {});
  const readActivity = useAnswer("/activity", { query: { minutes: 60 } });
  const status = liveStatus.value ?? readStatus.data;
  const activity = liveActivity.value ?? readActivity.data;
  const problem = status === null ? readStatus.problem : null;
  return (
    <div class="now">
      <PageHead title="Now" />
      {problem !== null && <Problem problem={problem} retry={readStatus.reload} />}
      {status === null && problem === null && <Loading what="how it does" />}
      {status !== null && <Headline status={status} />}
      {status !== null && activity !== null && (
        <div class="now-grid">
          <div>
            {status.lastCallbackAt === null && activity.latency === null && <FirstCallback />}
            <Section title="Each minute">
              <MinuteChart minutes={activity.minutes} />
            </Section>
            <Figures activity={activity} status={status} />
            <OpenAlarms alarms={status.alarms} />
          </div>
          <div>
            <JustNow />
            <Upstreams upstreams={activity.upstreams} />
          </div>
        </div>
      )}
    </div>
  );
}

function Headline({ status }: { status: Status }) {
  const tone = status.needsPerson ? "bad" : status.held.length > 0 ? "wait" : "good";
  return (
    <section class={`headline is-${tone}`} aria-label="How it does" aria-live="polite">
      <p class="headline-says">{visibleText(headlineOf(status))}</p>
      <p class="quiet">
        As of <Time at={status.at} as="full" />
      </p>
      <Needs needs={status.needs} />
    </section>
  );
}
