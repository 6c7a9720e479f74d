import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runOn } from "../../faults/world/postgres-server.ts";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  DISABLED,
  FIXED_AMOUNT,
  INVOICE,
  NOBODY,
  OPEN_AMOUNT,
  type Reply,
  SHARED,
  startTestService,
  type TestService,
} from "./service-fixture.ts";

const shares = (...amounts: unknown[]) =>
  amounts.map((amount, nth) => ({ linkedAccountId: nth === 0 ? ACCOUNT_A : ACCOUNT_B, amount }));
const LIST = `/api/v1/collections/${OPEN_AMOUNT}/invoices`;
const LINK = "/api/v1/linked-accounts";

describe("bad input is a clear 4xx with the field's name, and leaves nothing behind", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const rows = () =>
    runOn(
      service.database.url,
      `select (select count(*) from collection_service.invoice) as invoices,
        (select count(*) from collection_service.linked_account) as accounts`,
    );
  const refused = async (calling: () => Promise<Reply>, status: number, field: string) => {
    const before = await rows();
    const reply = await calling();
    expect(reply.status, reply.text).toBe(status);
    const type = expect.stringMatching(/^[A-Z_]+$/);
    expect(reply.body).toEqual({ status, message: expect.any(String), type, errors: expect.any(Array) });
    expect(reply.body.errors.join("\n")).toContain(field);
    expect(await rows()).toEqual(before);
  };
  const post = (body: unknown) => service.api("POST", "/api/v1/invoices", body);
  const withShares = (...amounts: unknown[]) => ({
    collectionId: SHARED,
    invoiceBeneficiaries: shares(...amounts),
  });

  // One of those that test/collection-api/bad-input.test.ts holds for the request's schema, and each that only
  // the service can know.
  it.each<[string, Record<string, unknown>, string, number?]>([
    ["a NUL in a name", { payerName: "a\0b" }, "payerName"],
    ["__proto__ in metadata", { billerMetaData: JSON.parse('{"__proto__":"x"}') }, "billerMetaData"],
    ["an unknown collection", { collectionId: NOBODY }, "collectionId", 404],
    ["a disabled collection", { collectionId: DISABLED }, "collectionId", 403],
    ["no amount in a collection without one", { amount: null }, "amount"],
    ["an amount in a collection that has one", { collectionId: FIXED_AMOUNT }, "amount"],
    ["beneficiaries where there are accounts", { invoiceBeneficiaries: shares(1500.5) }, "Beneficiaries"],
    ["no beneficiaries where there are none", { collectionId: SHARED }, "invoiceBeneficiaries"],
    ["an empty list of them", withShares(), "invoiceBeneficiaries"],
    ["shares below the amount", withShares(1000, 500.49), "invoiceBeneficiaries"],
    ["shares above the amount", withShares(1000, 500.51), "invoiceBeneficiaries"],
    ["a negative share", withShares(1600.5, -100), "invoiceBeneficiaries[1].amount"],
    [
      "a share of nobody",
      { collectionId: SHARED, invoiceBeneficiaries: [{ linkedAccountId: NOBODY, amount: 1500.5 }] },
      "invoiceBeneficiaries[0].linkedAccountId",
    ],
    [
      "an account named twice",
      {
        collectionId: SHARED,
        invoiceBeneficiaries: [
          { linkedAccountId: ACCOUNT_A, amount: 1000.5 },
          { linkedAccountId: ACCOUNT_A.toUpperCase(), amount: 500 },
        ],
      },
      "invoiceBeneficiaries[1].linkedAccountId",
    ],
  ])("Create Invoice: %s", async (_what, fields, field, status = 400) => {
    await refused(() => post({ ...INVOICE, ...fields }), status, field);
  });

  it.each([
    ["nothing", "", 400, "The request"],
    ["no JSON", "{", 400, "body"],
    ["NaN", `{"amount": NaN}`, 400, "amount"],
    ["Infinity", `{"amount": -Infinity}`, 400, "amount"],
    ["a list", "[]", 400, "The request"],
    ["null", "null", 400, "The request"],
    ["5,000 lists inside each other", "[".repeat(5_000) + "]".repeat(5_000), 400, "The request"],
    ["a body of 300 KB", JSON.stringify({ ...INVOICE, title: "x".repeat(300_000) }), 413, "body"],
  ])("Create Invoice: a body that is %s", async (_what, body, status, field) => {
    await refused(() => post(body), status, field);
  });

  it.each([
    ["GET", "/api/v1/invoices/12", 400, "id"],
    ["GET", "/api/v1/invoices/%00", 400, "id"],
    ["GET", "/api/v1/invoices/%E0%A4%A", 400, "id"],
    ["POST", "/api/v1/invoices/12/invalidate", 400, "id"],
    ["POST", `/api/v1/invoices/${NOBODY}/invalidate`, 404, "id"],
    ["GET", "/api/v1/collections/12", 400, "id"],
    ["GET", `/api/v1/collections/${NOBODY}/invoices`, 404, "id"],
    // What test/collection-api/bad-input.test.ts does not hold for the filter's schema.
    ["GET", `${LIST}?page=abc`, 400, "page"],
    ["GET", `${LIST}?page=99999999999999999999`, 400, "page"],
    ["GET", `${LIST}?page=1&page=2`, 400, "page"],
    ["GET", `${LIST}?invoiceStatus=Lost`, 400, "invoiceStatus"],
    ["GET", `${LIST}?invoiceType=Real`, 400, "invoiceType"],
    ["GET", `${LIST}?search=%00`, 400, "search"],
    // No calendar has the year.
    ["GET", `${LIST}?startDate=0000-01-01`, 400, "startDate"],
    ["POST", LINK, 400, "bankId", { linkedAccount: { bankId: 999, accountNumber: "1111111111" } }],
    ["POST", LINK, 400, "bankId", { linkedAccount: { bankId: 2 ** 40, accountNumber: "1111111111" } }],
    ["POST", LINK, 400, "accountNumber", { linkedAccount: { bankId: 1, accountNumber: "0123456789" } }],
    ["POST", LINK, 400, "linkedAccount", {}],
  ])("%s %s: %d, about %s", async (method, path, status, field, body?: unknown) => {
    await refused(() => service.api(method, path, body), status, field);
  });

  it.each(["startDate=0001-01-01&endDate=9999-12-31", "page=1000000&pageSize=1000"])(
    "Get Collection Invoices?%s is odd, but no error",
    async (query) => {
      const reply = await service.api("GET", `${LIST}?${query}`);
      expect(reply.status, reply.text).toBe(200);
    },
  );

  it("Add Linked Account: an account that several link at once is linked by one of them", async () => {
    const linkedAccount = { bankId: 1, accountNumber: "5550001112" };
    const link = () => service.api("POST", LINK, { linkedAccount });
    const replies = await Promise.all(Array.from({ length: 8 }, link));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(400)]);
    await refused(link, 400, "accountNumber");
  });

  it("an unknown address and a wrong method are 4xx too", async () => {
    for (const path of ["/api/v1/nothing", "/nothing", "/api"]) {
      const { status, body } = await service.api("GET", path);
      expect([path, status, body]).toEqual([
        path,
        404,
        { status: 404, message: "There is nothing at this address", type: "NOT_FOUND", errors: [] },
      ]);
    }
    const wrong = await service.api("DELETE", `/api/v1/invoices/${NOBODY}`);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET"]);
  });

  it("whatever JSON comes in whatever field, the answer is never a 5xx", async () => {
    const fields = [
      ...Object.keys(INVOICE),
      "callBackUrl",
      "invoiceBeneficiaries",
      "__proto__",
      "constructor",
    ];
    const body = fc.tuple(fc.constantFrom(...fields), fc.json({ maxDepth: 3 }));
    await fc.assert(
      fc.asyncProperty(body, async ([field, json]) => {
        const { [field]: _, ...others } = INVOICE as Record<string, unknown>;
        const text = JSON.stringify(others).replace(/}$/, `,${JSON.stringify(field)}:${json}}`);
        const reply = await post(text);
        expect([200, 400, 404], `${text} gave ${reply.text}`).toContain(reply.status);
      }),
      { numRuns: 200 },
    );
  });

  it("a body that is no UTF-8 is refused, and a byte order mark is not", async () => {
    const send = async (body: Buffer) => {
      const headers = { "x-api-key": "live_local_4f1c0d7e9a2b48d3b6e5" };
      const request = { method: "POST", headers, body: new Uint8Array(body) };
      const response = await fetch(`${service.url}/api/v1/invoices`, request);
      return { status: response.status, ...((await response.json()) as { message: string }) };
    };
    const json = JSON.stringify(INVOICE);
    const latin = Buffer.from(json.replace("Second term", "Trimestre \u00e9t\u00e9"), "latin1");
    expect(await send(latin)).toMatchObject({ status: 400, message: "The request's body is not UTF-8" });
    expect(await send(Buffer.from(`\uFEFF${json}`))).toMatchObject({ status: 200 });
  });

  it("what is no HTTP, headers that are too large, and two Host headers are told so in the form of an error", async () => {
    const { hostname, port } = new URL(service.url);
    for (const [head, status, message] of [
      ["GARBAGE", 400, "The request is not HTTP"],
      [`GET /api/v1/banks HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}`, 431, "at most 16 KiB"],
      ["GET /api/v1/banks HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close", 400, "The Host header"],
    ] as const) {
      const socket = connect(Number(port), hostname);
      let answer = "";
      socket.on("data", (chunk: Buffer) => (answer += chunk)).on("error", () => undefined);
      socket.write(`${head}\r\n\r\n`);
      await once(socket, "close");
      expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
      const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
      expect(body).toMatchObject({ status, message: expect.stringContaining(message) });
    }
  });
});

