import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  FIXED_AMOUNT,
  OPEN_AMOUNT,
  startTestService,
  TEST_KEY,
  type TestService,
} from "../sandbox/provider/service-fixture.ts";
import { ApiCommand, TOKEN } from "./api-fixture.ts";

const command = new ApiCommand();
const { api, settled } = command;

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
      "invoice                               status             amount  created                   paid  payer        e-mail                   title
      <invoice>  Invalidated  NGN 1,500.50  <time>     -  Ngozi Bello  ngozi.bello@example.com  Past invoice
      <invoice>  Invalidated  NGN 1,500.50  <time>     -  Ngozi Bello  ngozi.bello@example.com  Past invoice

      Page 2: 2 invoices of 7. The next page: --page 3; all of them: --all.
      "
    `);
  });

  it.each([
    ["--invoice-status", "Payd", "Unpaid, Paid, Invalidated"],
    ["--invoice-type", "x", "Live, Test"],
  ])("refuses %s %s before the provider is asked", async (flag, word, known) => {
    const nowhere = { COLLECTION_API_URL: "http://127.0.0.1:1" };
    const { code, stderr } = await api(["list-invoices", OPEN_AMOUNT, flag, word], nowhere);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(known) });
    expect(stderr).toContain(`${flag} ${word} is not known.`);
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

  it("masks a callback token in a title, however it is printed", async () => {
    await own.create({ title: `to /callbacks/${TOKEN}` });
    for (const words of [[], ["--all"], ["--json"], ["--all", "--json"]]) {
      const { stdout } = await list("--search", "to /callbacks", ...words);
      expect(stdout).toContain("to /callbacks/***");
      expect(stdout).not.toContain(TOKEN.slice(0, 12));
    }
  });

  it("shortens long titles in the table, never in JSON", async () => {
    const title = "😀".repeat(60);
    await own.create({ title });
    const shown = await list("--search", title);
    expect(shown.stdout).toContain(`  ${"😀".repeat(39)}…\n`);
    expect(shown.stdout).not.toContain("😀".repeat(40));
    expect((await list("--search", title, "--json")).stdout).toContain(title);
  });

  it("says that nothing matches, or that there is nothing", async () => {
    expect((await list("--search", "nobody")).stdout).toBe("No invoice matches.\n");
    expect((await list("--all", "--search", "nobody")).stdout).toBe("No invoice matches.\n");
    expect((await list("--page", "9")).stdout).toBe("Page 9 is past the end.\n");
    const { stdout } = await api(["list-invoices", FIXED_AMOUNT]);
    expect(stdout).toBe("The collection has no invoice yet.\n");
  });
});
