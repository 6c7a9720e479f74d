import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeFileUnlessStopped } from "../../../src/interfaces/cli/commands/proof.ts";
import { cliContext } from "../../support/cli-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("Ctrl-C while a file is written leaves nothing behind, and says so", async () => {
  const folder = await temporaryFolder();
  const { context, signals } = cliContext();
  let isOver = false;
  const endless = async function* () {
    try {
      for (let n = 0; ; n += 1) {
        if (n === 3) signals.emit("SIGINT");
        yield "row\r\n";
      }
    } finally {
      isOver = true;
    }
  };

  const file = join(folder, "october.csv");
  await expect(writeFileUnlessStopped(context, file, endless())).rejects.toThrow(file);

  expect(isOver).toBe(true);
  expect(await readdir(folder)).toEqual([]);
  expect(signals.listenerCount("SIGINT")).toBe(0);
});
