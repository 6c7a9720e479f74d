import { mkdir, readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ADMIN, adminApi, READER } from "../../support/admin.ts";
import { runCli } from "../../support/cli-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const HEAD = "Date,Narration,Amount";

it("a statement that cannot be matched is refused in plain words, and nothing is kept or written", async () => {
  const { around, relay, call } = await adminApi();
  const folder = await temporaryFolder();
  const file = join(folder, "statement.csv");
  const run = (...words: string[]) => runCli(["match", ...words], around.environment());
  await mkdir(join(folder, "a folder"));

  // What of a statement cannot be read: read-statement.test.ts.
  for (const [content, words, exit, says] of [
    ["When,What,How much\n2026-10-01,x,5", [], 2, /--date-column and --amount-column/],
    [`${HEAD}\n2026-10-01,x,5`, ["--from", "2026-11-01", "--to", "2026-11-30"], 2, /it has no line of/],
    [
      `${HEAD}\n2026-10-01,x,5`,
      ["--from", "2026-10-31", "--to", "2026-10-01"],
      2,
      /should not be after 2026-10-01/,
    ],
    [`${HEAD}\n2026-10-01,x,5`, ["--from", "2999-01-01"], 2, /has not begun/],
    [`${HEAD}\n2026-10-01,x,5`, ["--delimiter", ";;"], 2, /one character/],
    [`${HEAD}\n2026-10-01,x,5`, ["--source", "nobody"], 3, /no source "nobody"/],
    [`${HEAD}\n2026-10-01,x,5`, ["--out", join(folder, "report.pdf")], 2, /\.csv or \.xlsx/],
    [`${HEAD}\n2026-10-01,x,5`, ["--out", join(folder, "no", "report.csv")], 2, /There is no folder/],
  ] as const) {
    await writeFile(file, content);
    const { code, stderr, stdout } = await run(file, ...words);
    expect([code, stderr], content).toEqual([exit, expect.stringMatching(says)]);
    expect(stdout).toBe("");
  }
  expect(await run(join(folder, "a folder"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is a folder"),
  });
  expect(await run(join(folder, "none.csv"))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("no file"),
  });
  // 200 MB, by the command line and by the admin API, which answers once it has dropped the rest.
  await truncate(file, 200 * 1024 ** 2);
  expect(await run(file)).toMatchObject({ code: 2, stderr: expect.stringContaining("more than 32 MiB") });
  const send = (body: BodyInit, token = ADMIN, type = "text/csv", query = "name=s.csv") =>
    fetch(`${relay.url}/admin/v1/statements?${query}`, {
      ...{ method: "POST", body, headers: { authorization: `Bearer ${token}`, "content-type": type } },
    });
  const refused = await send(Buffer.alloc(200 * 1024 ** 2));
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { code: "usage", error: expect.stringContaining("more than 32 MiB") },
  ]);
  expect((await send("", ADMIN)).status).toBe(400);
  for (const given of ["name=%00", "name=a%0Ab", "name=%20", "only=%00", "collection=%07", "delimiter=%22"]) {
    const query = given.startsWith("name") ? given : `name=s.csv&${given}`;
    const answer = await send(`${HEAD}\n2026-10-01,x,5`, ADMIN, "text/csv", query);
    expect([answer.status, await answer.json()], given).toEqual([
      400,
      { code: "usage", error: expect.stringMatching(/^(name|only|collection|delimiter) should/) },
    ]);
  }
  expect((await send(HEAD, READER)).status).toBe(403);
  expect((await send(HEAD, ADMIN, "application/json")).status).toBe(415);
  expect(await around.query("select from statement_match")).toEqual([]);
  expect((await readdir(folder)).sort()).toEqual(["a folder", "statement.csv"]);

  // A period without payments is no fault of the file: all of it is left over.
  const alone = await send(`${HEAD}\n2026-10-01,x,5\n2026-10-01,x,5`);
  expect(await alone.json()).toMatchObject({
    clean: false,
    figures: {
      states: [
        { state: "duplicate", lines: 1 },
        { state: "bank_only", lines: 1, sums: 0 },
      ],
    },
  });
  const [{ id } = { id: "" }] = (await call("GET", "/statements", undefined, READER)).body.matches;
  expect((await call("GET", `/statements/${id}`, undefined, READER)).body.items).toHaveLength(2);
  const report = await call("GET", `/statements/${id}/report`, undefined, READER);
  expect(String(report.body)).toContain("bank_only");
});
