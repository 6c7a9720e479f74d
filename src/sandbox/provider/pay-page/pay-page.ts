import { browserReturnUrl } from "../callbacks/callback-request.ts";
import type { InvoiceRow } from "../service-tables.ts";
import { amountClass } from "./pay-page-style.ts";

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Markup that may go into a page as it stands. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | Html | null | false | readonly Html[];

/**
 * A template whose values are escaped, unless they are {@link Html} themselves; null and false leave nothing.
 */
function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const text = parts.reduce((so, part, index) => so + rendered(values[index - 1] ?? null) + part);
  return new Html(text);
}

function rendered(value: Value): string {
  if (value === null || value === false) return "";
  if (typeof value === "string") return value.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");
  return value instanceof Html ? value.text : value.map((item) => item.text).join("");
}

/** What the page says about an invoice. */
type PageState = "payable" | "paid" | "expired" | "invalid";

const CHANNELS = [
  { channel: "Card", label: "Card", hint: "Debit or credit card" },
  { channel: "BankTransfer", label: "Bank transfer", hint: "From your bank's app or website" },
] as const;

/** The ways to pay that the page offers. */
type OfferedChannel = (typeof CHANNELS)[number]["channel"];

export function offeredChannels(invoice: InvoiceRow): OfferedChannel[] {
  return CHANNELS.map(({ channel }) => channel).filter((channel) =>
    invoice.payment_channels.includes(channel),
  );
}

/** An invoice is invalid by itself once its time is over, and expired means only that. */
export function pageState(invoice: InvoiceRow): PageState {
  if (invoice.status === "Paid") return "paid";
  if (invoice.status === "Unpaid") return "payable";
  return invoice.modified_at.getTime() === invoice.expires_at.getTime() ? "expired" : "invalid";
}

/** What the page needs besides the invoice. */
interface PageTerms {
  readonly state: PageState;
  /** Written before amounts. */
  readonly currency: string;
  /** What went wrong with the last attempt. */
  readonly notice: string | null;
}

/** The payer's page, whole. */
export function payPage(invoice: InvoiceRow, terms: PageTerms): string {
  const { state, notice } = terms;
  const money = (amount: string) => `${terms.currency}\u00A0${grouped(amount)}`.trim();
  const total = money(invoice.total_amount);
  const title = state === "payable" ? `Pay ${invoice.biller_name}` : `Invoice from ${invoice.biller_name}`;
  return page(
    title,
    html`
${invoice.type === "Test" && html`<p class="test">Test invoice: no money moves.</p>`}
${biller(invoice)}
<div class="due">
<h1 dir="auto">${invoice.title}</h1>
<p class="total ${amountClass(total)}">${total}</p>
</div>
${notice !== null && html`<p class="notice" role="alert">${notice}</p>`}
${stateOf(invoice, state)}
${figures(invoice, state, money)}
${state === "payable" ? form(invoice, money) : html`<div class="end"></div>`}
${wayBack(invoice, state)}`,
    html``,
  );
}

/** The page for an address that belongs to no invoice. */
export function noSuchInvoicePage(): string {
  return page(
    "Invoice not found",
    html`
<div class="due"><h1>This invoice does not exist</h1>
<p class="quiet">Check the address with whoever sent it to you. Nothing was charged.</p></div>
<div class="end"></div>`,
    html``,
  );
}

/** The page for a request that could not be carried out, or that nobody could read. */
export function troublePage(): string {
  return page(
    "That did not work",
    html`
<div class="due"><h1>That did not work</h1>
<p class="quiet">Open the invoice's page again: it shows whether it is paid, before you pay once more.</p>
</div>
<div class="end"></div>`,
    html``,
  );
}

