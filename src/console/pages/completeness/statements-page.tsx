import { useRef } from "preact/hooks";
import { ApiProblem, get, may, upload, urlOf } from "../api/client.ts";
import type { StatementMatch, StatementShown } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { go } from "../kit/router.tsx";
import { countText, linesText } from "../kit/text.ts";
import {
  countField,
  Facts,
  type Field,
  moneyField,
  stateField,
  Table,
  textField,
  timeField,
} from "../parts/fields.tsx";
import { Fields, type FormField, useTask, useValues } from "../parts/form.tsx";
import { List, type ListDefinition, readSteps } from "../parts/list.tsx";
import { Answered, PageHead, Problem, Section } from "../parts/page.tsx";
import { Badge, Button, Money, Outside, PaymentLink } from "../parts/values.tsx";
import { Downloads } from "./proof-form.tsx";

const ABOVE = { to: "completeness", name: "Completeness" };

/** Bank statements that were matched with what was to be settled, and the way to match one. */
export function StatementsPage({ id }: { id: string | undefined }) {
  if (id !== undefined) return <StatementPage key={id} id={id} />;
  return (
    <>
      <PageHead
        title="Bank statements"
        above={ABOVE}
        says="What came in at the bank, with what was to be settled; and what is left over on either side."
      />
      {may("matchStatement") && <MatchForm />}
      <List list={MATCHES} />
    </>
  );
}

/** Takes the file as it is; what it does not show is asked for by the answer. */
function MatchForm() {
  const file = useRef<HTMLInputElement>(null);
  const { values, onInput } = useValues();
  const { isBusy, problem, run } = useTask();
  const match = async () => {
    const chosen = file.current?.files?.[0];
    if (chosen === undefined) throw new ApiProblem(400, "Choose the statement first.");
    const { id } = await upload("/statements", { query: { ...values, name: chosen.name } }, chosen);
    go(`completeness/statements/${id}`);
  };
  return (
    <Section title="Match a statement">
      <div class="fields">
        <label class="field is-longest">
          <span>Statement (CSV)</span>
          <input ref={file} type="file" accept=".csv,.txt,text/csv,text/plain" />
        </label>
        <Fields of={OF_STATEMENT} values={values} onInput={onInput} />
      </div>
      {/* What is refused names these by their options. */}
      <details open={problem !== null}>
        <summary>How it is read: found in the file, or remembered</summary>
        <div class="fields">
          <Fields of={OF_FILE} values={values} onInput={onInput} />
        </div>
      </details>
      <div class="fields">
        <Button is="is-primary" disabled={isBusy} onClick={() => void run(match)}>
          {isBusy ? "Matching…" : "Match"}
        </Button>
      </div>
      {problem !== null && <Problem problem={problem} />}
    </Section>
  );
}

const OF_STATEMENT: readonly FormField[] = [
  { name: "from", label: "First day", kind: "date", hint: "the statement's" },
  { name: "to", label: "Last day", kind: "date", hint: "the statement's" },
  { name: "source", label: "Source", kind: "source" },
  { name: "collection", label: "Collection", kind: "collection" },
];

const OF_FILE: readonly FormField[] = [
  { name: "dateColumn", label: "Column of dates", kind: "text", hint: "--date-column" },
  { name: "amountColumn", label: "Column of what came in", kind: "text", hint: "--amount-column" },
  { name: "debitColumn", label: "Column of what went out", kind: "text", hint: "--debit-column" },
  { name: "delimiter", label: "Delimiter", kind: "text" },
  { name: "decimal", label: "Decimals", kind: "text", hint: ". or ," },
  { name: "dateOrder", label: "Order of dates", kind: "text", hint: "DMY or MDY" },
  { name: "only", label: "Only lines with", kind: "text" },
];

const cleanField: Field<StatementMatch> = {
  name: "Left over",
  show: ({ clean }) => <Badge state={clean ? "equal" : "not_equal"} as={clean ? "nothing" : "something"} />,
  phone: "side",
};

