import { useEffect, useRef, useState } from "preact/hooks";
import type { Reconciled } from "../../../../operations/list/results.ts";
import { RECONCILED } from "../../../../operations/views/proof.ts";
import type { Certificate } from "../../../../pipeline/reconcile/certificate/certificate.ts";
import type { Unread } from "../../../../pipeline/reconcile/on-request.ts";
import type { CallInput, OperationAt } from "../../../admin-api/open-api.ts";
import { may, type Progress, postLines, urlOf } from "../api/client.ts";
import { numberOf } from "../kit/text.ts";
import { ActButton } from "../parts/acts.tsx";
import { Fields, type FormField, useTask, useValues } from "../parts/form.tsx";
import { fieldsOf, readForm } from "../parts/operations.ts";
import { Problem, ProgressShown, Section } from "../parts/page.tsx";
import { Button, Download } from "../parts/values.tsx";

interface ProofFormProps {
  /** The first values of the fields; YYYY-MM-DD. */
  from: string;
  to: string;
  /** Whose days they are. */
  zone?: string;
  /** The days are settled: no fields. */
  isFixed?: boolean;
  onDone: () => void;
}

/** Certifies or reconciles a period, with progress, as far as the session's role allows. */
export function ProofForm({ from: first, to: last, zone = "", isFixed = false, onDone }: ProofFormProps) {
  const { values, onInput } = useValues({ from: first, to: last });
  const { from = "", to = "" } = values;
  const [said, setSaid] = useState<string | null>(null);
  const [work, setWork] = useState<Work>("certify");
  const [progress, setProgress] = useState<Progress | null>(null);
  const { isBusy, problem, run } = useTask();
  // The relay goes on when the page is left.
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  if (!may("certify") && !may("reconcile"))
    return <p>To certify or reconcile takes a token of role operate.</p>;

  const start = (wanted: Work, given: object = {}) => {
    setWork(wanted);
    setProgress(null);
    setSaid(null);
    void run(async () => {
      const body = { from, to, ...given };
      const result = await postLines(`/${wanted}`, { body }, setProgress, leaving.current.signal);
      setSaid(
        wanted === "certify"
          ? certifiedWords(result as (Certificate | Unread)[])
          : (RECONCILED.says?.(result as Reconciled) ?? null),
      );
      onDone();
    });
  };
  const isBad = from === "" || to === "" || from > to;
  return (
    <div class="fields">
      {!isFixed && (
        <Fields
          of={[
            { name: "from", label: "First day", kind: "date", hint: zone, input: { max: to } },
            { name: "to", label: "Last day", kind: "date", hint: zone, input: { max: last } },
          ]}
          values={values}
          onInput={onInput}
        />
      )}
      <div class="row">
        <ActButton
          operation="reconcile"
          title="Reconcile"
          isDisabled={isBusy || isBad}
          question={`Reconcile ${from === to ? from : `${from} to ${to}`}?`}
          fields={() => PUBLISH}
          run={async (reason, values) => {
            start("reconcile", { reason, ...readForm(PUBLISH, values) });
            return "Reconciling; it goes on when you leave this page.";
          }}
        />
        {may("certify") && (
          <Button is="is-primary" disabled={isBusy || isBad} onClick={() => start("certify")}>
            Certify
          </Button>
        )}
      </div>
      <div class="stack is-wide quiet" role="status">
        {isBusy && <ProgressShown of={progress} label={work === "certify" ? "Certifying" : "Reconciling"} />}
        {said !== null && <p>{said}</p>}
      </div>
      {problem !== null && <Problem problem={problem} />}
    </div>
  );
}

type Work = "certify" | "reconcile";

const PUBLISH = fieldsOf("reconcile", ["publish"]);

/** The results of the sources that could be read, and the names of the others. */
function certifiedWords(results: readonly (Certificate | Unread)[]): string {
  const failed = results.flatMap((one) =>
    "error" in one ? `${one.source} failed: ${one.error.message} ` : [],
  );
  const certificates = results.filter((one): one is Certificate => !("error" in one));
  return failed.join("") + provenWords(certificates);
}

function provenWords(certificates: readonly Pick<Certificate, "result" | "gaps">[]): string {
  const gaps = certificates.reduce((sum, certificate) => sum + certificate.gaps, 0);
  if (certificates.some(({ result }) => result === "refused"))
    return "Refused: the lists contradict themselves, so nothing is proven. Try again later.";
  if (gaps > 0) return `Not equal: ${numberOf(gaps, "payment is", "payments are")} missing.`;
  return certificates.every(({ result }) => result === "equal")
    ? "Equal: every payment of the period came through."
    : "Not equal: nothing is missing, but something could hide money.";
}

type Asked = CallInput<OperationAt<"get", "/reports/{report}">>;
type Report = Asked["path"]["report"];

/** The rows of a report, besides its totals. */
const REPORTS: Readonly<Record<Report, string>> = {
  payments: "every payment",
  days: "each day and collection",
  differences: "each difference",
};

/** @param from and @param to the first values of the fields; YYYY-MM-DD. */
export function ReportForm({ from: first, to: last }: { from: string; to: string }) {
  const { values, onInput } = useValues({ report: "payments", from: first, to: last });
  if (!may("exportReport")) return null;
  const { report, from = "", to = "", collection, source } = values;
  const isBad = from === "" || to === "" || from > to;
  const query = { from, to, collection, source };
  return (
    <Section title="Reports for finance">
      <div class="fields">
        <Fields of={fieldsTo(to)} values={values} onInput={onInput} />
        {!isBad && (
          <div class="row">
            {Object.entries(FORMATS).map(([format, name]) => (
              <Download
                key={format}
                path={urlOf("/reports/{report}", { path: { report }, query: { ...query, format } })}
              >
                {name}
              </Download>
            ))}
          </div>
        )}
      </div>
      <p class="quiet">
        By day of payment, in the zone of the books (BOOKS_TIME_ZONE).
        {isBad && " The first day comes before the last."}
      </p>
    </Section>
  );
}

const FORMATS = { csv: "CSV", xlsx: "Excel" };

const fieldsTo = (to: string): readonly FormField[] => [
  { name: "report", label: "A row for", kind: "choice", any: null, choices: Object.entries(REPORTS) },
  { name: "from", label: "First day", kind: "date", input: { max: to } },
  { name: "to", label: "Last day", kind: "date" },
  { name: "collection", label: "Collection", kind: "text" },
  { name: "source", label: "Source", kind: "source" },
];
