import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeWholeFile } from "../../src/books/file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "books-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function* partsOf(...parts: (string | Uint8Array | Error)[]) {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

describe("a file that is there as a whole or not at all", () => {
  it("replaces an older one, behind its link, and leaves nothing else", async () => {
    await mkdir(join(folder, "kept"));
    await writeFile(join(folder, "kept", "old.csv"), "old");
    await symlink(join(folder, "kept", "old.csv"), join(folder, "link.csv"));

    expect(await writeWholeFile(join(folder, "link.csv"), partsOf("é", new Uint8Array([10])))).toBe(3);

    expect(await readFile(join(folder, "kept", "old.csv"), "utf8")).toBe("é\n");
    expect(await readdir(join(folder, "kept"))).toEqual(["old.csv"]);
    expect((await readdir(folder)).sort()).toEqual(["kept", "link.csv"]);
  });

  it("keeps the older one when the parts fail half-way", async () => {
    await writeFile(join(folder, "month.csv"), "old");

    const written = writeWholeFile(
      join(folder, "month.csv"),
      partsOf("half", new Error("the database left")),
    );

    await expect(written).rejects.toThrow("the database left");
    expect(await readFile(join(folder, "month.csv"), "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["month.csv"]);
  });

  it("fails where a folder is missing, for a folder, and when the disk is full", async () => {
    for (const [file, said] of [
      [join(folder, "nowhere", "a.csv"), /nowhere/],
      [folder, /books-/],
      ["/dev/full", /ENOSPC/],
    ] as const)
      await expect(writeWholeFile(file, partsOf("a"))).rejects.toThrow(said);
  });

  it("writes into a device instead of replacing it", async () => {
    expect(await writeWholeFile("/dev/null", partsOf("a"))).toBe(1);
    expect(await readFile("/dev/null", "utf8")).toBe("");
  });
});
