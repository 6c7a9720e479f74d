import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { consoleForms } from "../../../../src/interfaces/console/forms.ts";

const forms = consoleForms();

it("a form asks for each field by what its schema takes", () => {
  const kinds = Object.entries(forms.listCallbacks?.fields ?? {}).map(([name, { kind }]) => [name, kind]);
  expect(Object.fromEntries(kinds)).toEqual({
    ...{ verdict: "choice", from: "time", to: "time", source: "source" },
    ...{ reference: "text", invoiceId: "text" },
  });
  expect(forms.listInvoices?.fields.from?.kind).toBe("date");
});

it("a filter is called as the column that shows the same", () => {
  const labels = (operation: string) =>
    Object.fromEntries(
      Object.entries(forms[operation]?.fields ?? {}).map(([name, { label }]) => [name, label]),
    );
  expect(labels("readAuditLog")).toMatchObject({ actor: "Who", action: "What", subject: "Which" });
  expect(labels("listCallbacks")).toMatchObject({ invoiceId: "Invoice" });
});

it("the pages ask for fields that their operation takes", () => {
  const asked = globSync("src/interfaces/console/pages/**/*.tsx").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/fieldsOf\("(\w+)", \[([^\]]*)\]/g)].flatMap(
      ([, operation = "", names = ""]) =>
        [...names.matchAll(/"(\w+)"/g)].map(([, name = ""]) => [operation, name] as const),
    ),
  );
  expect(asked.length).toBeGreaterThan(20);
  for (const [operation, name] of asked)
    expect(forms[operation]?.fields, `${operation}.${name}`).toHaveProperty(name);
});
