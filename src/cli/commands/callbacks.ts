import { Command } from "commander";
import { indentedJson } from "../../kit/json.ts";
import { plainText } from "../../kit/text.ts";
import { clock } from "../../kit/time.ts";
import { callbackOperations } from "../../operate/operations/callbacks.ts";
import { whyRefused } from "../../receive/log/own-verdict.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { noneText } from "../option-values.ts";
import { table } from "../table.ts";

/** The log of callbacks, and what became of each. */
export const callbacksCommand = (context: CommandContext): Command =>
  new Command("callbacks")
    .description("callbacks that came in, and what became of each: list, show")
    .addCommand(list(context))
    .addCommand(show(context));

type Listed = ResultOf<"listCallbacks">["items"][number];

const list = (context: CommandContext): Command =>
  operationCommand(context, callbackOperations, "listCallbacks", {
    name: "list",
    options: {
      invoiceId: "invoice <id>",
      remoteAddress: "sender <address>",
      reference: "reference <text>",
      foundBy: "found-by <where>",
    },
    extend: (command) =>
      command.option("--refused", "only those that failed a check, the same as --verdict refused"),
    input: ({ refused, ...given }) => (refused === true ? { ...given, verdict: "refused" } : given),
    json: ({ items }) => ({ callbacks: items }),
    text: ({ items, next }, given) =>
      items.length === 0
        ? `${noneText(given, "No callback has come in yet.", "No callback matches these filters; fewer of them find more.")} One with a wrong token is answered 404 and not recorded.`
        : `${table(items, {
            callback: "id",
            received: ({ receivedAt }) => clock(receivedAt),
            sender: "remoteAddress",
            "what became of it": fateOf,
            invoice: ({ invoiceIds: [id, ...others] }) =>
              others.length > 0 ? `${id} +${others.length}` : id,
            reference: "reference",
            source: "source",
          })}\n\n${next === null ? "" : "There are more; see --limit. "}One of them, whole: invoice-relay callbacks show <callback>`,
  });

const show = (context: CommandContext): Command =>
  operationCommand(context, callbackOperations, "showCallback", {
    name: "show",
    description: "show one whole callback and how each id was found",
    missing: ({ id }) => `No callback has the id ${String(id)}. invoice-relay callbacks list has them.`,
    text: (callback) => {
      const { receivedAt, source, method, path, remoteAddress, reference, bytes, headers, ids, text } =
        callback;
      const size = bytes === null ? "erased" : `${bytes.toLocaleString("en-US")} bytes`;
      return [
        `Callback ${callback.id} of source ${source}`,
        `  received ${clock(receivedAt)}: ${method} ${path} from ${remoteAddress ?? "an unknown address"}, ${size}`,
        ...(reference === null ? [] : [`  reference ${reference}`]),
        `  ${fateOf(callback)}`,
        ...ids.map(
          ({ invoiceId, foundBy, verdict }) =>
            `  names ${invoiceId}, found in ${foundBy ?? "it"}: ${verdict ?? (callback.verdict === "refused" ? "not asked about" : "unknown_invoice")}`,
        ),
        "",
        ...headers.map(([name, value]) => `  ${name}: ${value}`),
        ...(text === null ? [] : ["", ...indentedJson(text).split("\n")]),
      ]
        .map((line) => plainText(line))
        .join("\n");
    },
  });

function fateOf({ verdict, failedCheck }: Pick<Listed, "verdict" | "failedCheck">): string {
  if (verdict === "refused") return `refused: ${whyRefused(failedCheck)}`;
  return verdict ?? "unknown_invoice";
}
