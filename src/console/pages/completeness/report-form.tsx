import type { CallInput, OperationAt } from "../../../api/calls.ts";
import { may, urlOf } from "../api/client.ts";
import { Fields, type FormField, useValues } from "../parts/form.tsx";
import { Section } from "../parts/page.tsx";
import { Download } from "../parts/values.tsx";

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
  const { values, onInput } = useValues({ report: "payments", from: first, to: last });
  if (!may("exportReport")) return null;
  const { report, from = "", to = "", collection, source } = values;
  const isBad = from === "" || to === "" || from > to;
  const query = { from, to, collection, source };
  return (
    <Section title="Reports for finance">
      <div class="fields">
        <Fields of={fieldsTo(to)} values={values} onInput={onInput} />
        {!isBad && <Downloads path={urlOf("/reports/{report}", { path: { report }, query })} />}
      </div>
      <p class="quiet">
        By day of payment, in the zone of the books (BOOKS_TIME_ZONE).
        {isBad && " The first day stands before the last."}
      </p>
    </Section>
  );
}

const fieldsTo = (to: string): readonly FormField[] => [
  { name: "report", label: "A row for", kind: "choice", any: null, choices: Object.entries(REPORTS) },
  { name: "from", label: "First day", kind: "date", input: { max: to } },
  { name: "to", label: "Last day", kind: "date" },
  { name: "collection", label: "Collection", kind: "collection" },
  { name: "source", label: "Source", kind: "source" },
];

/** A report of the admin API as either kind of file. @param path with its query, if it has one. */
export const Downloads = ({ path }: { path: string }) => (
  <div class="row">
    {(["csv", "xlsx"] as const).map((format) => (
      <Download key={format} path={`${path}${path.includes("?") ? "&" : "?"}format=${format}`}>
        {format === "csv" ? "CSV" : "Excel"}
      </Download>
    ))}
  </div>
);