function page(title: string, content: Html, foot: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/pay/style.css">
</head>
<body>
<main>${content}
</main>
<footer>
${foot}
<p>Local collection service, for trying things out: no card is charged.</p>
</footer>
</body>
</html>
`.text;
}

function biller(invoice: InvoiceRow): Html {
  const initial = [...invoice.biller_name.trim()][0]?.toUpperCase() ?? "";
  const contact = [invoice.biller_address, invoice.biller_email].filter(
    (part) => part !== null && part !== "",
  );
  return html`<div class="biller">
<div class="mark" aria-hidden="true">${initial}</div>
<div><p class="name" dir="auto">${invoice.biller_name}</p>
${contact.map((part) => html`<p class="quiet" dir="auto">${part}</p>`)}</div>
</div>`;
}

function figures(invoice: InvoiceRow, state: PageState, money: (amount: string) => string): Html {
  const total = money(invoice.total_amount);
  const row = (term: string, value: string) => html`<div><dt>${term}</dt><dd dir="auto">${value}</dd></div>`;
  const amount = (term: string, value: string) =>
    html`<div><dt>${term}</dt><dd class="${amountClass(value)}">${value}</dd></div>`;
  const feeIsPayers = invoice.service_fee_payer === "Payer";
  const paidBy = invoice.payment_method === "BankTransfer" ? "Bank transfer" : (invoice.payment_method ?? "");
  return html`<dl>
${row("For", invoice.collection_name)}
${row("Billed to", invoice.payer_name)}
<div><dt>Reference</dt><dd class="quiet">${invoice.id}</dd></div>
${state === "paid" && invoice.paid_at !== null && row("Paid on", moment(invoice.paid_at))}
${state === "paid" && row("Paid by", paidBy)}
${amount("Amount", money(invoice.amount))}
${feeIsPayers && amount("Service fee", money(invoice.service_charge))}
${feeIsPayers && amount("VAT on the fee", money(invoice.vat))}
<div class="sum"><dt>Total</dt><dd class="${amountClass(total)}">${total}</dd></div>
</dl>`;
}

function form(invoice: InvoiceRow, money: (amount: string) => string): Html {
  const offered = offeredChannels(invoice);
  const ways = CHANNELS.filter(({ channel }) => offered.includes(channel));
  if (ways.length === 0)
    return html`<p class="notice">This invoice can be paid at a bank's branch or by USSD only.</p>
<div class="end"></div>`;
  const total = money(invoice.total_amount);
  return html`<form method="post" action="/pay/${invoice.id}">
<fieldset>
<legend>How would you like to pay?</legend>
${ways.map(
  ({ channel, label, hint }, index) => html`<label class="way">
<input type="radio" name="method" value="${channel}" required${index === 0 && new Html(" checked")}>
<span>${label}<span class="quiet">${hint}</span></span>
</label>
`,
)}</fieldset>
<button type="submit">Pay <span class="${amountClass(total)}">${total}</span></button>
<p class="until quiet">Payable until ${moment(invoice.expires_at)}</p>
</form>`;
}

/** To the merchant, whether it was paid or not; where the merchant gave no address there is none. */
function wayBack(invoice: InvoiceRow, state: PageState): Html | null {
  const { callback_url: url, biller_name: merchant } = invoice;
  if (url === null) return null;
  const words = state === "payable" ? `Cancel and go back to ${merchant}` : `Go back to ${merchant}`;
  const href = browserReturnUrl(url, invoice.id, invoice.status);
  return html`<p class="back"><a href="${href}" dir="auto">${words}</a></p>`;
}

const TICK = new Html(
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">' +
    '<circle cx="12" cy="12" r="9"/>' +
    '<path d="m8 12.5 2.7 2.7L16 9.5" stroke-linecap="round" stroke-linejoin="round"/></svg>',
);
const CROSS = new Html(
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">' +
    '<circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16.2v.3" stroke-linecap="round"/></svg>',
);

function stateOf(invoice: InvoiceRow, state: PageState): Html | null {
  const said = (kind: string, icon: Html, what: string, then: string) =>
    html`<div class="state ${kind}" role="status">${icon}<div>
<p class="what">${what}</p><p>${then}</p></div></div>`;
  switch (state) {
    case "payable":
      return null;
    case "paid":
      return said(
        "good",
        TICK,
        "Paid, thank you",
        `Your payment to ${invoice.biller_name} went through. You can close this page.`,
      );
    case "expired":
      return said(
        "bad",
        CROSS,
        "This invoice has expired",
        `It could be paid until ${moment(invoice.expires_at)}. Ask ${invoice.biller_name} for a new one.`,
      );
    case "invalid":
      return said(
        "bad",
        CROSS,
        "This invoice is no longer valid",
        `${invoice.biller_name} has withdrawn it. Nothing was charged.`,
      );
  }
}

/** `40400.00` as `40,400.00`. */
function grouped(amount: string): string {
  const [whole = "0", cents = "00"] = amount.split(".");
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}

const MOMENT = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });

const moment = (time: Date) => `${MOMENT.format(time)} UTC`;
