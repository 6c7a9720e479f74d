import { Command, Option } from "commander";
import { z } from "zod";
import { messageOf, RelayError, usageError } from "../../kit/errors.ts";
import { jsonIn } from "../../kit/json.ts";
import { shortText } from "../../kit/text.ts";
import type { CommandContext } from "../command-context.ts";
import { idValue } from "../option-values.ts";

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
    .description("make payments at the local collection service")
    .addCommand(payCommand(context));
}

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
    .option("--provider <url>", "the collection service; by default COLLECTION_API_URL, or port 4001")
    .action(async (id: string, { early, twice, never, forge, method, provider }: PayOptions) => {
      const invoice = `${providerUrl(context, provider)}/_control/invoices/${id}`;
      if (forge) {
        const answer: ForgeAnswer = { ...(await control(`${invoice}/forge`, {})) };
        context.show({ id, ...answer }, () => forgedWords(id, answer));
        return;
      }
      const callback = {
        ...(early && { paymentReadableAfterMs: EARLY_MS }),
        ...(twice && { copies: 2 }),
        ...(never && { never: true }),
      };
      await control(`${invoice}/pay`, { method, callback });
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

const providerUrl = (context: CommandContext, given: string | undefined): string =>
  trimmed(given ?? context.settings().COLLECTION_API_URL ?? "http://127.0.0.1:4001");

function trimmed(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url.replace(/\/+$/, "");
  throw usageError(`"${shortText(url)}" should be a web address such as http://127.0.0.1:4001.`);
}

const TIMEOUT_MS = 35_000;

/**
 * Asks the control side of the collection service.
 * @throws RelayError when nothing answers, something else does, or it refuses.
 */
async function control(url: string, body: unknown): Promise<object> {
  const { origin } = new URL(url);
  const asked = { method: "POST", body: JSON.stringify(body), redirect: "error" } as const;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...asked, signal: AbortSignal.timeout(TIMEOUT_MS) });
    text = await response.text();
  } catch (cause) {
    throw new RelayError(
      `The collection service at ${origin} does not answer (${messageOf(cause)}). Start it, or give its URL.`,
      { code: "provider_away", cause },
    );
  }
  const answer = jsonIn(text);
  if (response.ok && typeof answer === "object" && answer !== null) return answer;
  const refusal = z.object({ message: z.string() }).safeParse(answer).data;
  throw new RelayError(
    refusal === undefined
      ? `What answers at ${origin} is not the collection service.`
      : `The collection service refused it: ${refusal.message}`,
    { code: response.status === 404 ? "not_found" : "failed" },
  );
}
