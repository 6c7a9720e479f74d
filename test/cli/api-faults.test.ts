import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { LIVE_KEY, OPEN_AMOUNT, TEST_KEY } from "../sandbox/provider/service-fixture.ts";
import { runCli } from "../support/cli-process.ts";
import { ApiCommand, fileWith, INVOICE } from "./api-fixture.ts";

const command = new ApiCommand();
const { refused, refusedAtOnce, held } = command;

describe("invoice-relay api, when it cannot", () => {
  it("says that the provider knows no such id", async () => {
    expect(await refused(["get-invoice", randomUUID()])).toContain(
      "Get Invoice by ID: the provider knows no such id (HTTP 404): Invoice with the given Id does not exist",
    );
    expect(await refused(["get-banks", "--banks-path", "/elsewhere"])).toContain(
      "Set its path with --banks-path.",
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
    await command.service.control("PUT", "/faults", {
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
  ])("%j is refused in plain words", async (words, said) => {
    expect(await refusedAtOnce(words)).toContain(said);
  });

  it.each([
    ["{", "is not JSON."],
    ["[]", "should contain one JSON object"],
    ['{"payerPhone":"+2348012345678"}', "has fields that Create Invoice does not take: payerPhone."],
  ])("a request file that holds %s is refused without quoting its values", async (text, said) => {
    const stderr = await refusedAtOnce(["create-invoice", "--from", await fileWith(text)]);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("2348012345678");
  });

  it("refuses a reference where the file brings a callback URL of its own", async () => {
    const path = await fileWith('{"callBackUrl":"https://shop.example.com/paid"}');
    expect(await refusedAtOnce(["create-invoice", "--from", path, "--reference", "o-1"])).toContain(
      "Remove one of them.",
    );
  });

  it("says what is missing for the callback URL, and how to do without", async () => {
    const words = ["create-invoice", "--collection-id", OPEN_AMOUNT, ...INVOICE, "--amount", "1"];
    expect(await refused(words, { CALLBACK_TOKENS: "" })).toContain(
      "use --callback-url <url> or --no-callback-url",
    );
  });
});

describe("invoice-relay api with SOURCES_FILE", () => {
  const sourcesFile = () => {
    const source = (name: string, collectionApiKey: string, token: string) => ({
      name,
      collectionApiUrl: command.service.url,
      collectionApiKey,
      callbackTokens: [token],
      snsTopicArn: "arn:aws:sns:eu-west-1:123456789012:invoice-events",
    });
    return fileWith(
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
    expect(unnamed.code).toBe(2);
    expect(unnamed.stderr).toBe("Which source? Choose one of these with --source: shop, rehearsal.\n");
  });
});
