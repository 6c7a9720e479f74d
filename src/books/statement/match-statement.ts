import { createHash } from "node:crypto";
import { audit } from "../../alarms/audit.ts";
import type { Database } from "../../database/tables.ts";
import { bookPeriod } from "../../kit/book-days.ts";
import { usageError } from "../../kit/errors.ts";
import { newId } from "../../kit/ids.ts";
import { addDays } from "../../kit/time.ts";
import type { BookSource } from "../book-source.ts";
import { readPayments } from "../report/read-payments.ts";
import { type Encoding, refuseSize, STATEMENT_BYTES } from "./decode-statement.ts";
import { furthestBack, isLeftOver, keyOfSum, type Match, type SettleableSum } from "./matching.ts";
import { settleableSums } from "./settleable-sums.ts";
import type { MappingGiven } from "./statement-columns.ts";
import {
  insertStatementMatch,
  listStatementMatches,
  readCarried,
  rememberedMappings,
  type StatementMatch,
} from "./statement-match-row.ts";
import { StatementThread } from "./statement-thread.ts";

export interface MatchRequest {
  source: BookSource;
  fileName: string;
  /** The file, as it comes. */
  file: AsyncIterable<Uint8Array>;
  /** What was said of its columns and forms. */
  given: MappingGiven;
  /** Days of the bank, YYYY-MM-DD; the first and last of the statement when left out. */
  from?: string | undefined;
  to?: string | undefined;
  /** The collection's name, as it appears in invoices; all of the source's when left out. */
  collection?: string | undefined;
  /** How many days after the payment its settlement may be booked; null: as its frequency says. */
  days: number | null;
  keepDuplicates: boolean;
  actor: string;
}

export interface MatchDone extends StatementMatch {
  encoding: Encoding;
  remembered: boolean;
  left: Match[];
  /** When this very file was matched last, and whether that came to the same; null when it never was. */
  before: { id: string; madeAt: Date; madeBy: string; isSame: boolean } | null;
}

const SUMS_AT_ONCE = 1_000;

/**
 * Matches a bank's statement with what was to be settled, and keeps the result. The same file with the same mapping
 * comes to the same, as long as the books and the statement before it are the same. Audited.
 * @param onProgress called with how many payments have been read.
 * @throws RelayError that says what is wrong with the file or the period; nothing is kept then.
 */
export async function matchStatement(
  db: Database,
  request: MatchRequest,
  onProgress: (payments: number) => void,
): Promise<MatchDone> {
  const { source, given, collection = null, days, keepDuplicates, actor, fileName } = request;
  const { bytes, sha256: fileSha256 } = await readAll(request.file);
  await using thread = new StatementThread();
  const remembered = await rememberedMappings(db, source.name);
  const read = await thread.read({
    bytes,
    given,
    remembered,
    books: { currency: source.currency, zone: source.zone },
  });
  const { from, to } = periodOf(request, read);
  const carried = await readCarried(db, { source: source.name, collection, to: addDays(from, -1) });
  const counted = async function* () {
    let payments = 0;
    const period = bookPeriod(addDays(from, -furthestBack(days)), to, source.zone);
    const asked = { source, forSums: true, ...(collection !== null && { collection }), ...period };
    for await (const payment of readPayments(db, asked)) {
      payments += 1;
      onProgress(payments);
      yield payment;
    }
  };
  let withoutAmount = 0;
  const onUnknown = () => {
    withoutAmount += 1;
  };
  let sums: SettleableSum[] = [];
  for await (const sum of settleableSums(counted(), onUnknown)) {
    if (sum.day < from && carried?.has(keyOfSum(sum)) === false) continue;
    if (sums.push(sum) < SUMS_AT_ONCE) continue;
    thread.add(sums);
    sums = [];
  }
  thread.add(sums);
  const options = { days, from, to, keepDuplicates, carriesOver: carried !== null };
  const { states, outside, left, sha256 } = await thread.match(options);
  const [earlier] = await listStatementMatches(db, { source: source.name, fileSha256 }, 1);
  const made = {
    ...{ id: newId(), madeBy: actor, source: source.name, collection, from, to, days, keepDuplicates },
    ...{ timeZone: source.zone, currency: source.currency, fileName, fileSha256 },
    ...{ resultSha256: sha256, mapping: read.mapping },
    clean: withoutAmount === 0 && !states.some(({ state }) => isLeftOver(state)),
    figures: {
      states,
      others: read.others,
      undated: read.undated,
      undatedLines: read.undatedLines,
      outside,
      withoutAmount,
    },
  } satisfies Partial<StatementMatch>;
  const { clean, figures } = made;
  const detail = { from, to, collection, fileName, fileSha256, clean, ...figures };
  const madeAt = await db.transaction().execute(async (trx) => {
    await audit(trx, [{ actor, action: "statement.match", subject: made.id, invoiceId: null, detail }]);
    return await insertStatementMatch(trx, made, thread.items());
  });
  return {
    ...{ ...made, madeAt, encoding: read.encoding, remembered: read.remembered, left },
    before: earlier === undefined ? null : { ...earlier, isSame: gist(earlier) === gist(made) },
  };
}

/** The whole file, which is bounded, and its digest in hex. @throws RelayError when it is larger. */
async function readAll(file: AsyncIterable<Uint8Array>): Promise<{ bytes: Uint8Array; sha256: string }> {
  const digest = createHash("sha256");
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of file) {
    size += part.length;
    if (size > STATEMENT_BYTES) throw refuseSize();
    digest.update(part);
    parts.push(part);
  }
  return { bytes: Buffer.concat(parts), sha256: digest.digest("hex") };
}

/** @throws RelayError when the statement has nothing of the period. */
function periodOf(
  given: { from?: string | undefined; to?: string | undefined },
  statement: { from: string; to: string },
): { from: string; to: string } {
  const { from = statement.from, to = statement.to } = given;
  if (from <= to && statement.from <= to && statement.to >= from) return { from, to };
  throw usageError(
    `The statement is of ${statement.from} to ${statement.to}: it has no line of the days that were asked for.`,
  );
}

/** What is the same where a file was matched with the same outcome. */
const gist = (match: Omit<StatementMatch, "madeAt">): string => {
  const { from, to, collection, days, keepDuplicates, resultSha256, mapping } = match;
  return JSON.stringify([from, to, collection, days, keepDuplicates, resultSha256, mapping]);
};
