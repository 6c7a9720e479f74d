import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Door } from "../../src/cli/door.ts";
import { runProgram } from "../../src/cli/program.ts";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  FIXED_AMOUNT,
  LIVE_KEY,
  OPEN_AMOUNT,
  SHARED,
  startTestService,
  TEST_KEY,
  type TestService,
} from "../collection-service/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";

const TOKEN = "test-token-0123456789abcdef";
const INVOICE = [
  "--title",
  "Second term",
  "--payer-name",
  "Ngozi Bello",
  "--payer-email",
  "ngozi@example.com",
] as const;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const environment = () => ({
  COLLECTION_API_URL: service.url,
  COLLECTION_API_KEY: LIVE_KEY,
  PUBLIC_URL: "https://relay.example.com",
  CALLBACK_TOKENS: `${TOKEN},second-token-0123456789abcdef`,
});

const api = (words: readonly string[], changes: Record<string, string> = {}) =>
  runCli(["api", ...words], { ...environment(), ...changes });

/** Runs it and expects success with nothing to remark. @returns what it printed. */
async function done(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await api(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

async function refused(words: readonly string[], changes?: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await api(words, changes);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).not.toContain("    at ");
  return stderr;
}

/** The same in this process: for what is refused before anything is sent. */
async function refusedAtOnce(words: readonly string[]): Promise<string> {
  const said = { stdout: "", stderr: "" };
  const door = new Door({
    environment: environment(),
    stdout: { write: (text) => (said.stdout += text) },
    stderr: { write: (text) => (said.stderr += text) },
    signals: process,
  });
  expect({ code: await runProgram(["api", ...words], door), stdout: said.stdout }).toEqual({
    code: 1,
    stdout: "",
  });
  return said.stderr;
}

const settled = (text: string) =>
  text
    .replaceAll(service.url, "<service>")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
    .replaceAll(/(?<=Invoice |"id": "|\/pay\/|^)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gm, "<invoice>");

async function file(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-api-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "invoice.json");
  await writeFile(path, text);
  return path;
}

/** What the provider holds of it, as plain HTTP tells. */
const held = async (id: string) => (await service.api("GET", `/api/v1/invoices/${id}`)).body.data;

describe("invoice-relay api: the seven operations", () => {
  it("has a command for each operation of the interface", async () => {
    const help = await done("--help");
    for (const name of [
      "get-collection",
      "list-invoices",
      "create-invoice",
      "get-invoice",
      "invalidate-invoice",
      "add-linked-account",
      "get-banks",
    ])
      expect(help).toMatch(new RegExp(`^  ${name} `, "m"));
  });

  it("get-collection shows its terms and its accounts", async () => {
    expect(await done("get-collection", OPEN_AMOUNT)).toMatchInlineSnapshot(`
      "Collection c0113c70-0000-4000-8000-000000000001
        name         School fees
        description  Any amount, split between the main account and the reserve
        status       Active
        amount       each invoice brings its own
        channels     Card, BankTransfer
        expiry       OneDay
        settled      Instant
        fee paid by  Payer
        category     Education
        created      2024-01-08T09:00:00.000Z

      percent  linked account                        account name               number      bank
           90  7a1b2c3d-0000-4000-8000-000000000001  Adaeze & Sons Ltd          0123456789  Guaranty Trust Bank
           10  7a1b2c3d-0000-4000-8000-000000000002  Adaeze & Sons Ltd Reserve  1023456789  Zenith Bank
      "
    `);
  });

  it("get-collection says the fixed amount of a collection that has one", async () => {
    expect(await done("get-collection", FIXED_AMOUNT)).toMatch(/^ {2}amount +\d+\.\d\d$/m);
  });

  it("get-banks shows the number that add-linked-account takes", async () => {
    expect(await done("get-banks")).toMatchInlineSnapshot(`
      "bank id  name                    code
      1        Access Bank             044
      2        First Bank of Nigeria   011
      3        Guaranty Trust Bank     058
      4        United Bank for Africa  033
      5        Zenith Bank             057
      "
    `);
  });

  it("create-invoice fills in the relay's callback URL with the first token, and shows it masked", async () => {
    const shown = await done(
      ...["create-invoice", "--collection-id", OPEN_AMOUNT, ...INVOICE, "--amount", "1500.50"],
      ...["--payer-phone-number", "+2348012345678", "--metadata", "student=17", "--metadata", "sum=1=1"],
      ...["--reference", "order 1/2"],
    );
    expect(settled(shown)).toMatchInlineSnapshot(`
      "Invoice <invoice>
        status          Unpaid
        title           Second term
        collection      School fees
        type            Live
        amount          1500.50
        service charge  22.51
        VAT             1.69
        total           1524.70
        settleable      1500.50
        fee paid by     Payer
        settled         Instant
        payer           Ngozi Bello, ngozi@example.com, +2348012345678
        biller          Adaeze & Sons Ltd, 14 Marina Road, Lagos Island, Lagos, billing@adaeze.example
        created         <time>
        modified        <time>
        metadata        student: 17
                        sum: 1=1
        callback URL    https://relay.example.com/callbacks/***/order%201%2F2
        pay at          <service>/pay/<invoice>
      "
    `);
    const [, id = ""] = /^Invoice (\S+)/.exec(shown) ?? [];
    expect(await held(id)).toMatchObject({
      amount: 1500.5,
      billerMetaData: { student: "17", sum: "1=1" },
      callBackUrl: `https://relay.example.com/callbacks/${TOKEN}/order%201%2F2`,
    });
  });

  it("create-invoice takes a file, whose fields the options win over, and another callback URL", async () => {
    const request = await file(
      `\uFEFF{"collectionId":"${OPEN_AMOUNT}","title":"Old title","payerName":"Ngozi Bello","payerEmail":"ngozi@example.com","amount":9999999999999.10}`,
    );
    const shown = await done(
      ...["create-invoice", "--from", request, "--title", "New title", "--json"],
      ...["--callback-url", "https://shop.example.com/paid"],
    );
    const { id } = JSON.parse(shown);
    expect(await held(id)).toMatchObject({
      title: "New title",
      amount: 9999999999999.1,
      callBackUrl: "https://shop.example.com/paid",
    });
  });

  it("create-invoice splits between beneficiaries, and leaves the callback URL out when told so", async () => {
    const shown = await api(
      [
        ...["create-invoice", "--collection-id", SHARED, ...INVOICE, "--amount", "100", "--no-callback-url"],
        ...["--beneficiary", `${ACCOUNT_A}=60.00`, "--beneficiary", `${ACCOUNT_B}=40`],
      ],
      { PUBLIC_URL: "", CALLBACK_TOKENS: "" },
    );
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain(
      `  beneficiaries   ${ACCOUNT_A}: 60.00\n                  ${ACCOUNT_B}: 40.00\n`,
    );
    const [, id = ""] = /^Invoice (\S+)/.exec(shown.stdout) ?? [];
    expect((await held(id)).callBackUrl).toBeNull();
  });

  it("create-invoice warns about a callback URL that no provider elsewhere reaches", async () => {
    const words = ["create-invoice", "--collection-id", OPEN_AMOUNT, ...INVOICE, "--amount", "1"];
    const { code, stderr } = await api(words, { PUBLIC_URL: "http://127.0.0.1:4000" });
    expect(code).toBe(0);
    expect(stderr).toContain("Look: 127.0.0.1 is an address of this machine");
  });

  it("get-invoice shows a paid invoice, and with --json money as decimal strings and no token", async () => {
    const id = await service.create({ callBackUrl: `https://relay.example.com/callbacks/${TOKEN}/o-1` });
    await service.control("POST", `/invoices/${id}/pay`, { method: "Card" });
    expect(settled(await done("get-invoice", id.toUpperCase()))).toMatchInlineSnapshot(`
      "Invoice <invoice>
        status          Paid
        title           Second term
        collection      School fees
        type            Live
        amount          1500.50
        service charge  22.51
        VAT             1.69
        total           1524.70
        settleable      1500.50
        fee paid by     Payer
        settled         Instant
        payer           Ngozi Bello, ngozi@example.com, +2348012345678
        biller          Adaeze & Sons Ltd, 14 Marina Road, Lagos Island, Lagos, billing@adaeze.example
        created         <time>
        modified        <time>
        paid            <time>, Card
        metadata        student: 17
        callback URL    https://relay.example.com/callbacks/***/o-1
        pay at          <service>/pay/<invoice>
      "
    `);
    const json = await done("get-invoice", id, "--json");
    const read = JSON.parse(json);
    expect(read).toEqual({
      id,
      title: "Second term",
      collectionName: "School fees",
      payerName: "Ngozi Bello",
      payerEmail: "ngozi@example.com",
      payerPhoneNumber: "+2348012345678",
      billerName: "Adaeze & Sons Ltd",
      billerAddress: "14 Marina Road, Lagos Island, Lagos",
      billerEmail: "billing@adaeze.example",
      amount: "1500.50",
      serviceCharge: "22.51",
      vat: "1.69",
      totalAmount: "1524.70",
      settleableAmount: "1500.50",
      status: "Paid",
      serviceFeePayer: "Payer",
      settlementFrequency: "Instant",
      type: "Live",
      paymentUrl: `${service.url}/pay/${id}`,
      dateCreated: expect.stringMatching(/^\d{4}-.*Z$/),
      dateModified: read.paymentDate,
      billerMetaData: { student: "17" },
      paymentDate: expect.stringMatching(/^\d{4}-.*Z$/),
      paymentMethod: "Card",
      invoiceBeneficiaries: null,
      callBackUrl: "https://relay.example.com/callbacks/***/o-1",
    });
  });

  it("invalidate-invoice ends an unpaid invoice, once", async () => {
    const id = await service.create();
    expect(settled(await done("invalidate-invoice", id))).toMatchInlineSnapshot(`
      "Invoice <invoice> can no longer be paid. Invoice invalidated successfully
      "
    `);
    expect((await held(id)).status).toBe("Invalidated");
    expect(await refused(["invalidate-invoice", id])).toContain(
      "Invalidate Invoice: the provider's rules refuse it (HTTP 412): The invoice has already been paid or is no longer valid",
    );
  });

  it("add-linked-account links an account number once", async () => {
    const words = ["add-linked-account", "--bank-id", "2", "--account-number", "0456789123"];
    expect(await done(...words)).toMatchInlineSnapshot(`
      "Linked account added successfully, it is pending approval
      It settles nothing until the provider approves it.
      "
    `);
    expect(await refused(words)).toContain("linkedAccount.accountNumber is already linked");
  });

  it("shows what strangers wrote without letting it steer the terminal", async () => {
    const id = await service.create({ title: "Term\u202E 1\n2" });
    expect(await done("get-invoice", id)).toContain("  title           Term\uFFFD 1\uFFFD2\n");
  });
});

describe("invoice-relay api list-invoices", () => {
  let own: TestService;
  const list = (...words: string[]) =>
    api(["list-invoices", OPEN_AMOUNT, ...words], { COLLECTION_API_URL: own.url });

  beforeAll(async () => {
    own = await startTestService();
    const made = await own.control("POST", "/invoices", {
      collectionId: OPEN_AMOUNT,
      invoices: Array.from({ length: 7 }, (_, index) => ({
        createdAt: `2024-03-0${index + 1}T10:00:00Z`,
        ...(index < 3 ? { paidAt: `2024-03-0${index + 1}T11:00:00Z` } : {}),
      })),
    });
    expect(made.status).toBeLessThan(300);
    const test = await own.api(
      "POST",
      "/api/v1/invoices",
      {
        ...{ collectionId: OPEN_AMOUNT, title: "Rehearsal", payerName: "Ada", payerEmail: "a@b.example" },
        amount: 5,
      },
      TEST_KEY,
    );
    expect(test.status).toBe(200);
  });
  afterAll(() => own.close());

  it("shows a page and how to read on", async () => {
    const { stdout } = await list("--page-size", "2", "--page", "2", "--end-date", "2024-03-07");
    expect(settled(stdout)).toMatchInlineSnapshot(`
      "invoice                               status       amount   created                   paid  payer        e-mail                   title
      <invoice>  Invalidated  1500.50  <time>     -  Ngozi Bello  ngozi.bello@example.com  Past invoice
      <invoice>  Invalidated  1500.50  <time>     -  Ngozi Bello  ngozi.bello@example.com  Past invoice

      Page 2: 2 invoices of 7. The next page: --page 3; all of them: --all.
      "
    `);
  });

  it("takes every filter of the interface", async () => {
    const { stdout } = await list(
      ...["--invoice-status", "paid", "--invoice-type", "Live", "--start-date", "2024-03-02"],
      ...["--end-date", "2024-03-03", "--page-size", "1", "--json"],
    );
    expect(JSON.parse(stdout)).toEqual({
      items: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          title: expect.any(String),
          amount: expect.stringMatching(/^\d+\.\d\d$/),
          status: "Paid",
          payerName: expect.any(String),
          payerEmail: expect.any(String),
          dateCreated: "2024-03-03T10:00:00.000Z",
          datePaid: "2024-03-03T11:00:00.000Z",
        },
      ],
      page: 1,
      pageSize: 1,
      totalCount: 2,
      hasNextPage: true,
      hasPreviousPage: false,
    });
    const found = await list("--search", "rehears", "--json");
    expect(JSON.parse(found.stdout).items).toMatchObject([{ title: "Rehearsal", amount: "5.00" }]);
  });

  it("--all reads every page, each invoice once, with --json a line each", async () => {
    const { stdout } = await list("--all", "--page-size", "3", "--json");
    const ids = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id);
    expect(ids).toHaveLength(8);
    expect(new Set(ids).size).toBe(8);
    const table = await list("--all", "--page-size", "3");
    expect(table.stdout).toMatch(/\n\n8 invoices\.\n$/);
  });

  it("shortens long titles in the table, never in JSON", async () => {
    const title = "😀".repeat(60);
    await own.create({ title });
    const shown = await list("--search", title);
    expect(shown.stdout).toContain(`  ${"😀".repeat(39)}…\n`);
    expect(shown.stdout).not.toContain("😀".repeat(40));
    expect((await list("--search", title, "--json")).stdout).toContain(title);
  });

  it("says that nothing matches", async () => {
    expect((await list("--search", "nobody")).stdout).toBe("No invoice matches.\n");
    expect((await list("--all", "--search", "nobody")).stdout).toBe("No invoice matches.\n");
    expect((await list("--page", "9")).stdout).toBe("Page 9 is past the end.\n");
  });
});

