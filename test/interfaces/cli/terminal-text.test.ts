import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CommandContext } from "../../../src/interfaces/cli/command-context.ts";
import { plainJson, plainLines } from "../../../src/interfaces/cli/table.ts";
import { messageOf } from "../../../src/platform/errors/errors.ts";
import { plainText } from "../../../src/platform/values/text.ts";
import { anyText } from "../../support/any-text.ts";

/**
 * What steers a terminal: C0 but tab and line end, DEL, C1, bidi and zero-width characters, line separators.
 */
const STEERING = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const EVIL = "\u001B[2J\u009B31m\u202Elive\u2066\u200F\r\b\u0007\u2028\u007F\u{E0041}end";

describe("text from outside, at a terminal", () => {
  it("loses what could steer it, whatever it is", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(plainText(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(plainLines(text)).not.toMatch(STEERING);
        expect(messageOf(new Error(text))).not.toMatch(STEERING);
      }),
    );
    expect(plainLines("one\n\ttwo")).toBe("one\n\ttwo");
  });

  it("as JSON says the same, escaped", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        for (const json of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
          expect(plainJson(json)).not.toMatch(STEERING);
          expect(JSON.parse(plainJson(json))).toEqual(JSON.parse(json));
        }
      }),
    );
    expect(JSON.parse(plainJson(JSON.stringify(EVIL)))).toBe(EVIL);
  });

  it("goes through every way that a command has of saying something", async () => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text) };
    const signals = { on: () => undefined, off: () => undefined } as never;
    const context = new CommandContext({ environment: {}, stdout: output, stderr: output, signals });
    context.print(EVIL);
    context.remark(EVIL);
    context.show({ said: EVIL }, ({ said }) => said);
    (await context.localLog()).warn({ said: EVIL }, EVIL);
    context.json = true;
    context.show({ said: EVIL }, ({ said }) => said);
    context.showLine({ said: EVIL }, ({ said }) => said);
    expect(written).toHaveLength(6);
    expect(written.join("")).not.toMatch(STEERING);
  });
});
