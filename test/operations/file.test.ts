import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeWholeFile } from "../../src/operations/report/file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function* partsOf(...parts: (string | Uint8Array | Error)[]) {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

describe("a file that is there as a whole or not at all", () => {
  it("replaces an older one, behind its link, and leaves nothing else", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "kept"));
    await writeFile(join(folder, "kept", "old.csv"), "old");
    await symlink(join(folder, "kept", "old.csv"), join(folder, "link.csv"));
    expect(await writeWholeFile(join(folder, "link.csv"), partsOf("é", new Uint8Array([10])))).toBe(3);
    expect(await readFile(join(folder, "kept", "old.csv"), "utf8")).toBe("é\n");
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(["kept", "kept/old.csv", "link.csv"]);
  });

  it("keeps the older one when the parts fail half-way", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "month.csv"), "old");
    const left = new Error("the database left");
    await expect(writeWholeFile(join(folder, "month.csv"), partsOf("half", left))).rejects.toBe(left);
    expect(await readFile(join(folder, "month.csv"), "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["month.csv"]);
  });

  it.each([
    ["usage", "where a folder is missing", "nowhere/a.csv"],
    ["usage", "for a folder", "."],
    ["failed", "when the disk is full", "/dev/full"],
  ])("fails as %s %s", async (code, _, file) => {
    const path = file.startsWith("/") ? file : join(await temporaryFolder(), file);
    await expect(writeWholeFile(path, partsOf("a"))).rejects.toMatchObject({ code });
  });

  it("is written into a device instead of replacing it", async () => {
    expect(await writeWholeFile("/dev/null", partsOf("a"))).toBe(1);
    expect(await readFile("/dev/null", "utf8")).toBe("");
  });
});
