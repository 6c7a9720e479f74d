import { describe, expect, it } from "vitest";
import {
  type CallbackRequest,
  readCallback,
} from "../../../../src/pipeline/receive/reading/read-callback.ts";

const [A, B, C] = [1, 2, 3].map((n) => `aaaaaaaa-0000-4000-8000-00000000000${n}`) as [string, string, string];
/** Ids that are no invoice's: a notification's, a collection's, and another thing's. */
const EVENT = "eeeeeeee-0000-4000-8000-00000000000e";
const COLLECTION = "cccccccc-0000-4000-8000-00000000000c";
const OTHER = "dddddddd-0000-4000-8000-00000000000d";

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => `bbbbbbbb-0000-4000-8000-${String(n).padStart(12, "0")}`);
const nested = (levels: number, inside: unknown, wrap: (value: unknown) => unknown): unknown =>
  levels === 0 ? inside : nested(levels - 1, wrap(inside), wrap);

/** The callback of the interface, part B. */
const documented = (id = A) => ({
  ...{ id: EVENT, event: "payment.successful", createdAt: "2025-11-03T10:15:31Z" },
  data: {
    ...{ id, collectionId: COLLECTION, amount: 40_000, totalAmount: 40_400, type: "Live", status: "Paid" },
    ...{ paymentDate: "2025-11-03T10:15:30Z", billerMetaData: { orderNumber: "17" } },
    callBackUrl: "https://relay.example.com/callbacks/0123456789abcdefghijkl",
  },
});

type Row = [
  name: string,
  /** Text and bytes are sent as they are, anything else as JSON. */
  body: unknown,
  /** Where the ids are found, or the kind of a reading without any. */
  expected: string,
  ids?: string[],
  request?: Partial<CallbackRequest>,
];

/** Each callback names invoice A, unless its row says otherwise. */
const reads = (rows: Row[]) =>
  it.each(rows)("%s", async (_name, body, expected, ids = [A], request = {}) => {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const reading = readCallback({
      ...{ method: "POST", query: "", reference: null, contentType: null, ...request },
      body: Buffer.from(isRaw ? body : JSON.stringify(body)),
    });
    const isKind = ["ping", "unreadable"].includes(expected);
    expect(reading).toMatchObject(
      isKind ? { kind: expected } : { kind: "ids", foundBy: expected, invoiceIds: ids },
    );
  });

describe("one callback", () => {
  reads([
    ["the documented one, whose top-level id is the notification's", documented(), "data.id"],
    ["behind a byte order mark", `\ufeff${JSON.stringify(documented())}`, "data.id"],
    ["said to be a form", documented(), "data.id", [A], { contentType: "application/x-www-form-urlencoded" }],
    ["sent to a URL with the merchant's own UUID", documented(), "data.id", [A], { reference: OTHER }],
    ["with a query of the merchant's own", documented(), "data.id", [A], { query: `id=${OTHER}` }],
    ["a bare invoice with lines of its own", { id: A, items: [{ id: OTHER }] }, "id"],
    ["in another casing", { Event: "paid", Id: EVENT, Data: { Id: A.toUpperCase() } }, "data.id"],
    ["in snake case", { delivery_id: EVENT, invoice_id: A }, "invoiceId"],
    ["whose payment says which invoice it paid", { data: { id: OTHER, invoiceId: A } }, "data.invoiceId"],
    ["whose payment has its invoice inside", { data: { id: OTHER, invoice: { id: A } } }, "data.invoice.id"],
    ["with the invoice as an object", { id: EVENT, invoice: { id: A } }, "invoice.id"],
    ["with the invoice as a plain id", { id: EVENT, invoice: A }, "invoice"],
    ["with an object inside data", { id: EVENT, data: { object: { id: A } } }, "data.object.id"],
    ["with the event around data", { id: EVENT, event: { id: EVENT, data: { id: A } } }, "event.data.id"],
    ["in a payload", { id: EVENT, payload: documented() }, "payload.data.id"],
    ["after an empty envelope", { data: { status: "paid" }, payload: { id: A } }, "payload.id"],
    ["as a resource", { id: EVENT, resource: { id: A } }, "resource.id"],
    ["whose payload was turned into text twice", { id: EVENT, data: `{"id": "${A}"}` }, "data.id"],
    ["as the text of a notification", { Message: JSON.stringify(documented()) }, "message.data.id"],
    ["beside data that is null", { data: null, id: A }, "id"],
    ["four in each other", nested(3, { id: A }, (payload) => ({ payload })), "payload.payload.payload.id"],
    ["five: found by the scan", nested(4, { id: A }, (payload) => ({ payload })), "scan"],
  ]);
});

