import { addDays } from "../../../kit/time.ts";
import { signatureText } from "../../../signing/signature-text.ts";
import { post } from "../api/client.ts";
import type { KnownMonth, ShownClosing } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { numberOf } from "../kit/text.ts";
import { ActButton } from "../parts/acts.tsx";
import { countField, Facts, type Field, moneyField, Table, textField, timeField } from "../parts/fields.tsx";
import { Answered, Empty, PageHead, Section } from "../parts/page.tsx";
import { Badge, Money, Outside, PaymentLink, ShortId, Time } from "../parts/values.tsx";
import type { Tone } from "../parts/words.ts";
import { CloseForm } from "./close-form.tsx";
import { monthsBefore } from "./day-state.ts";
import { ProofForm } from "./proof-form.tsx";

/** The books of one month, of each source: how it is closed, and how it was. @param month YYYY-MM */
export function MonthPage({ month }: { month: string }) {
  const answer = useAnswer("/months", { query: {} });
  const first = `${month}-01`;
  const last = addDays(monthsBefore(first, -1), -1);
  return (
    <>
      <PageHead
        title={monthText(month)}
        above={{ to: "completeness", name: "Completeness" }}
        says="What finance closes: once it is closed, each later change is an addendum."
      />
      <Answered answer={answer} what="months">
        {({ months }) => {
          const own = months.filter((one) => one.month === month);
          if (own.length > 0)
            return (
              <>
                {own.map((one) => (
                  <Books key={one.source} {...one} onDone={answer.reload} />
                ))}
                {own.some(({ state }) => state === "open") && (
                  <Section title="Prove or heal this month">
                    <ProofForm from={first} to={last} isFixed onDone={answer.reload} />
                  </Section>
                )}
              </>
            );
          return (
            <Empty title="It cannot be closed.">
              <p>It is not over, or was over before the relay was first served.</p>
            </Empty>
          );
        }}
      </Answered>
    </>
  );
}

function Books({ onDone, ...known }: KnownMonth & { onDone: () => void }) {
  const { source, month, state, changed, closings } = known;
  return (
    <Section title={`Source ${source}`} aside={<MonthBadge month={known} />}>
      {state === "open" && <CloseForm source={source} month={month} onDone={onDone} />}
      {closings > 0 && <Closings key={`${state} ${changed} ${closings}`} {...{ source, month, onDone }} />}
    </Section>
  );
}

function Closings({ source, month, onDone }: { source: string; month: string; onDone: () => void }) {
  const answer = useAnswer("/months/{month}", { path: { month }, query: { source } });
  return (
    <Answered answer={answer} what="its closing">
      {({ closings }) =>
        closings.map((shown) => (
          <div key={shown.closing.id} class="stack section">
            <Facts of={shown} fields={FACTS} />
            {shown.reopenedAt === null && (
              <div>
                <ActButton
                  operation="reopenMonth"
                  title={`Reopen ${month}`}
                  label={`Reopen ${month} of ${source}`}
                  question={`Reopen ${month} of ${source}?`}
                  says="Its closing and addendum are kept. Later changes are noted again once it is closed again."
                  action="Reopen"
                  run={async (reason = "") => {
                    await post("/months/{month}/reopen", { path: { month }, body: { source, reason } });
                    onDone();
                    return `${month} of ${source} is open again.`;
                  }}
                />
              </div>
            )}
            <SumsTable {...shown} />
            {shown.changed > 0 && <Addendum {...shown} />}
          </div>
        ))
      }
    </Answered>
  );
}