const MATCHES: ListDefinition<StatementMatch> = {
  what: "statements",
  caption: "Statements that were matched, the newest first",
  fields: [
    textField("File", "fileName", { phone: "lead" }),
    cleanField,
    { name: "Days", show: ({ from, to }) => `${from} to ${to}` },
    textField("Source", "source"),
    textField("Collection", "collection"),
    textField("By", "madeBy"),
    timeField("Matched", "madeAt"),
  ],
  keyOf: ({ id }) => id,
  to: ({ id }) => `completeness/statements/${id}`,
  read: readSteps(async (_given, limit, signal) => ({
    items: (await get("/statements", { query: { limit } }, signal)).matches,
  })),
  empty: [
    "No statement was matched yet.",
    "Export a month's statement at the bank as CSV, and match it here.",
  ],
};

/** What a mapping that was remembered leaves out would not be seen otherwise. */
const READ_FIELDS: readonly Field<StatementMatch>[] = [
  {
    name: "Read by",
    show: ({ mapping: { date, dateOrder, amount, debit, decimal, only } }) => (
      <Outside
        text={
          `${date}${dateOrder === null ? "" : ` (${dateOrder})`}, ${amount}` +
          `${debit === null ? "" : ` less ${debit}`}${decimal === null ? "" : `, decimals "${decimal}"`}` +
          `${only === null ? "" : `, only lines with "${only}"`}`
        }
      />
    ),
  },
  {
    name: "Not matched",
    show: ({ currency, figures: { others, undated, undatedLines, outside, withoutAmount } }) => {
      const counted = [
        [others.count, `lines that are not settlements (${currency} ${others.amount} in all)`],
        [undated, `lines without a date or an amount${linesText(undatedLines, undated)}`],
        [outside, "lines of other days"],
        [withoutAmount, "payments without a settleable amount"],
      ] as const;
      const told = counted.filter(([count]) => count > 0);
      return told.length === 0
        ? "nothing"
        : told.map(([count, what]) => `${what}: ${countText(count)}`).join("; ");
    },
  },
];

function StatementPage({ id }: { id: string }) {
  const answer = useAnswer("/statements/{id}", { path: { id }, query: { limit: 500 } });
  return (
    <>
      <PageHead title="Bank statement" above={{ to: "completeness/statements", name: "Bank statements" }}>
        <Downloads path={urlOf("/statements/{id}/report", { path: { id } })} />
      </PageHead>
      <Answered answer={answer} what="the statement">
        {(match) => (
          <>
            <Facts
              of={match}
              fields={[...MATCHES.fields, ...READ_FIELDS, textField("SHA-256 of the file", "fileSha256")]}
            />
            <Section title={`What came of it (${match.currency})`}>
              <Table
                caption="Lines and sums by state"
                fields={STATE_FIELDS}
                rows={match.figures.states}
                keyOf={({ state }) => state}
              />
            </Section>
            <Section title="Left over">
              {match.items.length === 0 ? (
                <p class="quiet">Nothing is left over.</p>
              ) : (
                <Table
                  caption="Lines and sums that are left over"
                  fields={LEFT_FIELDS}
                  rows={match.items}
                  keyOf={({ position }) => String(position)}
                />
              )}
              {match.next !== null && (
                <p class="quiet">{`The first ${countText(match.items.length)}; the file has all.`}</p>
              )}
            </Section>
          </>
        )}
      </Answered>
    </>
  );
}

const STATE_FIELDS: readonly Field<StatementShown["figures"]["states"][number]>[] = [
  stateField("State", "state", { phone: "lead" }),
  countField("Lines", "lines"),
  moneyField("At the bank", "lineAmount"),
  countField("Payments", "payments"),
  moneyField("To be settled", "sumAmount"),
];

const LEFT_FIELDS: readonly Field<StatementShown["items"][number]>[] = [
  stateField("State", "state", { phone: "lead" }),
  {
    name: "Lines of the statement",
    show: ({ lines }) =>
      lines.map(({ line, day, amount }) => (
        <div key={line}>
          {`line ${line}, ${day}: `}
          <Money amount={amount} />
        </div>
      )),
    kind: "text",
  },
  {
    name: "Sums of the books",
    show: ({ sums }) =>
      sums.map(({ collection, day, amount, payments, invoiceId }) => (
        <div key={`${collection} ${day} ${invoiceId}`}>
          <Outside text={collection} />
          {`, ${day}: `}
          <Money amount={amount} />{" "}
          {invoiceId === null ? `(${countText(payments)} payments)` : <PaymentLink invoiceId={invoiceId} />}
        </div>
      )),
    kind: "text",
  },
  moneyField("Difference", "difference"),
  { name: "Why", show: ({ why }) => why, kind: "wide" },
];
