import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { RelayError } from "../../kit/errors.ts";
import { sumOfMoney } from "../../provider/provider.ts";
import { type MatchOptions, matchSettlements } from "./match-settlements.ts";
import { ITEMS_AT_ONCE, isLeftOver, type Match, type SettleableSum, STATES } from "./matching.ts";
import { readStatement, type Statement } from "./read-statement.ts";
import type { KeptMatch, StateFigures } from "./statement-match-row.ts";
import { type Asked, type Matched, NAMED, type StatementRead } from "./statement-thread.ts";

// What `StatementThread` runs in its thread, for one statement.

let statement: Statement | undefined;
const sums: SettleableSum[] = [];
const items: string[] = [];

parentPort?.on("message", (asked: Asked) => {
  if ("sums" in asked) return void sums.push(...asked.sums);
  if ("part" in asked) return void parentPort?.postMessage({ text: items[asked.part] ?? null });
  try {
    parentPort?.postMessage("options" in asked ? match(asked.options) : read(asked));
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    parentPort?.postMessage({ refused: error.message });
  }
});

function read({ bytes, given, remembered, books }: Extract<Asked, { bytes: unknown }>): StatementRead {
  statement = readStatement(bytes, given, remembered, books);
  return { ...statement, lines: statement.lines.length };
}

function match(options: MatchOptions): Matched {
  const lines = statement?.lines ?? [];
  const matches = matchSettlements(lines, sums, options);
  const digest = createHash("sha256");
  for (let at = 0; at < matches.length; at += ITEMS_AT_ONCE) {
    const text = JSON.stringify(matches.slice(at, at + ITEMS_AT_ONCE).map(kept));
    digest.update(`${text}\n`);
    items.push(text);
  }
  return {
    states: STATES.map((state) => figuresOf(state, matches)).filter(({ lines, sums }) => lines + sums > 0),
    outside: lines.filter(({ day }) => day < options.from || day > options.to).length,
    left: matches.filter(({ state }) => isLeftOver(state)).slice(0, NAMED),
    sha256: digest.digest("hex"),
  };
}

/** Without the bank's texts, and without the merchant's references: both may name people. */
const kept = ({ lines, sums, ...match }: Match): KeptMatch => ({
  ...match,
  lines: lines.map(({ line, day, amount }) => ({ line, day, amount })),
  sums: sums.map(({ reference: _, ...sum }) => sum),
});

function figuresOf(state: StateFigures["state"], matches: readonly Match[]): StateFigures {
  const own = matches.filter((match) => match.state === state);
  const [lines, sums] = [own.flatMap((match) => match.lines), own.flatMap((match) => match.sums)];
  return {
    state,
    lines: lines.length,
    lineAmount: sumOfMoney(lines.map(({ amount }) => amount)),
    sums: sums.length,
    payments: sums.reduce((all, { payments }) => all + payments, 0),
    sumAmount: sumOfMoney(sums.map(({ amount }) => amount)),
  };
}
