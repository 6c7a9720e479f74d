import { describe, expect, it } from "vitest";
import { STATEMENT_BYTES } from "../../../src/books/statement/decode-statement.ts";
import { readStatement as readIn } from "../../../src/books/statement/read-statement.ts";
import type { Mapping, MappingGiven } from "../../../src/books/statement/statement-columns.ts";

const bytes = (text: string) => Buffer.from(text, "utf8");
const readStatement = (file: Uint8Array, given: MappingGiven = {}, remembered: readonly Mapping[] = []) =>
  readIn(file, given, remembered, { currency: "NGN", zone: "Africa/Lagos" });
const amounts = (text: string, given = {}) =>
  readStatement(bytes(text), given).lines.map(({ amount }) => amount);

describe("a bank's statement is read", () => {
  it("with any delimiter, decimal, quotation and line end", () => {
    const forms = [
      'Date,Narration,Amount\n2026-10-01,Settlement,"1,500.50"\n2026-10-02,Settlement,1400.00\n',
      "Date;Narration;Amount\r\n01.10.2026;Settlement;1.500,50\r\n31.10.2026;Settlement;1400,00\r\n",
      "Date\tNarration\tAmount\r13/10/2026\tSettlement\tNGN 1,500.50\r14/10/2026\tSettlement\t1400.00\r",
      'Value Date|Details|Credit|Debit\n1-Oct-2026|"a | b\nof two lines"|₦1 500.50|\n02 October 2026||1400.00|-\n',
    ];
    for (const form of forms) expect(amounts(form)).toEqual(["1500.50", "1400.00"]);
  });

  it("in UTF-8 with and without its mark, UTF-16 and Windows-1252", () => {
    const text = "Date,Narration,Amount\n2026-10-01,École – Ngozi,10.50\n";
    const windows = Buffer.from(text.replace("–", "\u0096"), "latin1");
    const forms = [
      ["utf-8", bytes(text)],
      ["utf-8", Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(text)])],
      ["utf-16le", Buffer.from(`\uFEFF${text}`, "utf16le")],
      ["utf-16be", Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
      ["windows-1252", windows],
    ] as const;
    for (const [encoding, form] of forms) {
      const statement = readStatement(form);
      expect(statement).toMatchObject({ encoding, mapping: { date: "Date" } });
      expect(statement.lines[0]?.texts).toEqual(["École – Ngozi"]);
    }
  });

  it("below what the bank writes above it, without what went out and what is no line", () => {
    const statement = readStatement(
      bytes(
        "Account,0123456789\nPeriod,October\n\nDate,Narration,Debit,Credit,Balance\n" +
          "2026-10-01,Opening balance,,,100.00\n2026-10-01,Settlement,,50.00,150.00\n" +
          "2026-10-31,Fee,12.50,,137.50\n,Total,12.50,50.00,\n",
      ),
    );
    expect(statement).toMatchObject({ from: "2026-10-01", to: "2026-10-31" });
    expect(statement.lines).toMatchObject([{ line: 6, amount: "50.00", texts: ["Settlement", "150.00"] }]);
    expect(statement.others).toEqual({ count: 1, amount: "-12.50" });
    expect(statement).toMatchObject({ undated: 2, undatedLines: [5, 8] });
  });

  it.each([
    ["Dr/Cr", "CR", "DR"],
    ["Type", "Credit", "debit"],
    ["D/C", "C", "D"],
    ["Kind", "Credit Transfer", "Debit Transfer"],
    ["Kind", "Deposit", "Withdrawal"],
    ["Sign", "+", "-"],
  ])("with what went out named in a column of its own: %s", (name, came, went) => {
    const text = `Date,Details,Amount,${name}\n2026-10-01,Settlement,50.00,${came}\n2026-10-02,Refund,20.00,${went}\n2026-10-02,Transfer,30.00,\n`;
    const { lines, others } = readStatement(bytes(text));
    expect(lines.map(({ amount }) => amount)).toEqual(["50.00", "30.00"]);
    expect(others).toEqual({ count: 1, amount: "-20.00" });
    const odd = readStatement(
      bytes("Date,Type,Amount\n2026-10-01,Debit card sale,50.00\n2026-10-02,D,20.00\n"),
    );
    expect(odd.lines).toHaveLength(2);
  });

  it("with the direction beside the amount, not the one of the balance", () => {
    const rows = "2026-10-01,CR,DR,50.00,CR,x\n2026-10-02,CR,CR,20.00,DR,x\n";
    const of = (names: string) => readStatement(bytes(`${names}\n${rows}`)).others;
    expect(of("Date,Dr/Cr,Balance,Amount,Dr / Cr,Ref")).toEqual({ count: 1, amount: "-20.00" });
    expect(of("Date,Balance,Sign,Amount,Ref,Ref2")).toEqual({ count: 1, amount: "-50.00" });
    // All came in; the balance is overdrawn.
    const text = ["Date,Amount,Dr/Cr,Balance,Dr/Cr", "2026-10-01,5.00,CR,9.00,DR"].join("\n");
    for (const form of [text, text.replaceAll("Dr/Cr", "")])
      expect(readStatement(bytes(form)).lines).toMatchObject([{ amount: "5.00" }]);
    expect(() =>
      readStatement(
        bytes("Dr/Cr,Date,Amount,Balance,C/D\nCR,2026-10-01,5.00,9.00,DR\nDR,2026-10-02,5.00,9.00,CR\n"),
      ),
    ).toThrow(/"Dr\/Cr" and "C\/D" could both say/);
  });

  it("although every line leaves out, or has too much of, what is empty at its end", () => {
    const header = "Date,Narration,Amount,Cheque\n";
    for (const end of ["", ",", ",,", ",,,"])
      expect(amounts(`${header}2026-10-01,a,5.00${end}\n2026-10-02,b,6.00${end}\nprinted,2\n`)).toEqual([
        "5.00",
        "6.00",
      ]);
  });

  it("with what went out written with a sign in its own column, and headers on every page", () => {
    const header = "Date, Credit\u00A0 Amount\u200B,Debit\n";
    const { lines, others, undated } = readStatement(
      bytes(`${header}2026-10-01,5.00,0.00\n${header}2026-10-02,,-7.00\n`),
      { amount: "credit amount" },
    );
    expect(lines).toMatchObject([{ line: 2, amount: "5.00" }]);
    expect([others, undated]).toEqual([{ count: 1, amount: "-7.00" }, 1]);
  });

  it("although a byte is broken, by the encoding that it says", () => {
    const text = "Date,Ref,Amount\n2026-10-01,x?,₦5.00\n";
    const broken = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes(text)]);
    broken[broken.indexOf("?")] = 0xff;
    expect(readStatement(broken)).toMatchObject({
      encoding: "utf-8",
      lines: [{ amount: "5.00", texts: ["x\uFFFD"] }],
    });
  });

  it("again by the mapping that is remembered for the same columns, and only that", () => {
    const first = readStatement(bytes("Booked on;What;In\n01/10/2026;x;1.500\n"), {
      date: "Booked on",
      amount: "In",
      decimal: ",",
      dateOrder: "DMY",
      only: "TRANZAKT",
    });
    const second = bytes("Booked on;What;In\n02/11/2026;Tranzakt;2.500\n03/11/2026;Rent;1,00\n");
    expect(readStatement(second, {}, [first.mapping])).toMatchObject({
      remembered: true,
      lines: [{ day: "2026-11-02", amount: "2500.00" }],
      others: { count: 1, amount: "1.00" },
    });
    expect(() => readStatement(bytes("Booked on;In\n02/11/2026;5\n"), {}, [first.mapping])).toThrow(
      /No line names columns for a date and an amount .*Line 1 has: Booked on, In.*--date-column/,
    );
  });

  it("by what earlier statements showed, and not by what none of them did", () => {
    const header = "Date,Ref,Amount\n";
    const read = (text: string, earlier: readonly string[] = []) => {
      const mappings = earlier.map((one) => readStatement(bytes(one)).mapping);
      return readStatement(bytes(text), {}, mappings);
    };
    const plain = `${header}2026-10-01,a,1500\n`;
    expect(read(plain).mapping).toMatchObject({ decimal: null, dateOrder: null });
    const [unclearDate, unclearAmount] = [`${header}03/04/2026,a,1\n`, `${header}2026-10-01,a,"1,500"\n`];
    expect(() => read(unclearDate, [plain])).toThrow(/Line 2 has "03\/04\/2026".*--date-order/);
    expect(() => read(unclearAmount, [plain])).toThrow(/Line 2 has "1,500".*--decimal/);
    expect(read(unclearDate, [`${header}13/04/2026,a,1\n`]).lines).toMatchObject([{ day: "2026-04-03" }]);
    expect(read(unclearAmount, [`${header}2026-10-01,a,"1,500.00"\n`]).lines).toMatchObject([
      { amount: "1500.00" },
    ]);
    // No naira has three decimals: whatever the bank did before, these are thousands.
    expect(() => read(unclearAmount, [`${header}2026-10-01,a,"1500,00"\n`])).toThrow(
      /line 2: "1,500" has three decimals.*--decimal/,
    );
  });

  it("with what the bank took back, and not with other money that went out", () => {
    const text =
      "Date,Ref,Debit,Credit\n2026-10-01,A,,5.00\n2026-10-02,REVERSAL A,5.00,\n2026-10-02,Rent,7.00,\n";
    const { lines, others } = readStatement(bytes(text));
    expect(lines.map(({ line, amount }) => [line, amount])).toEqual([
      [2, "5.00"],
      [3, "-5.00"],
    ]);
    expect(others).toEqual({ count: 1, amount: "-7.00" });
    expect(readStatement(bytes(text), { only: "rent" }).lines).toEqual([]);
  });

  it("names lines that say the same as an earlier one", () => {
    const { lines } = readStatement(
      bytes("Date,Ref,Amount\n2026-10-01,A,1.00\n2026-10-01,A,2.00\n2026-10-01,A,1.00\n"),
    );
    expect(lines.map(({ line, duplicateOf }) => [line, duplicateOf])).toEqual([
      [2, null],
      [3, null],
      [4, 2],
    ]);
  });
});

