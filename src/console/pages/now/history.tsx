import type { Activity } from "../api/types.ts";
import { useAnswer, usePolled } from "../api/use-answer.ts";
import { go, query, setQuery } from "../kit/router.tsx";
import { Problem, Section } from "../parts/page.tsx";
import { MinuteChart } from "./minute-chart.tsx";

const RANGES = {
  "1h": { word: "1 h", period: "the last hour", title: "Each minute" },
  "24h": { word: "24 h", period: "the last 24 hours", title: "Each quarter of an hour" },
  "7d": { word: "7 d", period: "the last 7 days", title: "Every two hours" },
} as const;
type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as Range[];

/** What happened in the last hour, day or week; a step opens to its payments. @param minutes of the last hour, live */
export function History({ minutes }: Pick<Activity, "minutes">) {
  const range = RANGE_NAMES.find((one) => one === query.value.get("range")) ?? "1h";
  const { title } = RANGES[range];
  return (
    <Section
      title={title}
      aside={
        <fieldset class="row ranges" aria-label="How far back">
          {RANGE_NAMES.map((one) => (
            <button
              key={one}
              type="button"
              class="range"
              aria-pressed={one === range}
              onClick={() => setQuery({ range: one === "1h" ? undefined : one })}
            >
              {RANGES[one].word}
            </button>
          ))}
        </fieldset>
      }
    >
      {range === "1h" ? (
        <MinuteChart steps={minutes} stepMinutes={1} period={RANGES[range].period} onOpen={openPayments} />
      ) : (
        <Longer key={range} range={range} />
      )}
    </Section>
  );
}

/** Each look counts a part of what is not counted yet; then it changes slowly. In ms. */
const COUNTING_MS = 300;
const COUNTED_MS = 30_000;

function Longer({ range }: { range: Exclude<Range, "1h"> }) {
  const answer = useAnswer("/activity/history", { query: { range } });
  const { data, problem, reload } = answer;
  const isCounting = data?.steps.some(({ received }) => received === null) ?? false;
  usePolled(data !== null, answer, isCounting ? COUNTING_MS : COUNTED_MS);
  if (problem !== null) return <Problem problem={problem} retry={reload} />;
  return (
    <MinuteChart
      steps={data?.steps ?? []}
      stepMinutes={data?.stepMinutes ?? 1}
      period={RANGES[range].period}
      onOpen={openPayments}
    />
  );
}

/** The payments that were confirmed in a step. */
const openPayments = (from: Date, to: Date): void =>
  go(`payments?${new URLSearchParams({ confirmedFrom: from.toISOString(), confirmedTo: to.toISOString() })}`);
