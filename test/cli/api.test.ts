import { describe, expect, it } from "vitest";
import {
  ACCOUNT_A,
  ACCOUNT_B,
  FIXED_AMOUNT,
  OPEN_AMOUNT,
  SHARED,
} from "../sandbox/provider/service-fixture.ts";
import { ApiCommand, fileWith, INVOICE, TOKEN } from "./api-fixture.ts";

const command = new ApiCommand();
const { api, done, refused, settled, held } = command;

describe("invoice-relay api: the seven operations", () => {
  it("get-collection shows its terms and its accounts", async () => {
    expect(await done("get-collection", OPEN_AMOUNT)).toMatchInlineSnapshot(`
      "Collection c0113c70-0000-4000-8000-000000000001
        name         School fees
        description  Any amount, split between the main account and the reserve
        status       Active
        amount       set by each invoice
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
    expect(await done("get-collection", FIXED_AMOUNT)).toMatch(/^ {2}amount +NGN [\d,]+\.\d\d$/m);
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
    expect(settled(shown)).toContain("\n  payer           Ngozi Bello, ngozi@example.com, +2348012345678\n");
    expect(settled(shown)).toContain(`
  metadata        student: 17
                  sum: 1=1
  callback URL    https://relay.example.com/callbacks/***/order%201%2F2
  pay at          <service>/pay/<invoice>
`);
    const [, id = ""] = /^Invoice (\S+)/.exec(shown) ?? [];
    expect(await held(id)).toMatchObject({
      amount: 1500.5,
      billerMetaData: { student: "17", sum: "1=1" },
      callBackUrl: `https://relay.example.com/callbacks/${TOKEN}/order%201%2F2`,
    });
  });

  it("create-invoice takes a file, whose fields the options win over, and another callback URL", async () => {
    const request = await fileWith(
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
      `  beneficiaries   ${ACCOUNT_A}: NGN 60.00\n                  ${ACCOUNT_B}: NGN 40.00\n`,
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
    const id = await command.service.create({
      callBackUrl: `https://relay.example.com/callbacks/${TOKEN}/o-1`,
    });
    await command.service.control("POST", `/invoices/${id}/pay`, { method: "Card" });
    expect(settled(await done("get-invoice", id.toUpperCase()))).toMatchInlineSnapshot(`
      "Invoice <invoice>
        status          Paid
        title           Second term
        collection      School fees
        type            Live
        amount          NGN 1,500.50
        service charge  NGN 22.51
        VAT             NGN 1.69
        total           NGN 1,524.70
        settleable      NGN 1,500.50
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
    expect(JSON.parse(await done("get-invoice", id, "--json"))).toMatchObject({
      id,
      ...{ amount: "1500.50", serviceCharge: "22.51", vat: "1.69", totalAmount: "1524.70" },
      billerMetaData: { student: "17" },
      invoiceBeneficiaries: null,
      callBackUrl: "https://relay.example.com/callbacks/***/o-1",
    });
  });

  it("invalidate-invoice ends an unpaid invoice, once", async () => {
    const id = await command.service.create();
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
      It receives no payouts until the provider approves it.
      "
    `);
    expect(await refused(words)).toContain("linkedAccount.accountNumber is already linked");
  });
});