describe("a batch", () => {
  reads([
    ["of events", { id: EVENT, events: [documented(), documented(B)] }, "events[].data.id", [A, B]],
    ["that is a bare array of callbacks", [documented(), documented(B)], "[].data.id", [A, B]],
    ["that is a bare array of ids", [A, B], "[]", [A, B]],
    ["as data", { data: [documented(), documented(B)] }, "data[].data.id", [A, B]],
    ["that is a page of the list", { data: { items: [{ id: A }, { id: B }] } }, "data.items[].id", [A, B]],
    ["of invoices", { id: EVENT, invoices: [{ id: A }, { id: B }] }, "invoices[].id", [A, B]],
    ["of ids, with gaps", { data: { invoiceIds: [null, 5, A, B] } }, "data.invoiceIds", [A, B]],
    [
      "of all kinds loses nobody",
      [documented(), { id: B, status: "Paid" }, { invoiceId: C }, { id: 17 }, null, "x"],
      "[].data.id, [].id, [].invoiceId",
      [A, B, C],
    ],
    ["that names an invoice twice", [{ id: A }, { id: B }, { id: A.toUpperCase() }], "[].id", [A, B]],
    ["of arrays", [[{ id: A }], [{ id: B }]], "[][].id", [A, B]],
    ["of four arrays in each other: found by the scan", nested(4, { id: A }, (one) => [one]), "scan"],
    ["of 3,000 is read up to the hundredth", numbered(3_000).map((id) => ({ id })), "[].id", numbered(100)],
    ["of none", { events: [] }, "unreadable"],
  ]);
});

describe("what is no JSON", () => {
  const inForm = (value: unknown) => encodeURIComponent(JSON.stringify(value));
  const boundary = { contentType: `multipart/form-data; boundary="${OTHER}"` };
  reads([
    ["a form said to be JSON", `id=${A}`, "form:id", [A], { contentType: "application/json" }],
    ["a form with invoice_id among others", `amount=404.00&invoice_id=${A}&id=${EVENT}`, "form:invoiceId"],
    ["JSON inside a form's data", `id=${EVENT}&data=${inForm({ id: A })}`, "form:data.id"],
    ["a callback inside a form's data", `data=${inForm(documented())}`, "form:data.data.id"],
    ["keys in brackets", `event=paid&data[id]=${A}&data[status]=Paid`, "scan"],
    ["one field several times", `id=${A}&id=${B}`, "form:id", [A, B]],
    ["broken percent-encoding beside the id", `title=100%&name=%C3%28&id=${A}`, "form:id"],
    ["fields of an object's prototype", `__proto__[id]=${EVENT}&constructor[id]=${EVENT}&id=${A}`, "form:id"],
    ["a form without an id", "status=Paid&reference=INV-17", "unreadable"],
    ["one document a line", `{"data":{"id":"${A}"}}\n{"data":{"id":"${B}"}}\n`, "scan", [A, B]],
    ["XML", `<?xml version='1.0'?><callback><invoice id='${A}'>Paid</invoice></callback>`, "scan"],
    ["a form in parts, whose boundary is a UUID", `--${OTHER}\r\n\r\n${A}\r\n`, "scan", [A], boundary],
    ["nothing but the id", A, "scan"],
    ["JSON cut off: its UUIDs", `{"id":"${EVENT}","data":{"id":"${A}","amount":400`, "scan", [EVENT, A]],
  ]);
});

describe("hostile bytes", () => {
  reads([
    ["an id 10,000 arrays deep", `${"[".repeat(10_000)}"${A}"${"]".repeat(10_000)}`, "scan"],
    ["an id behind many thousand members", `[${"0,".repeat(20_000)}"${A}"]`, "scan"],
    ["brackets inside of text, which are no nesting", { note: `\\" ${"[{".repeat(500)}`, id: A }, "id"],
    ["a key twice: the last is kept", `{"data":{"id":"${B}","id":"${A}"}}`, "data.id"],
    ["__proto__ alone is a key like any other", `{"__proto__":{"data":{"id":"${A}"}}}`, "scan"],
    ["a NUL and lone surrogates", `{"data":{"a":"\\u0000","\\udfff":"\\ud800","id":"${A}"}}`, "data.id"],
    ["broken UTF-8 beside the id", Buffer.from(`{"title":"\xff\xc3\x28","id":"${A}"}`, "latin1"), "id"],
    ["noise", Buffer.from("00ff1337deadbeef808182831f8b0000", "hex"), "unreadable"],
    ["JSON text of JSON text of JSON text", nested(3, { ref: A }, JSON.stringify), "scan"],
  ]);
});