describe("odd input is taken as it is", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());
  const search = async (text: string) =>
    (await service.api("GET", `${LIST}?search=${encodeURIComponent(text)}`)).body.data.items.map(
      (item: { id: string }) => item.id,
    );

  it.each([
    "emoji 🎓👩🏾‍🎓",
    "مرحبا بالعالم",
    "שלום \u202eעולם",
    "naïve Ünïcode 漢字",
    "Robert'); DROP TABLE invoice;--",
  ])("%s", async (text) => {
    const id = await service.create({ title: text, payerName: text, billerMetaData: { [text]: text } });
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({ title: text, payerName: text, billerMetaData: { [text]: text } });
    expect(await search(text)).toEqual([id]);
  });

  it("but for blanks around what is searched, around addresses and phone numbers", async () => {
    const id = await service.create({
      title: "Trimmed",
      payerEmail: " ada@example.com ",
      payerPhoneNumber: " +234 801 234 5678\n",
      callBackUrl: "  https://merchant.example/callbacks ",
    });
    const { body } = await service.api("GET", `/api/v1/invoices/${id}`);
    expect(body.data).toMatchObject({
      payerEmail: "ada@example.com",
      payerPhoneNumber: "+234 801 234 5678",
      callBackUrl: "https://merchant.example/callbacks",
    });
    expect(await search(" Trimmed ")).toEqual([id]);
  });

  it("with every digit of a large amount", async () => {
    const request = JSON.stringify(INVOICE).replace('"amount":1500.5', '"amount":9007199254740993.25');
    const { text } = await service.api("POST", "/api/v1/invoices", request);
    expect(text).toContain('"amount":9007199254740993.25');
  });
});
