import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli-process.ts";

const run = (words: string[], isTTY: boolean, environment: Record<string, string> = {}) =>
  runCli(words, environment, { isTTY });

const coloured = expect.stringContaining("\u001B[");
const plain = expect.not.stringContaining("\u001B[");

describe("colour", () => {
  it("is on a terminal, and nowhere else", async () => {
    const [onTerminal, piped] = [await run(["doctor"], true), await run(["doctor"], false)];
    expect(onTerminal.stdout).toContain("\u001B[31mFAULT");
    expect(piped.stdout).toEqual(plain);
    expect(stripVTControlCharacters(onTerminal.stdout)).toBe(piped.stdout);
    expect((await run(["migrate"], true)).stderr).toContain(
      "\u001B[31mThe settings need attention:\u001B[39m\n  ",
    );
    expect((await run(["migrate"], false)).stderr).toEqual(plain);
    expect((await run(["--help"], true)).stdout).toEqual(coloured);
    expect((await run(["--help"], false)).stdout).toEqual(plain);
  });

  it("can be refused, and asked for", async () => {
    expect((await run(["migrate"], true, { NO_COLOR: "1" })).stderr).toEqual(plain);
    expect((await run(["migrate"], true, { TERM: "dumb" })).stderr).toEqual(plain);
    expect((await run(["migrate"], false, { FORCE_COLOR: "1" })).stderr).toEqual(coloured);
  });

  it("is never part of JSON", async () => {
    expect((await run(["doctor", "--json"], true)).stdout).toEqual(plain);
    expect((await run(["migrate", "--json"], true)).stdout).toEqual(plain);
  });
});
