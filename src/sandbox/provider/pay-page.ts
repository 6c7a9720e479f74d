import express, { type ErrorRequestHandler, type Response, type Router } from "express";
import { messageOf } from "../../platform/errors/index.ts";
import type { Logger } from "../../platform/log/index.ts";
import { money as grouped, isUuid, markupText } from "../../platform/values/index.ts";
import { refusalFor } from "./answers.ts";
import { browserReturnUrl } from "./callback-request.ts";
import { readInvoice } from "./invoice-statements.ts";
import { pay } from "./invoices.ts";
import type { ServiceContext } from "./service-context.ts";
import type { InvoiceRow } from "./tables.ts";

/** The payer's page at `/pay/{id}`: works without JavaScript, and its policy allows none. */
export function payRouter(context: ServiceContext): Router {
  const router = express.Router();
  router.use("/pay", (_request, response, next) => {
    response.setHeader(
      "content-security-policy",
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    response.setHeader("x-content-type-options", "nosniff");
    response.setHeader("referrer-policy", "no-referrer");
    response.setHeader("cache-control", "no-store");
    next();
  });

  router.get("/pay/style.css", (_request, response) => {
    response.setHeader("cache-control", "public, max-age=300");
    response.type("css").send(PAY_PAGE_STYLE);
  });

  router.get("/pay/:id", ({ params }, response) => show(response, params.id));

  router.post(
    "/pay/:id",
    express.urlencoded({ extended: false, limit: "4kb" }),
    async (request, response) => {
      const { id } = request.params;
      if (request.get("sec-fetch-site") === "cross-site")
        return await show(response, id, 403, "Please pay on this page itself.");
      const invoice = await find(id);
      const wanted: unknown = request.body?.method;
      const method = invoice && offeredChannels(invoice).find((channel) => channel === wanted);
      if (invoice !== undefined && method === undefined && pageState(invoice) === "payable")
        return await show(response, id, 400, "Please choose how you would like to pay.");
      if (method !== undefined && (await pay(context, id, method)) === "paid")
        // A GET afterwards, so that reloading the page does not post again.
        return response.redirect(303, `/pay/${id.toLowerCase()}`);
      await show(response, id, 409);
    },
  );

  // Any other address here is for people too.
  router.use("/pay", (_request, response) => sendPage(response, 404, noSuchInvoicePage()));
  router.use("/pay", pageForErrors(context.log));
  return router;

  async function find(id: string): Promise<InvoiceRow | undefined> {
    return isUuid(id) ? await readInvoice(context.db, id) : undefined;
  }

  async function show(response: Response, id: string, status = 200, notice: string | null = null) {
    const invoice = await find(id);
    if (invoice === undefined) return sendPage(response, 404, noSuchInvoicePage());
    const terms = { state: pageState(invoice), currency: context.currency, notice };
    sendPage(response, status, payPage(invoice, terms));
  }
}

function sendPage(response: Response, status: number, page: string): void {
  response.status(status).type("html").send(page);
}

/** Errors for a person: a page, where the API answers with JSON. */
function pageForErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) return next(error);
    // An address that cannot be decoded is no invoice's.
    if (error instanceof URIError) return sendPage(response, 404, noSuchInvoicePage());
    const { status } = refusalFor(error).answer;
    if (status >= 500) log.error({ err: messageOf(error) }, "collection service: payer's page failed");
    sendPage(response, status, troublePage());
  };
}

/** Markup that may go into a page as it stands. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Html | null | false | readonly Html[];

/** A template whose values are escaped, unless they are {@link Html} themselves; null and false leave nothing. */
function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const text = parts.reduce((so, part, index) => so + rendered(values[index - 1] ?? null) + part);
  return new Html(text);
}

function rendered(value: Value): string {
  if (value === null || value === false) return "";
  if (typeof value === "string") return markupText(value);
  return value instanceof Html ? value.text : value.map((item) => item.text).join("");
}

type PageState = "payable" | "paid" | "expired" | "invalid";

const CHANNELS = { Card: "Card", BankTransfer: "Bank transfer" };
type OfferedChannel = keyof typeof CHANNELS;

const offeredChannels = (invoice: InvoiceRow): OfferedChannel[] =>
  (["Card", "BankTransfer"] as const).filter((channel) => invoice.payment_channels.includes(channel));

/** An invoice is invalid by itself once its time is over, and expired means only that. */
function pageState(invoice: InvoiceRow): PageState {
  if (invoice.status === "Paid") return "paid";
  if (invoice.status === "Unpaid") return "payable";
  return invoice.modified_at.getTime() === invoice.expires_at.getTime() ? "expired" : "invalid";
}

interface PageTerms {
  readonly state: PageState;
  readonly currency: string;
  readonly notice: string | null;
}