describe("a request that says nothing, or tries out the address", () => {
  reads([
    ["an empty POST", "", "ping"],
    ["HEAD", '{"note":1}', "ping", [], { method: "HEAD" }],
    ["an empty object", "{}", "ping"],
    ["null", "null", "ping"],
    ["event ping", { event: "ping" }, "ping"],
    ["a test of the webhook", { Type: "webhook.test", createdAt: "2025-11-03T10:15:31Z" }, "ping"],
    ["a challenge", { kind: "3eZbrw1aBm2rZgRNFdxV", challenge: "3eZbrw1aBm2rZgRNFdxV" }, "ping"],
    ["a challenge in the query", "", "ping", [], { query: "hub.mode=subscribe&hub.challenge=1158201444" }],
    ["the word ping", "ping", "ping"],
    ["not one that names an invoice", { event: "ping", data: { id: A } }, "data.id"],
    ["not one whose event has the word test in it", { event: "payment.test.successful" }, "unreadable"],
    ["not one whose words only stand beside a ping's", { event: "webhook.event" }, "unreadable"],
    ["not a number", "5", "unreadable"],
    ["not one whose query has a field of no kind", "", "unreadable", [], { query: "status=Paid" }],
  ]);
});

describe("the query and the path", () => {
  const get = (query: string, reference: string | null = null) => ({ method: "GET", query, reference });
  reads([
    ["a person comes back from paying", "", "query:invoiceId", [A], get(`invoiceId=${A}&status=Paid`)],
    ["HEAD with an id", "", "query:invoiceId", [A], { method: "HEAD", query: `invoiceId=${A}` }],
    ["a body that holds no id", { status: "Paid" }, "query:invoiceId", [A], { query: `invoice_id=${A}` }],
    ["another casing and braces", "", "query:invoiceId", [A], get(`InvoiceID=%7B${A.toUpperCase()}%7D`)],
    ["a second question mark", "", "query:scan", [A], get(`shop=3?invoiceId=${A}&status=Paid`)],
    ["an ampersand left over from HTML", "", "query:scan", [A], get(`status=Paid&amp;invoiceId=${A}`)],
    ["an unlisted name", "", "query:scan", [A], get(`trxref=${A}&status=Paid`)],
    ["the invoice in the path", "", "reference", [A], get("", A)],
    ["parameters appended to the path", "", "reference", [A], get("", `order-17&invoiceId=${A}`)],
    ["of a path with two the first is taken", "", "reference", [A], get("", `${A}/${B}`)],
    ["the path comes last", { transaction: { ref: A } }, "scan", [A], { reference: OTHER }],
  ]);
});

describe("a UUID at no listed place", () => {
  reads([
    ["under a name nobody listed", { event: "paid", data: { reference: A } }, "scan"],
    ["as a key, and in order", { paid: [B, { [A]: { amount: 1 } }], c: `see ${C} ${B}` }, "scan", [B, A, C]],
    ["escaped", `{"ref":"\\u0061${A.slice(1)}"}`, "scan"],
    ["one of many: the first five are asked for", { refs: numbered(200).join(" ") }, "scan", numbered(5)],
    ["of a collection is no invoice", { event: "paid", data: { collectionId: OTHER } }, "unreadable"],
    ["of an account is none", { data: { collectionAccounts: [{ deep: { id: OTHER } }] } }, "unreadable"],
    ["in callBackUrl is none", { data: { callBackUrl: `https://x/callbacks/${OTHER}` } }, "unreadable"],
    ["of the delivery is none", { "Correlation-Id": OTHER, merchant_id: { deep: [OTHER] } }, "unreadable"],
    ["where data.id is a number: all is scanned", { id: EVENT, data: { id: 1, ref: A } }, "scan", [EVENT, A]],
    ["where data.id is text", { id: A, data: { id: "INV-17" } }, "scan"],
    ["where ids are no text", { id: null, data: { id: { id: true } }, invoice: [17] }, "unreadable"],
    ["under one key in two casings", { data: { id: A, Id: B } }, "data.id", [A, B]],
    ["of an invoice's lines is none", { data: { id: A, items: [{ id: OTHER }] } }, "data.id"],
  ]);
});
