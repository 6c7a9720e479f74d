import type { ComponentChildren } from "preact";
import { spanText } from "../../../kit/time.ts";
import { liveActivity, liveStatus } from "../api/live.ts";
import type { Activity, Status } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { AlarmSubject } from "../attention/alarms.tsx";
import { Link } from "../kit/router.tsx";
import { capital, countText, visibleText } from "../kit/text.ts";
import { FirstCallback } from "../parts/first-callback.tsx";
import { Loading, PageHead, Problem, Section } from "../parts/page.tsx";
import { Ago, Badge, Outside, Time } from "../parts/values.tsx";
import { JustNow, Upstreams } from "./just-now.tsx";
import { MinuteChart } from "./minute-chart.tsx";

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

/** The page's one sentence. What a person is needed for stands below it, so that several are only counted. */
export const headlineOf = ({ sentence, needs }: Pick<Status, "sentence" | "needs">): string =>
  needs.length > 1 ? `A person is needed for ${needs.length} things.` : sentence;

const PAGES: Record<NonNullable<Status["needs"][number]["page"]>, { to: string; name: string }> = {
  dead: { to: "attention/dead", name: "dead letters" },
  quarantine: { to: "attention/quarantine", name: "quarantine" },
  alarms: { to: "attention/alarms", name: "alarms" },
  completeness: { to: "completeness", name: "Completeness" },
  settings: { to: "settings", name: "Settings" },
};

/** What waits for a person, each with what to do. */
function Needs({ needs }: Pick<Status, "needs">) {
  if (needs.length === 0) return null;
  return (
    <ol class="needs">
      {needs.map(({ what, action, page }) => (
        <li key={what} class="spread">
          <div class="needs-says">
            <b>
              <Outside text={`${capital(what)}.`} />
            </b>
            <p class="quiet">
              <Outside text={action} />
            </p>
          </div>
          {page !== null && (
            <Link to={PAGES[page].to} class="button">
              Open {PAGES[page].name}
            </Link>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Open alarms, the newest first. */
function OpenAlarms({ alarms }: Pick<Status, "alarms">) {
  if (alarms.length === 0) return null;
  return (
    <Section title="Open alarms" aside={<Link to="attention">All that needs attention</Link>}>
      <ul class="lined">
        {alarms.map((alarm) => (
          <li key={`${alarm.name} ${alarm.source} ${alarm.subject}`}>
            <p class="name-and-state">
              <span>
                <Badge state={alarm.name} tone="bad" /> <AlarmSubject alarm={alarm} />
              </span>
              <small>
                {alarm.times > 1 && `${alarm.times} times, first `}
                <Ago at={alarm.raisedAt} />
              </small>
            </p>
            <p>
              <Outside text={alarm.detail} />
            </p>
            <p class="quiet">
              <Outside text={alarm.action} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
