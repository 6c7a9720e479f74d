import { setTimeout as pause } from "node:timers/promises";
import { Command, Option } from "commander";
import { usageError } from "../../kit/errors.ts";
import { shortText } from "../../kit/text.ts";
import type { CommandContext } from "../command-context.ts";
import { idValue } from "../option-values.ts";
import { askSandbox, type Happening, recentCallbacks, recentEvents } from "../sandbox-happenings.ts";

const LOOK_EVERY_MS = 300;
/** With --early, how long after the callback the API shows the payment. */
const EARLY_MS = 5_000;

interface PayOptions {
  early?: true;
  twice?: true;
  never?: true;
  forge?: true;
  method: string;
  provider?: string;
}

export function sandboxCommand(context: CommandContext): Command {
  return new Command("sandbox")
    .description("make payments at the local collection service, and watch callbacks and events")
    .addCommand(payCommand(context))
    .addCommand(listenCommand(context));
}

const providerOption = () =>
  new Option("--provider <url>", "the collection service; by default COLLECTION_API_URL, or port 4001");

function payCommand(context: CommandContext): Command {
  return new Command("pay")
    .description("pay an invoice as a payer would, or make something go wrong")
    .argument("<invoice>", "the invoice's id", idValue)
    .option("--early", `the callback comes ${EARLY_MS / 1_000} s before the API shows the payment`)
    .option("--twice", "the callback comes twice")
    .addOption(new Option("--never", "the callback never comes").conflicts(["early", "twice"]))
    .addOption(
      new Option("--forge", "nothing is paid: a stranger sends a callback that says so").conflicts([
        "early",
        "twice",
        "never",
      ]),
    )
    .addOption(
      new Option("--method <method>", "how it is paid")
        .choices(["Card", "BankTransfer", "USSD", "BankBranch"])
        .default("Card"),
    )
    .addOption(providerOption())
    .action(async (id: string, { early, twice, never, forge, method, provider }: PayOptions) => {
      const invoice = `${providerUrl(context, provider)}/_control/invoices/${id}`;
      if (forge) {
        const answer: ForgeAnswer = { ...(await askSandbox("collection service", `${invoice}/forge`, {})) };
        context.show({ id, ...answer }, () => forgedWords(id, answer));
        return;
      }
      const callback = {
        ...(early && { paymentReadableAfterMs: EARLY_MS }),
        ...(twice && { copies: 2 }),
        ...(never && { never: true }),
      };
      await askSandbox("collection service", `${invoice}/pay`, { method, callback });
      const callbacks = never ? "never comes" : twice ? "comes twice" : "comes now";
      const readable = early ? `, and the API shows the payment in ${EARLY_MS / 1_000} s` : "";
      context.show(
        { id, outcome: "paid", callback },
        () => `Invoice ${id} is paid. Its callback ${callbacks}${readable}.`,
      );
    });
}

interface ForgeAnswer {
  status?: number;
  error?: string;
}

function forgedWords(id: string, answer: ForgeAnswer): string {
  const result =
    answer.status === undefined ? `was not delivered: ${answer.error}` : `was answered ${answer.status}`;
  return `Nothing was paid. A forged callback, which says that invoice ${id} is, ${result}.`;
}

function listenCommand(context: CommandContext): Command {
  return new Command("listen")
    .description("show callbacks and events as they happen, until stopped")
    .addOption(providerOption())
    .option("--sns <url>", "the local SNS; by default AWS_ENDPOINT_URL_SNS, or port 4002")
    .action(async ({ provider, sns }: { provider?: string; sns?: string }) => {
      const stop = context.listenForStop();
      const providerAt = providerUrl(context, provider);
      const snsAt = trimmed(sns ?? context.settings().AWS_ENDPOINT_URL_SNS ?? "http://127.0.0.1:4002");
      const look = async () => [...(await recentCallbacks(providerAt)), ...(await recentEvents(snsAt))];

      let seen = new Set((await look()).map(({ key }) => key));
      context.remark(`Listening at ${providerAt} and ${snsAt}. Ctrl-C stops.`);
      while (!stop.signal.aborted) {
        await pause(LOOK_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
        const now = await look();
        const fresh = now.filter(({ key }) => !seen.has(key)).sort((a, b) => a.at.localeCompare(b.at));
        for (const { key: _, ...happening } of fresh) context.showLine(happening, lineOf);
        seen = new Set(now.map(({ key }) => key));
      }
      stop.release();
    });
}

const lineOf = ({ at, what, invoiceId, says }: Omit<Happening, "key">): string =>
  `${at.slice(11, 23)}  ${what.padEnd(8)}  ${invoiceId ?? "no invoice"}  ${says}`;

const providerUrl = (context: CommandContext, given: string | undefined): string =>
  trimmed(given ?? context.settings().COLLECTION_API_URL ?? "http://127.0.0.1:4001");

function trimmed(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url.replace(/\/+$/, "");
  throw usageError(`"${shortText(url)}" should be a web address such as http://127.0.0.1:4001.`);
}
