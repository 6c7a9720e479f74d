import { Command } from "commander";
import { money, moneyIn } from "../../kit/money-text.ts";
import { numberOf, plainText } from "../../kit/text.ts";
import { signatureText } from "../../signing/signature-text.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import type { Columns } from "../table.ts";

export const monthCommand = (context: CommandContext): Command =>
  new Command("month")
    .description("months of the books: close, list, show, reopen")
    .addCommand(
      operationCommand(context, "closeMonth", {
        name: "close",
        options: {
          waiveStatement: "waive-statement <reason>",
          acceptDifferences: "accept-differences <reason>",
        },
        judge: ({ months }) => {
          if (months.some(({ obstacles }) => obstacles.length > 0)) context.fault();
        },
        text: ({ months }) => months.map((month) => closedText(month, context)).join("\n\n"),
      }),
    )
    .addCommand(
      operationCommand(context, "listMonths", {
        name: "list",
        text: ({ months }) =>
          months.length === 0 ? "No month is over since the first serve." : listText(months, context),
      }),
    )
    .addCommand(
      operationCommand(context, "showMonth", {
        name: "show",
        missing: ({ month }) => `${month} was never closed. List months with: invoice-relay month list`,
        text: ({ closings }) => closings.map((closing) => shownText(closing, context)).join("\n\n"),
      }),
    )
    .addCommand(
      operationCommand(context, "reopenMonth", {
        name: "reopen",
        missing: ({ month }) => `${month} is not closed. List months with: invoice-relay month list`,
        text: ({ reopened }, { month }) =>
          `${month} of ${reopened.join(", ")} is open again. Close it with: invoice-relay month close ${month}`,
      }),
    );

type Shown = ResultOf<"showMonth">["closings"][number];
type Sums = Shown["now"];

const SUMS: Columns<Partial<Sums>> = {
  payments: ({ payments }) => payments?.toLocaleString("en-US"),
  amount: ({ amount }) => amount && money(amount),
  "service charge": ({ serviceCharge }) => serviceCharge && money(serviceCharge),
  VAT: ({ vat }) => vat && money(vat),
  total: ({ total }) => total && money(total),
  settleable: ({ settleable }) => settleable && money(settleable),
};

function closedText(
  { source, month, currency, obstacles, all, closing }: ResultOf<"closeMonth">["months"][number],
  context: CommandContext,
): string {
  const sums =
    all === null ? [] : [context.table([{ of: "all", ...all }], { [`in ${currency}`]: "of", ...SUMS })];
  if (closing !== null)
    return [`${month} of ${source} is closed.`, ...sums, signatureText(closing.signature)].join("\n");
  if (obstacles.length === 0)
    return [`Nothing is in the way of closing ${month} of ${source}. This was a dry run.`, ...sums].join(
      "\n",
    );
  const named = obstacles.flatMap(({ code, detail, cure }) => [
    `  ${code}: ${plainText(detail)}`,
    ...(cure === null ? [] : [`    ${plainText(cure)}`]),
  ]);
  return [`${month} of ${source} cannot be closed yet:`, ...named].join("\n");
}

const listText = (months: ResultOf<"listMonths">["months"], context: CommandContext): string =>
  context.table(
    months.map((month) => ({ ...month, ...month.all })),
    {
      ...{ month: "month", source: "source", state: "state", closed: "closedAt", by: "closedBy" },
      ...SUMS,
      currency: "currency",
      changed: ({ state, changed }) => (state === "open" ? null : changed),
    },
  );

const acceptedText = ({ accepted, currency }: Shown["closing"], context: CommandContext): string[] =>
  !accepted
    ? []
    : [
        `Differences accepted: ${plainText(accepted.reason)}`,
        context.table(accepted.differences, {
          day: "day",
          invoice: "invoiceId",
          what: "reason",
          "at the provider": ({ atProvider }) => atProvider && money(atProvider),
          "in the event": ({ inEvent }) => inEvent && money(inEvent),
          currency: () => currency,
        }),
      ];

/** Whatever is not as it was: also a charge, or the collection alone. */
function changeText(
  { before, after }: Pick<Shown["changes"][number], "before" | "after">,
  currency: string,
): string {
  const shownOf = (kept: typeof before, name: keyof NonNullable<typeof before>) =>
    name === "collection" ? plainText(kept?.collection ?? "(no name)") : moneyIn(currency, kept?.[name]);
  const one = after ?? before;
  if (before === null || after === null)
    return `${before === null ? "came" : "left"}: amount ${shownOf(one, "amount")}, settleable ${shownOf(one, "settleable")}`;
  const names = (Object.keys(after) as (keyof typeof after)[]).filter((name) => before[name] !== after[name]);
  return names
    .map((name) => `${WORDS[name] ?? name} ${shownOf(before, name)} to ${shownOf(after, name)}`)
    .join(", ");
}

const WORDS: Readonly<Record<string, string>> = { serviceCharge: "service charge", vat: "VAT" };

function shownText(
  { closing, reopenedAt, reopenedBy, reopenReason, settingsChanged, changed, changes, now }: Shown,
  context: CommandContext,
): string {
  const { month, source, currency, timeZone, closedAt, closedBy, collections, all, statement } = closing;
  const rows = [
    ...collections.map((one) => ({ of: plainText(one.collection ?? "(no name)"), ...one })),
    { of: "all, as closed", ...all },
    ...(changed > 0 ? [{ of: "with what changed", ...now }] : []),
  ];
  return [
    `${month} of ${source} (days of ${timeZone}), closed ${closedAt} by ${closedBy}`,
    ...(reopenedAt === null
      ? []
      : [`Reopened ${reopenedAt.toISOString()} by ${reopenedBy}: ${plainText(reopenReason ?? "")}`]),
    statement.matchIds === null
      ? `Without a bank statement: ${plainText(statement.waived)}`
      : `Bank statement matched: ${statement.matchIds.join(", ")}`,
    `Certificates: ${closing.certificateIds.join(", ")}`,
    ...settingsChanged.map(
      ({ setting, closed, now }) => `Closed with ${setting}=${closed}, which is ${now || "none"} now.`,
    ),
    ...acceptedText(closing, context),
    signatureText(closing.signature),
    "",
    context.table(rows, { [`in ${currency}`]: "of", ...SUMS }),
    ...(changes.length === 0
      ? []
      : [
          "",
          `Changed since (${numberOf(changed, "payment")}${changes.length === changed ? "" : `, ${numberOf(changes.length, "change")} listed`}):`,
          context.table(changes, {
            when: "changedAt",
            invoice: "invoiceId",
            what: (change) => changeText(change, currency),
          }),
        ]),
  ].join("\n");
}