function payPage(invoice: InvoiceRow, { state, currency, notice }: PageTerms): string {
  const money = (amount: string) => `${currency}\u00A0${grouped(amount)}`.trim();
  const { biller_name: biller } = invoice;
  const contact = [invoice.biller_address, invoice.biller_email].filter((part) => part);
  return page(
    state === "payable" ? `Pay ${biller}` : `Invoice from ${biller}`,
    html`
${invoice.type === "Test" && html`<p class="notice">Test invoice: no money moves.</p>`}
<p><b dir="auto">${biller}</b></p>
${contact.map((part) => html`<p class="quiet" dir="auto">${part}</p>`)}
<h1 dir="auto">${invoice.title}</h1>
<p class="total">${money(invoice.total_amount)}</p>
${notice !== null && html`<p class="notice" role="alert">${notice}</p>`}
${state !== "payable" && html`<p class="notice" role="status">${stateOf(invoice, state)}</p>`}
${figures(invoice, state, money)}
${state === "payable" && form(invoice, money)}
${wayBack(invoice, state)}`,
  );
}

/** The page for an address that belongs to no invoice. */
const noSuchInvoicePage = (): string =>
  page(
    "Invoice not found",
    html`<h1>This invoice does not exist</h1>
<p>Check the address with its sender. Nothing was charged.</p>`,
  );

/** The page for a request that failed, or was unreadable. */
const troublePage = (): string =>
  page(
    "That did not work",
    html`<h1>That did not work</h1>
<p>Open the invoice's page again: it shows whether it is paid, before you pay once more.</p>`,
  );

/** The one stylesheet, served from its own address so that the page needs no inline style. */
const PAY_PAGE_STYLE = `:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main, footer { max-width: 28rem; margin: auto; }
p { margin: .25rem 0; }
h1 { margin: 1.5rem 0 0; font-size: 1rem; }
.total { font-size: 2.25rem; font-weight: 700; line-height: 1.2; }
.quiet, dt, footer { font-size: .875rem; opacity: .75; }
.notice { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid; border-radius: .5rem; }
dl div { display: flex; flex-wrap: wrap; gap: 0 1.5rem; padding: .25rem 0; border-top: 1px solid #8884; }
dd { margin: 0 0 0 auto; text-align: right; min-width: 0; }
fieldset { margin: 1rem 0; border: 1px solid #8888; border-radius: .5rem; }
label { display: block; padding: .5rem 0; }
button { width: 100%; padding: .75rem; font: inherit; font-weight: 600; overflow-wrap: anywhere; }
`;

const page = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/pay/style.css">
</head>
<body>
<main>${content}</main>
<footer><p>Local collection service, for trying things out: no card is charged.</p></footer>
</body>
</html>
`.text;

function figures(invoice: InvoiceRow, state: PageState, money: (amount: string) => string): Html {
  const paidBy = invoice.payment_method === "BankTransfer" ? "Bank transfer" : invoice.payment_method;
  const isPayers = invoice.service_fee_payer === "Payer";
  const rows: [term: string, value: string | null][] = [
    ["For", invoice.collection_name],
    ["Billed to", invoice.payer_name],
    ["Reference", invoice.id],
    ["Paid on", state === "paid" && invoice.paid_at !== null ? moment(invoice.paid_at) : null],
    ["Paid by", state === "paid" ? paidBy : null],
    ["Amount", money(invoice.amount)],
    ["Service fee", isPayers ? money(invoice.service_charge) : null],
    ["VAT on the fee", isPayers ? money(invoice.vat) : null],
    ["Total", money(invoice.total_amount)],
  ];
  return html`<dl>${rows.map(([term, value]) =>
    value === null ? html`` : html`<div><dt>${term}</dt><dd dir="auto">${value}</dd></div>`,
  )}</dl>`;
}

function form(invoice: InvoiceRow, money: (amount: string) => string): Html {
  const offered = offeredChannels(invoice);
  if (offered.length === 0)
    return html`<p class="notice">This invoice can be paid at a bank's branch or by USSD only.</p>`;
  return html`<form method="post" action="/pay/${invoice.id}">
<fieldset>
<legend>How would you like to pay?</legend>
${offered.map(
  (channel, index) => html`<label>
<input type="radio" name="method" value="${channel}" required${index === 0 && new Html(" checked")}>
${CHANNELS[channel]}</label>
`,
)}</fieldset>
<button type="submit">Pay ${money(invoice.total_amount)}</button>
<p class="quiet">Payable until ${moment(invoice.expires_at)}</p>
</form>`;
}

/** To the merchant, whether it was paid or not; where the merchant gave no address there is none. */
function wayBack(invoice: InvoiceRow, state: PageState): Html | null {
  const { callback_url: url, biller_name: merchant } = invoice;
  if (url === null) return null;
  const words = state === "payable" ? `Cancel and go back to ${merchant}` : `Go back to ${merchant}`;
  return html`<p><a href="${browserReturnUrl(url, invoice.id, invoice.status)}" dir="auto">${words}</a></p>`;
}

function stateOf(
  { biller_name: biller, expires_at }: InvoiceRow,
  state: Exclude<PageState, "payable">,
): string {
  return {
    paid: `Paid, thank you. Your payment to ${biller} went through. You can close this page.`,
    expired: `This invoice has expired. It could be paid until ${moment(expires_at)}. Ask ${biller} for a new one.`,
    invalid: `This invoice is no longer valid. ${biller} has withdrawn it. Nothing was charged.`,
  }[state];
}

const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

const moment = (time: Date) => `${MOMENT.format(time)} UTC`;
