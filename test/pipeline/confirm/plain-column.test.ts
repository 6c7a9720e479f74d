import { sql } from "kysely";
import { expect, it } from "vitest";
import { plainColumn, plainStatus } from "../../../src/pipeline/confirm/index.ts";
import { ownDatabase } from "../../support/database.ts";

it("a status is one thing to Postgres and to the relay, whatever stands around it or in it", async () => {
  const { db } = await ownDatabase();
  const units = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit));
  const blanks = units.filter((unit) => unit.trim() === "");
  const odd = ["Paid", "\u200bPaid", "P aid", "ÉPAYÉ", "PAİD", "ẞPAID", "ΠΑΙΔ"];
  const given = [...odd, ...blanks.map((blank) => `${blank}PAID ${blank}`)];
  const { rows } = await sql<{ plain: string }>`
    select ${plainColumn("status")} as plain from unnest(${given}::text[]) with ordinality as one (status, place)
    order by place`.execute(db);
  expect(rows.map(({ plain }) => plain)).toEqual(given.map(plainStatus));
  expect(blanks.length).toBeGreaterThan(20);
});
