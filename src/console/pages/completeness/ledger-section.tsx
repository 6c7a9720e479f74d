import { findingText } from "../../../ledger/finding-text.ts";
import type { Ledger } from "../api/types.ts";
import { useAnswer } from "../api/use-answer.ts";
import { countText } from "../kit/text.ts";
import { type Field, Table, timeField } from "../parts/fields.tsx";
import { Answered, Copy, Section } from "../parts/page.tsx";
import { Badge, Outside, ShortId, Time } from "../parts/values.tsx";

/** What an outsider can check the tables against: each tree, and what its last check found. */
export function LedgerSection() {
  const answer = useAnswer("/ledger", { query: {} });
  return (
    <Section title="Ledger">
      <Answered answer={answer} what="the ledger">
        {({ roots, signingKeyId, lastCheck }) => (
          <div class="stack">
            <p>
              {signingKeyId === null ? (
                <Badge state="unsigned" tone="wait" as="unsigned: no LEDGER_SIGNING_KEY" />
              ) : (
                <>
                  Certificates and roots are signed by key <code>{signingKeyId}</code>.
                </>
              )}
            </p>
            <Checked lastCheck={lastCheck} />
            {roots.length === 0 ? (
              <p class="quiet">It has no leaf yet: what is new is taken in each minute.</p>
            ) : (
              <Table
                caption="Trees of the ledger"
                fields={FIELDS}
                rows={roots}
                keyOf={({ source }) => source}
              />
            )}
          </div>
        )}
      </Answered>
    </Section>
  );
}

const FIELDS: readonly Field<Ledger["roots"][number]>[] = [
  {
    name: "Tree",
    show: ({ source }) => (source === "*" ? "of no source: acts" : source),
    phone: "lead",
  },
  { name: "Leaves", show: ({ size }) => countText(Number(size)), kind: "number", phone: "side" },
  {
    name: "Root",
    show: ({ root, source }) => (
      <span class="id">
        <ShortId id={root} />
        <Copy text={root} what={`the root of ${source}`} />
      </span>
    ),
  },
  timeField("Last leaf", "at"),
];

/** The daily check: of what was new, or of everything. */
function Checked({ lastCheck }: Pick<Ledger, "lastCheck">) {
  if (lastCheck === null) return <p class="quiet">It was not verified yet: that is done daily.</p>;
  const { at, whole, wholeAt, rows, findings, findingsInAll } = lastCheck;
  return (
    <>
      <p>
        <Badge
          state="ledger"
          tone={findingsInAll === 0 ? "good" : "bad"}
          as={
            findingsInAll === 0
              ? "consistent with itself"
              : `not as the ledger has it: ${countText(findingsInAll)}`
          }
        />{" "}
        Verified <Time at={at} />: {countText(rows)} rows, {whole ? "everything" : "what was new"}
        {!whole && (
          <>
            ; everything <Time at={wholeAt} />
          </>
        )}
        .
      </p>
      {findings.length > 0 && (
        <ul class="lined">
          {findings.map((finding) => (
            <li key={`${finding.source} ${findingText(finding)}`}>
              <Outside text={`${finding.source}: ${findingText(finding)}`} />
            </li>
          ))}
          {findingsInAll > findings.length && (
            <li>
              and {countText(findingsInAll - findings.length)} more, which{" "}
              <code>invoice-relay ledger verify</code> names
            </li>
          )}
        </ul>
      )}
    </>
  );
}
