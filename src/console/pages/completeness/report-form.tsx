import { useState } from "preact/hooks";
import type { CallInput, OperationAt } from "../../../api/calls.ts";
import { urlOf } from "../api/client.ts";
import { may } from "../api/session.ts";
import { Choice, CollectionChoice, Input, SourceChoice } from "../parts/filters.tsx";
import { Section } from "../parts/page.tsx";
import { Icon } from "../parts/values.tsx";

type Asked = CallInput<OperationAt<"get", "/reports/{report}">>;
type Report = Asked["path"]["report"];

/** What a report has a row for, besides its totals. */
const REPORTS: Readonly<Record<Report, string>> = {
  payments: "every payment",
  days: "each day",
  collections: "each collection",
  methods: "each payment method",
  beneficiaries: "each beneficiary",
  differences: "each difference",
};

interface ReportFormProps {
  /** What the fields begin with; YYYY-MM-DD. */
  from: string;
  to: string;
}

/** The payments of a period as a table for finance. */
export function ReportForm({ from: first, to: last }: ReportFormProps) {
  const [report, setReport] = useState<Report>("payments");
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const [collection, setCollection] = useState("");
  const [source, setSource] = useState("");
  if (!may("exportReport")) return null;
  const isBad = from === "" || to === "" || from > to;
  const linkTo = (format: "csv" | "xlsx") => {
    const query = { from, to, format, collection: collection || undefined, source: source || undefined };
    return `/admin/v1${urlOf("/reports/{report}", { path: { report }, query })}`;
  };
  return (
    <Section title="Reports for finance">
      <div class="fields">
        <Choice
          label="A row for"
          value={report}
          any={null}
          choices={Object.entries(REPORTS)}
          onChange={(chosen) => setReport(chosen as Report)}
        />
        <Input label="First day" type="date" value={from} onInput={setFrom} max={to} />
        <Input label="Last day" type="date" value={to} onInput={setTo} />
        <CollectionChoice label="Collection" value={collection} onChange={setCollection} />
        <SourceChoice label="Source" value={source} onChange={setSource} />
        {!isBad && (
          <div class="row">
            {(["csv", "xlsx"] as const).map((format) => (
              <a key={format} class="button" href={linkTo(format)} download>
                <Icon name="download" />
                {format === "csv" ? "CSV" : "Excel"}
              </a>
            ))}
          </div>
        )}
      </div>
      <p class="quiet">
        By day of payment, in the zone of the books (BOOKS_TIME_ZONE).
        {isBad && " The first day stands before the last."}
      </p>
    </Section>
  );
}
