import type { CallInput, OperationAt } from "../../../admin-api/open-api.ts";
import { may, urlOf } from "../api/client.ts";
import { Fields, type FormField, useValues } from "../parts/form.tsx";
import { Section } from "../parts/page.tsx";
import { Download } from "../parts/values.tsx";

type Report = CallInput<OperationAt<"get", "/reports/{report}">>["path"]["report"];

/** The rows of a report, besides its totals. */
const REPORTS: Readonly<Record<Report, string>> = {
  payments: "every payment",
  days: "each day and collection",
  differences: "each difference",
};

const FORMATS = { csv: "CSV", xlsx: "Excel" };

const FIELDS: readonly FormField[] = [
  { name: "report", label: "A row for", kind: "choice", isChosen: true, choices: Object.entries(REPORTS) },
  { name: "from", label: "First day", kind: "date" },
  { name: "to", label: "Last day", kind: "date" },
  { name: "collection", label: "Collection", kind: "text" },
  { name: "source", label: "Source", kind: "source" },
];

/** @param first the first values of the fields; YYYY-MM-DD. */
export function Reports({ first }: { first: { from: string; to: string } }) {
  const { values, onInput } = useValues({ report: "payments", ...first });
  if (!may("exportReport")) return null;
  const { report, from = "", to = "", collection, source } = values;
  const isBad = from === "" || to === "" || from > to;
  return (
    <Section title="Reports for finance">
      <div class="fields">
        <Fields of={FIELDS} values={values} onInput={onInput} />
        {!isBad &&
          Object.entries(FORMATS).map(([format, name]) => (
            <Download
              key={format}
              path={urlOf("/reports/{report}", {
                path: { report },
                query: { from, to, collection, source, format },
              })}
            >
              {name}
            </Download>
          ))}
      </div>
      <p class="quiet">
        By day of payment, in the zone of the books (BOOKS_TIME_ZONE).
        {isBad && " The first day comes before the last."}
      </p>
    </Section>
  );
}
