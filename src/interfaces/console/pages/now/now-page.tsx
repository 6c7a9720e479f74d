import { INVOICES } from "../../../../operations/views/invoices.ts";
import { type Field, state, text, time } from "../../../../operations/views/view.ts";
import { spanText } from "../../../../platform/values/time.ts";
import type { Status } from "../api/client.ts";
import { doubt, newestStatus, statusProblem } from "../api/status.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Facts, Table } from "../parts/fields.tsx";
import { Empty, Loading, PageHead, Problem, Section } from "../parts/page.tsx";
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
      <Newest />
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

const SHOWN = 7;

function Newest() {
  const { data } = useAnswer("/invoices", { query: { limit: SHOWN } });
  return (
    <Section title="Newest payments" aside={<Link to="payments">All payments</Link>}>
      {data?.items.length === 0 && (
        <Empty title="Nothing yet">
          <p>
            Create your invoices with the URL that <code>invoice-relay callback-url</code> shows.
          </p>
        </Empty>
      )}
      {data !== null && data.items.length > 0 && (
        <Table
          caption="newest payments"
          fields={INVOICES.columns}
          rows={data.items}
          keyOf={({ source, invoiceId }) => `${source} ${invoiceId}`}
          id={INVOICES.id}
          to={({ invoiceId }) => `payments/${invoiceId}`}
        />
      )}
    </Section>
  );
}