describe("invoice-relay api, when it cannot", () => {
  it("says that the provider knows no such id", async () => {
    expect(await refused(["get-invoice", randomUUID()])).toContain(
      "Get Invoice by ID: the provider knows no such id (HTTP 404): Invoice with the given Id does not exist",
    );
    expect(await refused(["get-banks", "--banks-path", "/elsewhere"])).toContain(
      "Say its path with --banks-path.",
    );
  });

  it("says that the key is refused, and not which key it was", async () => {
    const said = await refused(["get-banks"], { COLLECTION_API_KEY: "a-key-that-nobody-gave-out" });
    expect(said).toContain("Get Banks: the provider refuses the key (HTTP 401)");
    expect(said).toContain("Check the key");
    expect(said).not.toContain("a-key-that-nobody-gave-out");
  });

  it("says that the provider is away", async () => {
    const said = await refused(["get-banks"], { COLLECTION_API_URL: "http://127.0.0.1:1" });
    expect(said).toContain("the provider cannot be reached, ECONNREFUSED");
    expect(said).toContain("Check COLLECTION_API_URL");
  });

  it("says of a write whose answer was lost that it may have been carried out", async () => {
    await service.control("PUT", "/faults", {
      api: [{ operations: ["createInvoice"], answer: "500", afterWork: true, times: 1 }],
    });
    const words = ["create-invoice", "--collection-id", OPEN_AMOUNT, ...INVOICE, "--amount", "77"];
    expect(await refused(words)).toContain("It may have been carried out: look before you repeat it.");
  });

  it("names every field of a request that is missing or wrong, and sends nothing", async () => {
    const said = await refused([
      "create-invoice",
      "--collection-id",
      OPEN_AMOUNT,
      "--title",
      "x",
      "--amount",
      "-5",
    ]);
    expect(said).toBe(
      "The invoice was not created; nothing was sent:\n  payerName is missing\n  payerEmail is missing\n  amount should be more than 0\n",
    );
  });

  it.each([
    [["get-invoice", "42"], "It should be an id (UUID)"],
    [["list-invoices", OPEN_AMOUNT, "--start-date", "2024-02-30"], "startDate should be a date such as"],
    [["list-invoices", OPEN_AMOUNT, "--page", "0"], "page should be a whole number from 1"],
    [["list-invoices", OPEN_AMOUNT, "--all", "--page", "2"], "cannot be used with option '--page <number>'"],
    [["add-linked-account", "--bank-id", "044", "--account-number", "0123456789"], "not its clearing code"],
    [["create-invoice", "--metadata", "student"], "a name and a value, such as student=17"],
    [["create-invoice", "--no-callback-url", "--reference", "o-1"], "'--no-callback-url'"],
    [["create-invoice", "--from", "/nowhere/invoice.json"], "/nowhere/invoice.json cannot be read"],
    [
      ["get-banks", "--source", "shop"],
      'There is no source "shop". Say one of these with --source: default.',
    ],
  ])("%j is refused in plain words", async (words, said) => {
    expect(await refusedAtOnce(words)).toContain(said);
  });

  it.each([
    ["{", "is not JSON."],
    ["[]", "should hold one JSON object"],
    ['{"payerPhone":"+2348012345678"}', "has fields that Create Invoice does not take: payerPhone."],
  ])("a request file that holds %s is refused without quoting its values", async (text, said) => {
    const stderr = await refusedAtOnce(["create-invoice", "--from", await file(text)]);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("2348012345678");
  });

  it("refuses a reference where the file brings a callback URL of its own", async () => {
    const path = await file('{"callBackUrl":"https://shop.example.com/paid"}');
    expect(await refusedAtOnce(["create-invoice", "--from", path, "--reference", "o-1"])).toContain(
      "Leave one of them out.",
    );
  });

  it("says what is missing for the callback URL, and how to do without", async () => {
    const words = ["create-invoice", "--collection-id", OPEN_AMOUNT, ...INVOICE, "--amount", "1"];
    expect(await refused(words, { CALLBACK_TOKENS: "" })).toContain(
      "say --callback-url <url> or --no-callback-url",
    );
  });
});

