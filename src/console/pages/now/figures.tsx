import type { Activity } from "../../../api/activity-schemas.ts";
import { spanText } from "../../../kit/time.ts";
import type { Status } from "../api/types.ts";
import { countText } from "../kit/money-text.ts";
import { Section } from "../parts/page-head.tsx";
import { Ago } from "../parts/time.tsx";

/** Work that has been open for this long stands out, in s: as long as the status needs to call a person. */
const LONG_SECONDS = 120;

/** How long a payment takes, and how long what is open has waited. */
export function Figures({ activity, status }: { activity: Activity; status: Status }) {
  const { latency, oldest } = activity;
  return (
    <div class="figures">
      <Section
        title="From callback to event"
        aside={latency !== null && <small>the last {countText(latency.payments)}</small>}
      >
        <dl class="figure-row">
          <Figure name="half within" value={latency === null ? null : spanText(latency.p50Ms)} />
          <Figure name="95 % within" value={latency === null ? null : spanText(latency.p95Ms)} />
          <Figure name="99 % within" value={latency === null ? null : spanText(latency.p99Ms)} />
        </dl>
      </Section>
      <Section title="Oldest open work">
        <dl class="figure-row">
          <Figure name="to be confirmed" {...age(oldest.confirmationSeconds)} />
          <Figure name="to be published" {...age(oldest.eventSeconds)} />
          <div>
            <dt>last callback</dt>
            <dd>{status.lastCallbackAt === null ? "never" : <Ago at={status.lastCallbackAt} />}</dd>
          </div>
        </dl>
      </Section>
    </div>
  );
}

const age = (seconds: number) =>
  seconds === 0 ? { value: "none" } : { value: spanText(seconds * 1_000), isLong: seconds > LONG_SECONDS };

function Figure({ name, value, isLong = false }: { name: string; value: string | null; isLong?: boolean }) {
  return (
    <div class={isLong ? "is-long" : ""}>
      <dt>{name}</dt>
      <dd>{value ?? "–"}</dd>
    </div>
  );
}