describe("a statement that cannot be read is refused in words that name its lines", () => {
  const header = "Date,Ref,Amount\n";
  it.each<[string, string, RegExp]>([
    ["0 bytes", "", /empty \(0 bytes\)/],
    ["nothing in it", "\n\n  \n", /no line with anything in it/],
    ["only a header", header, /a header, and no line below it/],
    ["another kind of file", "PK\u0003\u0004…", /Save it as CSV/],
    [
      "mixed decimals",
      `${header}2026-10-01,a,"1,500.50"\n2026-10-02,b,"1.500,50"\n`,
      /mixes .*"\." \(line 2: 1,500\.50\).*"," \(line 3/,
    ],
    [
      "an unclear decimal",
      `${header}2026-10-01,a,"1,500"\n`,
      /Line 2 has "1,500", which can be read in two ways.*--decimal/,
    ],
    [
      "mixed orders of dates",
      `${header}13/10/2026,a,1.00\n10/14/2026,b,1.00\n`,
      /mixes .*"DMY" \(line 2.*"MDY" \(line 3/,
    ],
    ["an unclear date", `${header}01/10/2026,a,1.00\n`, /Line 2 has "01\/10\/2026".*--date-order/],
    ["no such day", `${header}2026-02-30,a,1.00\n`, /line 2: "2026-02-30" is no date/],
    ["no amount", `${header}2026-10-01,a,lots\n2026-10-02,b,1.00\n`, /line 2: "lots" is no amount/],
    ["too many cells", `${header}2026-10-01,a,1,500.50\n`, /line 2 has 4 cells, the header has 3/],
    ["an open quotation", `${header}2026-10-01,"a,1.00\n`, /Line 2 opens a quotation mark/],
    [
      "a quotation that the next line's closes",
      `${header}2026-10-01,"a,1.00\n2026-10-02,"b",2.00\n`,
      /Line 2 .*after/,
    ],
    [
      "text after a quotation",
      `${header}2026-10-01,"a" b,1.00\n`,
      /Line 2 has text after a closing quotation mark/,
    ],
    [
      "UTF-16 without its mark",
      Buffer.from(`${header}2026-10-01,a,1.00\n`, "utf16le").toString("latin1"),
      /byte order mark/,
    ],
    ["another currency", `${header}2026-10-01,a,USD 1.00\n`, /line 2: "USD 1.00" is not in NGN/],
    ["a sign of another currency", `${header}2026-10-01,a,€1.00\n`, /line 2: "€1.00" is not in NGN/],
    [
      "a column of another currency",
      "Date,Amount (USD)\n2026-10-01,1.00\n",
      /"Amount \(USD\)" is not in NGN/,
    ],
    [
      "a line of another currency",
      "Date,Amount,Currency\n2026-10-01,1.00,NG₦\n2026-10-02,2.00,usd\n",
      /read: line 3: "usd" is not NGN/,
    ],
    [
      "another currency in words",
      "Date,Amount,Currency\n2026-10-01,1.00,Naira\n2026-10-01,1.00,US Dollar\n",
      /line 3: "US Dollar" is not NGN/,
    ],
    ["a dollar sign", `${header}2026-10-01,a,$1.00\n`, /line 2: "\$1.00" is not in NGN/],
    ...[
      "2026-10-01,a 5.00,105.00",
      "2026-10-01 a,5.00,105.00",
      "2026-10-01,a,5.00,105.00,",
      "a 5.00,2026-10-01",
    ].map(
      (line) =>
        [
          `a line that is shifted: ${line}`,
          `Date,Narration,Amount,Balance\n2026-09-30,b,1.00,100.00\n${line}\n`,
          /line 3 has \d cells, the header has 4/,
        ] as [string, string, RegExp],
    ),
    [
      "a line without its last amount",
      "Date,Credit,Debit\n2026-10-01,5.00\n",
      /line 2 has 2 cells, the header has 3/,
    ],
    ["both sides on one line", "Date,Credit,Debit\n2026-10-01,5.00,2.00\n", /line 2 has both 5.00 and 2.00/],
    [
      "a word of no side",
      "Date,Amount,Dr/Cr\n2026-10-01,5.00,CR\n2026-10-01,2.00,REV\n",
      /line 3: "REV" in "Dr\/Cr" is neither/,
    ],
    [
      "a line in pieces",
      `${header}2026-10-01,a\nb\nc,5.00\n2026-10-01,d,1.00\n`,
      /line 2 has 2 cells, the header has 3/,
    ],
    [
      "a text in the place of an amount",
      `${header}2026-10-01,a,${"1".repeat(9_999)}\n`,
      /line 2: "1{80}…" is no amount/,
    ],
    ["one name twice", "Date,Amount,Amount\n2026-10-01,1.00,2.00\n", /two columns named "Amount".*Rename/],
    ["three letters and no number", `${header}2026-10-01,a,abc\n`, /line 2: "abc" is no amount/],
    [
      "two dates",
      "Value Date,Booking Date,Amount\n",
      /2 columns that could be the date: Value Date, Booking Date.*--date-column/,
    ],
  ])("%s", (_, text, words) => {
    expect(() => readStatement(bytes(text))).toThrow(words);
  });

  it.each([
    [{ debit: "Out" }, /No line names columns for a date and an amount \(or credit\) and Out/],
    [{ date: "When" }, /No line names columns for When and an amount/],
    [{ amount: "Ref" }, /line 2: "a" is no amount/],
  ])("a mapping that names no column of it: %o", (given, words) => {
    expect(() => readStatement(bytes(`${header}2026-10-01,a,1.00\n`), given)).toThrow(words);
  });

  it("too large", () => {
    expect(() => readStatement(new Uint8Array(STATEMENT_BYTES + 1))).toThrow(/more than 32 MiB/);
  });
});