describe("invoice-relay api with SOURCES_FILE", () => {
  const sourcesFile = () => {
    const source = (name: string, collectionApiKey: string, token: string) => ({
      name,
      collectionApiUrl: service.url,
      collectionApiKey,
      callbackTokens: [token],
      snsTopicArn: "arn:aws:sns:eu-west-1:123456789012:invoice-events",
    });
    return file(
      JSON.stringify({
        sources: [
          source("shop", LIVE_KEY, "shop-token-0123456789abcdef"),
          source("rehearsal", TEST_KEY, "rehearsal-token-0123456789abcdef"),
        ],
      }),
    );
  };

  it("asks with the key, and creates with the token, of the source that is named", async () => {
    const settings = { SOURCES_FILE: await sourcesFile(), PUBLIC_URL: "https://relay.example.com" };
    const words = ["create-invoice", "--collection-id", OPEN_AMOUNT, ...INVOICE, "--amount", "1", "--json"];
    const { code, stdout } = await runCli(["api", ...words, "--source", "rehearsal"], settings);
    expect(code).toBe(0);
    const { id, type } = JSON.parse(stdout);
    expect(type).toBe("Test");
    expect((await held(id)).callBackUrl).toBe(
      "https://relay.example.com/callbacks/rehearsal-token-0123456789abcdef",
    );
    const unnamed = await runCli(["api", "get-banks"], settings);
    expect(unnamed.code).toBe(1);
    expect(unnamed.stderr).toBe("Which source? Say one of these with --source: shop, rehearsal.\n");
  });
});
