import { useState } from "preact/hooks";
import { may, post } from "../api/client.ts";
import type { ClosingResult } from "../api/types.ts";
import { Link } from "../kit/router.tsx";
import { numberOf } from "../kit/text.ts";
import { Fields, type FormField, useTask } from "../parts/form.tsx";
import { sayHere } from "../parts/here.ts";
import { notify, Problem } from "../parts/page.tsx";
import { Button, Money, Outside } from "../parts/values.tsx";

type Obstacle = ClosingResult["obstacles"][number];

/** What cures an obstacle here, and where; of any other its command is shown. */
const CURES: Readonly<Partial<Record<Obstacle["code"], readonly [says: string, to?: string]>>> = {
  no_certificate: ["Certify the month below."],
  not_equal: ["Open the day; reconcile what is missing, then certify the month below.", "completeness"],
  provisional: ["Certify the month again below."],
  changed_since_certificate: ["Certify the month again below."],
  dead_letters: ["Open the dead letters", "attention/dead"],
  quarantine: ["Open the quarantine", "attention/quarantine"],
  no_statement: ["Match a bank statement", "completeness/statements"],
  statement_not_matched: ["Open the bank statements", "completeness/statements"],
};

const OF_STATEMENT: readonly Obstacle["code"][] = ["no_statement", "statement_not_matched"];

const WAIVER: FormField = {
  name: "waiver",
  label: "Close without a bank statement, because",
  kind: "lines",
  hint: "goes to the audit log",
  input: { maxLength: 500 },
};

/** Closes a month in two steps: first everything that is in the way is named. @param month YYYY-MM */
export function CloseForm({ source, month, onDone }: { source: string; month: string; onDone: () => void }) {
  const [waiver, setWaiver] = useState("");
  const [looked, setLooked] = useState<ClosingResult | null>(null);
  const { isBusy, problem, run } = useTask();
  if (!may("closeMonth")) return <p>To close a month takes a token of role operate.</p>;

  const send = async (dryRun: boolean) => {
    const body = { source, dryRun, waiveStatement: waiver.trim() || undefined };
    const [result = null] = (await post("/months/{month}/close", { path: { month }, body })).months;
    setLooked(result);
    if (result === null || result.closing === null) return;
    notify(`${month} of ${source} is closed.`);
    onDone();
  };
  const isClear = looked?.obstacles.length === 0;
  const asksWaiver = waiver !== "" || looked?.obstacles.some(({ code }) => OF_STATEMENT.includes(code));
  return (
    <div class="stack">
      {looked !== null && (
        <div role="status">
          {isClear ? (
            <p>
              Nothing is in the way: {numberOf(looked.all?.payments ?? 0, "payment")}, in all{" "}
              <Money amount={looked.all?.total ?? null} /> {looked.currency}.
            </p>
          ) : (
            <ul class="lined" aria-label={`In the way of closing ${month} of ${source}`}>
              {looked.obstacles.map((obstacle) => (
                <li key={obstacle.detail}>
                  <Outside text={sayHere(obstacle.detail)} />
                  <div>
                    <Cure obstacle={obstacle} />
                  </div>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {asksWaiver && (
        <Fields
          of={[WAIVER]}
          values={{ waiver }}
          onInput={(_name, text) => {
            setWaiver(text);
            if (isClear) setLooked(null);
          }}
        />
      )}
      {problem !== null && <Problem problem={problem} />}
      <div class="row">
        <Button
          is="is-primary"
          label={`${isClear ? "Close it now:" : "Close"} ${month} of ${source}`}
          disabled={isBusy}
          onClick={() => void run(() => send(!isClear))}
        >
          {isBusy ? "Looking…" : isClear ? "Close it now" : `Close ${month}`}
        </Button>
      </div>
    </div>
  );
}

function Cure({ obstacle: { code, cure } }: { obstacle: Obstacle }) {
  // Where no command cures it, the words are about settings.
  const [says, to] = (cure?.includes("invoice-relay") ? CURES[code] : undefined) ?? [];
  if (says === undefined) return cure === null ? null : <code>{cure}</code>;
  return to === undefined ? says : <Link to={to}>{says}</Link>;
}