const FACTS: readonly Field<ShownClosing>[] = [
  {
    name: "Closed",
    show: ({ closing: { closedAt, closedBy } }) => (
      <>
        <Time at={closedAt} as="full" /> by <Outside text={closedBy} />
      </>
    ),
  },
  {
    name: "Reopened",
    show: ({ reopenedAt, reopenedBy, reopenReason }) =>
      reopenedAt && (
        <>
          <Time at={reopenedAt} as="full" /> by <Outside text={reopenedBy} />: <Outside text={reopenReason} />
        </>
      ),
  },
  { name: "Days in", show: ({ closing }) => closing.timeZone.replaceAll("_", " ") },
  {
    name: "Bank statement",
    show: ({ closing: { statement } }) =>
      statement.matchIds === null ? (
        <>
          waived: <Outside text={statement.waived} />
        </>
      ) : (
        statement.matchIds.map((id) => (
          <Link key={id} to={`completeness/statements/${id}`}>
            <ShortId id={id} />{" "}
          </Link>
        ))
      ),
  },
  {
    name: "Settings then",
    show: ({ settingsChanged }) =>
      settingsChanged.length > 0 &&
      settingsChanged.map(({ setting, closed, now }) => (
        <div key={setting}>{`${setting} was ${closed}, is ${now || "none"} now`}</div>
      )),
  },
  { name: "Signature", show: ({ closing }) => signatureText(closing.signature) },
];

function SumsTable({ closing: { collections, all, currency }, now, changed }: ShownClosing) {
  const rows = [
    ...collections.map(({ collection, ...sums }) => ({ what: collection ?? "no collection", ...sums })),
    { what: "All, as closed", ...all },
    ...(changed > 0 ? [{ what: "With the addendum", ...now }] : []),
  ];
  const money = (name: string, key: "amount" | "serviceCharge" | "vat" | "settleable") =>
    moneyField(`${name}, ${currency}`, key, { phone: "away" });
  const fields: readonly Field<(typeof rows)[number]>[] = [
    textField("Of", "what", { phone: "lead" }),
    countField("Payments", "payments", { phone: "away" }),
    money("Amount", "amount"),
    money("Service charge", "serviceCharge"),
    money("VAT", "vat"),
    money("Settleable", "settleable"),
    {
      name: "Total",
      show: ({ total }) => (
        <>
          <Money amount={total} /> {currency}
        </>
      ),
      kind: "number",
      phone: "side",
    },
  ];
  return <Table caption="Its sums" fields={fields} rows={rows} keyOf={({ what }) => what} />;
}

const KEPT = [
  ["amount", "amount"],
  ["serviceCharge", "service charge"],
  ["vat", "VAT"],
  ["settleable", "settleable"],
  ["total", "total"],
] as const;

/** Whatever is not as it was: also a charge, or the collection alone. */
function WhatChanged({ before, after }: ShownClosing["changes"][number]) {
  const one = after ?? before;
  if (one === null) return null;
  if (before === null || after === null)
    return (
      <>
        {before === null ? "it came: total " : "it is none of the month any more: total "}
        <Money amount={one.total} />
      </>
    );
  return (
    <>
      {before.collection !== after.collection && (
        <div>
          collection was <Outside text={before.collection} />, is <Outside text={after.collection} />
        </div>
      )}
      {KEPT.filter(([name]) => before[name] !== after[name]).map(([name, word]) => (
        <div key={name}>
          {word} was <Money amount={before[name]} />, is <Money amount={after[name]} />
        </div>
      ))}
    </>
  );
}

function Addendum({ closing: { currency }, changes, changed }: ShownClosing) {
  return (
    <>
      <h3>
        {`Addendum: ${numberOf(changed, "payment")} changed since`}
        {changes.length !== changed && `, ${numberOf(changes.length, "change")} listed`}
      </h3>
      <Table
        caption="Addendum, the oldest first"
        fields={[
          { name: "Payment", show: (change) => <PaymentLink {...change} />, phone: "lead" },
          timeField("Changed", "changedAt", { phone: "side" }),
          { name: `What, ${currency}`, show: (change) => <WhatChanged {...change} />, kind: "wide" },
        ]}
        rows={changes}
        keyOf={({ invoiceId, changedAt }) => `${invoiceId} ${changedAt}`}
      />
    </>
  );
}

export const monthText = (month: string): string =>
  new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01`),
  );

const MONTH_STATES: Readonly<Record<KnownMonth["state"], readonly [tone: Tone, word: string]>> = {
  open: ["plain", "open"],
  closed: ["good", "closed"],
  changed: ["wait", "changed since"],
};

export function MonthBadge({ month: { state } }: { month: KnownMonth }) {
  const [tone, word] = MONTH_STATES[state];
  return <Badge state={state} tone={tone} as={word} />;
}
