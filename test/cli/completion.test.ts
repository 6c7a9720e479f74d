import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { candidatesOf, completionScript, SHELLS } from "../../src/cli/commands/completion.ts";
import { createProgram } from "../../src/cli/program.ts";
import { cliContext, runCli } from "../support/cli-process.ts";

const program = createProgram(cliContext().context);

/** What bash offers when Tab is pressed after the line. */
function offered(line: string): string[] {
  const words = line.split(" ");
  const script = `${completionScript("bash", program)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length - 1}
_invoice_relay
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" }).split("\n").filter(Boolean);
}

describe("invoice-relay completion", () => {
  it.each([
    ["invoice-relay mig", ["migrate"]],
    ["invoice-relay dead ", expect.arrayContaining(["list", "show", "retry", "dismiss", "--json"])],
    ["invoice-relay dead list --", expect.arrayContaining(["--collection", "--from", "--settings"])],
    ["invoice-relay dead list --source shop --li", ["--limit"]],
    ["invoice-relay pause c", ["confirm"]],
    ["invoice-relay --json api get-", ["get-collection", "get-invoice", "get-banks"]],
    ["invoice-relay completion ", expect.arrayContaining([...SHELLS])],
  ])("offers bash, after %j, what may come next", (line, expected) => {
    expect(offered(line)).toEqual(expected);
  });

  it("knows every command and every option", () => {
    const paths = candidatesOf(program).map(({ path }) => path);
    for (const command of program.commands) {
      expect(paths).toContain(command.name());
      for (const inner of command.commands) expect(paths).toContain(`${command.name()} ${inner.name()}`);
    }
  });

  it.each(SHELLS)("prints a script for %s, and refuses another shell", async (shell) => {
    const { code, stdout } = await runCli(["completion", shell]);
    expect(code).toBe(0);
    expect(stdout).toContain("quarantine");
    expect((await runCli(["completion", `${shell}x`])).code).toBe(2);
  });
});
