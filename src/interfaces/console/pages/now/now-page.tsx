import { type Field, state, text, time } from "../../../../operations/views/view.ts";
import { spanText } from "../../../../platform/values/time.ts";
import type { Status } from "../api/client.ts";
import { doubt, newestStatus, statusProblem } from "../api/status.ts";
import { Facts, Table } from "../parts/fields.tsx";
import { Loading, PageHead, Problem, Section } from "../parts/page.tsx";
import { Headline } from "./headline.tsx";

export function NowPage() {
  const { value: status } = newestStatus;
  const { value: problem } = statusProblem;
  return (
    <div class={doubt.value === null ? "" : "is-old"}>
      <PageHead title="Now" />
      {status !== null ? (
        <>
          <Headline status={status} />
          <Section title="Open work">
            <div class="sheet">
              <Facts of={status} fields={OPEN_WORK} />
            </div>
          </Section>
          {status.held.length > 0 && (
            <Section title="Paused, refused or backing off">
              <Table caption="sources and topics" fields={HELD} rows={status.held} />
            </Section>
          )}
        </>
      ) : problem !== null ? (
        <Problem problem={problem} />
      ) : (
        <Loading what="how it does" />
      )}
    </div>
  );
}

const OPEN_WORK: readonly Field<Status>[] = [
  text("Oldest to be confirmed", ({ backlog }) => ageText(backlog.oldestConfirmationSeconds)),
  text("Oldest to be published", ({ backlog }) => ageText(backlog.oldestEventSeconds)),
  time("Last callback", "lastCallbackAt"),
];

const HELD: readonly Field<Status["held"][number]>[] = [
  text("Source or topic", "name", { phone: "lead" }),
  state("State", "state", { phone: "side" }),
  text("Why", ({ pauseReason, lastError }) => pauseReason ?? lastError, { isLong: true }),
  time("Tried again", "opensAt"),
];

const ageText = (seconds: number): string => (seconds > 0 ? spanText(seconds * 1_000) : "none");
